/**
 * What a machine's kernel tells its GPIO chip to do, from the tracepoint gpio:gpio_value
 * (include/trace/events/gpio.h): every order with its time, however short a level lasts. And when the guard's event loop
 * woke up: it reads its clock after that and before the order.
 */
import type { Level } from '@relaygate/shared/device';
import type { MachineKind } from './machine-kinds';
import type { Shell } from './shell';

const TRACING = '/sys/kernel/tracing';
const EVENTS = `${TRACING}/events`;
const ORDER = / (\d+\.\d+): gpio_value: (\d+) +set (\d)/g;
const WAKE = / (\d+\.\d+): sys_exit: NR \d+ = /g;

export interface LineOrder {
  /** The line's offset on the chip: the BCM number on a Raspberry Pi. */
  pin: number;
  drive: Level;
  /** On the emulated machine's CLOCK_MONOTONIC. */
  atMs: number;
}

export interface Traced {
  /** All orders, those included that change nothing. */
  orders: readonly LineOrder[];
  /** When the guard's event loop woke up, on the same clock; empty unless `followWakes` was called. */
  wakesMs: readonly number[];
}

type TracedShell = Pick<Shell, 'run' | 'read'>;

export class LineTrace {
  readonly #shell: TracedShell;
  readonly #base: number;
  readonly #epollCalls: readonly number[];

  static async open(shell: TracedShell, { chip, epollCalls }: MachineKind): Promise<LineTrace> {
    const base = await shell.run(`
      mount -t tracefs tracefs ${TRACING}
      echo mono > ${TRACING}/trace_clock && echo 1 > ${EVENTS}/gpio/gpio_value/enable || exit 1
      for each in /sys/class/gpio/gpiochip*; do
        if grep -q ${chip} $each/label; then cat $each/base; fi
      done`);
    return new LineTrace(shell, Number(base), epollCalls);
  }

  /** `base`: what the kernel counts its lines from. */
  private constructor(shell: TracedShell, base: number, epollCalls: readonly number[]) {
    this.#shell = shell;
    this.#base = base;
    this.#epollCalls = epollCalls;
  }

  /** Of this process's main thread. */
  async followWakes(pid: number): Promise<void> {
    const filter = this.#epollCalls.map((call) => `(common_pid == ${pid} && id == ${call})`).join(' || ');
    const event = `${EVENTS}/raw_syscalls/sys_exit`;
    await this.#shell.run(`echo '${filter}' > ${event}/filter && echo 1 > ${event}/enable`);
  }

  async forget(): Promise<void> {
    await this.#shell.run(`echo > ${TRACING}/trace`);
  }

  /** Since `forget`. */
  async read(): Promise<Traced> {
    const text = await this.#shell.read(`${TRACING}/trace`);
    const orders = [...text.matchAll(ORDER)].map(([, seconds, line, level]): LineOrder => {
      return { pin: Number(line) - this.#base, drive: level === '1' ? 'high' : 'low', atMs: Number(seconds) * 1000 };
    });
    return { orders, wakesMs: [...text.matchAll(WAKE)].map(([, seconds]) => Number(seconds) * 1000) };
  }

  /** Since `forget`, without those that repeat the last one for their pin. */
  async orders(): Promise<LineOrder[]> {
    return changesOf((await this.read()).orders);
  }
}

/** Without the orders that repeat the last one for their pin. */
export function changesOf(orders: readonly LineOrder[]): LineOrder[] {
  const last = new Map<number, Level>();
  return orders.filter(({ pin, drive }) => {
    const isChange = last.get(pin) !== drive;
    last.set(pin, drive);
    return isChange;
  });
}
