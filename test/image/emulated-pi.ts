/** An emulated Raspberry Pi 3 that runs a card: started, spoken to, always ended, or cut off from its supply. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Monitor } from '../hardware-vm/machine/monitor';
import { Pins } from '../hardware-vm/machine/pins';
import { freePort } from '../support/processes/free-port';
import { eventually } from '../support/time/waiting';
import type { Card } from './card';
import { untilOrStalled } from './progress';
import { SerialShell } from './serial-shell';

const MONITOR_MS = 20_000;
/** Under emulation Node takes some twenty seconds to start, and systemd would give it up. */
const PATIENT_UNIT = '[Service]\nTimeoutStartSec=600\nTimeoutStopSec=120\nWatchdogSec=';
/** So long nobody but `outputs-off` can have moved a line of a guard that was killed. */
const RESTART_SECONDS = 90;
/** Where the technician's page listens, in the machine. */
const PAGE_PORT = 8443;
/** Of the guard: in the shipped unit, and here. */
export const [SHIPPED_GUARD_S, PATIENT_GUARD_S] = [2, 60];
const WATCHDOG_SECONDS = {
  'relaygate-guard': PATIENT_GUARD_S,
  'relaygate-agent': 300,
  'relaygate-setup': 0,
  'relaygate-status': 0,
};

export interface PiOptions {
  /** As on Raspberry Pi OS: lines of a process that has died stay as they were. */
  keepsOutputs?: boolean;
}

export class EmulatedPi {
  readonly pins: Pins;
  readonly shell: SerialShell;
  /** Of this machine: leads to the technician's page. */
  readonly pagePort: number;
  /** Resolves when it has reset itself, or was cut off. */
  readonly ended: Promise<void>;
  readonly #monitor: Monitor;
  readonly #cutOff: () => Promise<void>;

  /** Power comes. Resolves at once: the firmware would be at work. */
  static async switchOn(card: Card, options: PiOptions = {}): Promise<EmulatedPi> {
    const { kernel, initrd, deviceTree, line } = card.bootFiles();
    const pagePort = await freePort();
    const folder = mkdtempSync(join(tmpdir(), 'rg-pi-'));
    const socket = join(folder, 'monitor.sock');
    const child = spawn(
      'setpriv',
      [
        // However this process ends, also by SIGKILL, the machine ends with it.
        ...['--pdeathsig', 'KILL', 'qemu-system-aarch64', '-M', 'raspi3b', '-accel', 'tcg,thread=single'],
        ...['-dtb', deviceTree, '-kernel', kernel, '-initrd', initrd, '-append', `${line} ${testArguments(options)}`],
        ...['-drive', `file=${card.file},if=sd,format=raw,cache=writethrough`, '-display', 'none'],
        ...['-serial', 'null', '-serial', 'stdio', '-qmp', `unix:${socket},server=on,wait=off`],
        ...['-netdev', `user,id=net,hostfwd=tcp:127.0.0.1:${pagePort}-:${PAGE_PORT}`],
        // A machine that resets itself ends: whoever starts it again decides how.
        ...['-device', 'usb-net,netdev=net', '-no-reboot'],
      ],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    );
    const killAtExit = (): void => void child.kill('SIGKILL');
    process.once('exit', killAtExit);
    const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
    const cutOff = async (): Promise<void> => {
      child.kill('SIGKILL');
      await ended;
      process.off('exit', killAtExit);
      rmSync(folder, { recursive: true, force: true });
    };
    try {
      const monitor = await connected(socket);
      return new EmulatedPi(monitor, new SerialShell(child), pagePort, ended, cutOff);
    } catch (error) {
      await cutOff();
      throw error;
    }
  }

  private constructor(
    monitor: Monitor,
    shell: SerialShell,
    pagePort: number,
    ended: Promise<void>,
    cutOff: () => Promise<void>,
  ) {
    this.#monitor = monitor;
    this.pins = new Pins(monitor);
    this.shell = shell;
    this.pagePort = pagePort;
    this.ended = ended;
    this.#cutOff = cutOff;
  }

  /** Waits for as long as the machine does something: reads its card, writes it, or says something. */
  until(done: () => boolean | Promise<boolean>, what: string): Promise<void> {
    return untilOrStalled(done, () => this.#sign(), what);
  }

  untilShell(): Promise<void> {
    return this.until(() => this.shell.knock(), 'a shell');
  }

  async #sign(): Promise<string> {
    const order = { 'command-line': 'info blockstats' };
    // One that has just reset itself has no answer.
    const card = await this.#monitor.execute('human-monitor-command', order).catch(() => '');
    return card + this.shell.lastText;
  }

  /** As when somebody pulls the plug. */
  cutOff(): Promise<void> {
    return this.#cutOff();
  }
}

async function connected(socket: string): Promise<Monitor> {
  let monitor: Monitor | undefined;
  await eventually(async () => {
    monitor = await Monitor.connect(socket).catch(() => undefined);
    return monitor !== undefined;
  }, MONITOR_MS);
  if (monitor === undefined) throw new Error('QEMU has no monitor');
  return monitor;
}

/** What a test adds to the card's own line: a shell to look around in, a network card, and patience with a slow machine. */
function testArguments({ keepsOutputs = false }: PiOptions): string {
  const patience = Object.entries(WATCHDOG_SECONDS).map(([unit, seconds]) => {
    const restart = keepsOutputs && unit === 'relaygate-guard' ? `RestartSec=${RESTART_SECONDS}\n` : '';
    return credential(`systemd.unit-dropin.${unit}.service`, `${PATIENT_UNIT}${seconds}\n${restart}`);
  });
  // Named after the 50-device-timeout that systemd makes of fstab: the last one holds.
  const partitions = ['relaygate\\x2ddata', 'RELAYGATE'].map((label) =>
    credential(
      `systemd.unit-dropin.dev-disk-by\\x2dlabel-${label}.device~60-patience`,
      '[Unit]\nJobRunningTimeoutSec=600\n',
    ),
  );
  return [
    'systemd.debug_shell=ttyS1',
    // QEMU gives each processor turns of 100 ms: with one for all programs, Linux decides who goes first.
    'isolcpus=1-3',
    // QEMU's watchdog of this machine has no clock: whoever starts it resets the machine at once.
    'systemd.watchdog_sec=0',
    'systemd.watchdog_device=/dev/none',
    ...(keepsOutputs ? ['pinctrl_bcm2835.persist_gpio_outputs=1'] : []),
    'systemd.default_timeout_start_sec=600',
    // QEMU's network card has the number of Linux's own USB gadget: a driver that is not for it takes it, and no packet
    // ever goes through; and systemd has NetworkManager ask for no address on a cable between two machines.
    'modprobe.blacklist=cdc_subset',
    credential('udev.rules.90-relaygate-test', 'SUBSYSTEM=="net", ENV{ID_NET_AUTO_LINK_LOCAL_ONLY}="0"\n'),
    ...patience,
    ...partitions,
  ].join(' ');
}

function credential(name: string, text: string): string {
  return `systemd.set_credential_binary=${name}:${Buffer.from(text).toString('base64')}`;
}
