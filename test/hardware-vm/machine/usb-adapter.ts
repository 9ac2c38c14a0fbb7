/**
 * A serial adapter on USB, an FTDI chip as QEMU plays it (`usb-serial`). Its wires lead to boards on this machine, which
 * stay as they are when it is unplugged: they have a supply of their own.
 */
import type { ModbusBus } from '../../support/device/serial/modbus-bus';
import { USB_BUS } from './machine-kinds';
import type { Machine } from './qemu';

const ADAPTER = 'adapter';
const WIRES = 'wires';
/** In steps of 20 ms. */
const NODE_STEPS = 1_500;

export class UsbAdapter {
  readonly #machine: Pick<Machine, 'monitor' | 'shell'>;
  #isPlugged = false;

  static async wire({ monitor, shell }: Machine, bus: ModbusBus): Promise<UsbAdapter> {
    const backend = { type: 'serial', data: { device: bus.port } };
    await monitor.execute('chardev-add', { id: WIRES, backend });
    const adapter = new UsbAdapter({ monitor, shell });
    // QEMU would keep it for the adapter that is plugged in next.
    bus.towardsAdapter = (bytes, send) => {
      if (adapter.#isPlugged) send(bytes);
    };
    return adapter;
  }

  private constructor(machine: Pick<Machine, 'monitor' | 'shell'>) {
    this.#machine = machine;
  }

  get isPlugged(): boolean {
    return this.#isPlugged;
  }

  /** Resolves with the path that the kernel has given it. */
  async plug(): Promise<string> {
    this.#isPlugged = true;
    const { monitor, shell } = this.#machine;
    await monitor.execute('device_add', { driver: 'usb-serial', id: ADAPTER, chardev: WIRES, bus: `${USB_BUS}.0` });
    const path = await shell.run(
      `n=0; until ls /dev/ttyUSB* 2> /dev/null; do n=$((n + 1)); [ $n -lt ${NODE_STEPS} ] || exit 1; usleep 20000; done`,
    );
    return path.trim();
  }

  /** Between two orders of the guard or in the middle of one, as a hand does it. */
  async unplug(): Promise<void> {
    this.#isPlugged = false;
    await this.#machine.monitor.execute('device_del', { id: ADAPTER });
  }
}
