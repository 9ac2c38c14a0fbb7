/** Guard and agent in an emulated machine, linked to a server on this one. */
import type { BoardSettings, OutputSettings } from '@relaygate/shared/device';
import { monotonicNowMs } from '@relaygate/shared/system';
import type { ModbusBus } from '../../support/device/serial/modbus-bus';
import type { Window } from '../../support/time/stall-record';
import { machine } from '../../support/time/timed';
import type { VmImage } from '../image/vm-image';
import { Companion } from './companion';
import { LineTrace } from './line-trace';
import type { MachineKind } from './machine-kinds';
import { Pins } from './pins';
import { boot, type Machine } from './qemu';
import type { Ran, Shell } from './shell';
import { UsbAdapter } from './usb-adapter';

const PROGRAMS = '/opt/relaygate/device-agent/bin';
const DATA = '/var/lib/relaygate';
const RUN = '/run/rg';
const CA_FILE = '/etc/relaygate-ca.pem';
const BOOT_ID = '/run/boot-id';
/** In steps of 200 ms. A program under emulation takes seconds to start, on a busy machine ten times as many. */
const READY_STEPS = 700;
const LINK_MS = 3 * 60_000;
const CLOCK_READINGS = 5;
/** Of the emulated machine's clock. */
const TICK_MS = 10;

export type ProgramName = 'relaygate-guard' | 'relaygate-agent';
export interface DeviceBoot {
  kernelArguments?: readonly string[];
  outputs: number;
  prepare?: string;
}
export interface DeviceSetup {
  board: BoardSettings;
  outputs: readonly OutputSettings[];
}

export class EmulatedDevice {
  /** Of a Raspberry Pi. */
  readonly pins: Pins;
  readonly trace: LineTrace;
  readonly companion: Companion;
  /** The label of its GPIO chip. */
  readonly chip: string;
  readonly #machine: Machine;
  /** How much this machine's clock is ahead of the emulated one's. */
  #behindHost = { leastMs: 0, mostMs: Number.POSITIVE_INFINITY };

  /** `prepare`: a script that makes the GPIO chip ready, for a machine that has none by itself. */
  static async boot(
    kind: MachineKind,
    image: VmImage,
    { kernelArguments = [], outputs, prepare = '' }: DeviceBoot,
  ): Promise<EmulatedDevice> {
    const booted = await boot(kind, image, kernelArguments);
    try {
      await booted.shell.run(prepare);
      const trace = await LineTrace.open(booted.shell, kind);
      const device = new EmulatedDevice(kind, booted, trace, await Companion.start(outputs));
      await device.#compareClocks();
      return device;
    } catch (error) {
      await booted.stop();
      throw error;
    }
  }

  private constructor({ chip }: MachineKind, booted: Machine, trace: LineTrace, companion: Companion) {
    this.chip = chip;
    this.#machine = booted;
    this.trace = trace;
    this.companion = companion;
    this.pins = new Pins(booted.monitor);
  }

  /** Reads both clocks together; the quickest of a few readings is the most precise. */
  async #compareClocks(): Promise<void> {
    machine.watch(this.#machine.pid);
    for (let n = 0; n < CLOCK_READINGS; n += 1) {
      const beforeMs = monotonicNowMs();
      const insideMs = await this.nowMs();
      const behind = { leastMs: beforeMs - insideMs - TICK_MS, mostMs: monotonicNowMs() - insideMs };
      const known = this.#behindHost;
      if (behind.mostMs - behind.leastMs < known.mostMs - known.leastMs) this.#behindHost = behind;
    }
  }

  get shell(): Shell {
    return this.#machine.shell;
  }

  /** Of a PC: a serial adapter for these boards, not plugged in yet. */
  adapterOf(bus: ModbusBus): Promise<UsbAdapter> {
    return UsbAdapter.wire(this.#machine, bus);
  }

  /** On its CLOCK_MONOTONIC, to 10 ms. */
  async nowMs(): Promise<number> {
    return Number(await this.shell.run('read -r up _ < /proc/uptime; echo $up')) * 1000;
  }

  /** What this machine took from the emulated one within a window of the emulated one's clock, in ms. */
  lostMs({ fromMs, toMs }: Window): number {
    const { leastMs, mostMs } = this.#behindHost;
    return machine.lostMs({ fromMs: fromMs + leastMs, toMs: toMs + mostMs }, [this.#machine.pid]);
  }

  /** The same of this machine's own clock. */
  lostOutsideMs(window: Window): number {
    return machine.lostMs(window, [this.#machine.pid]);
  }

  get pid(): number {
    return this.#machine.pid;
  }

  get bootMs(): number {
    return this.#machine.bootMs;
  }

  async stop(): Promise<void> {
    await this.#machine.stop();
    await this.companion.stop();
  }

  /** Writes the settings and forgets the outputs' states, as after an installation. */
  async setUp({ board, outputs }: DeviceSetup): Promise<void> {
    const link = { ...this.companion.link, serverCaFile: CA_FILE };
    await this.shell.write(`${DATA}/settings.json`, JSON.stringify({ board, outputs, link }));
    // A Pi has no clock of its own, and the server's certificate is not valid before it was made.
    await this.shell.run(`date -s @${Math.ceil(Date.now() / 1000)} > /dev/null`);
    await this.shell.write(CA_FILE, this.companion.certificate);
    await this.shell.run(`rm -f ${DATA}/state.json`);
    await this.newBoot();
    const { code } = await this.shell.try(`test -e ${DATA}/identity.json`);
    if (code !== 0) {
      await this.shell.write(`${DATA}/enrolment-code`, `${this.companion.enrolmentCode}\n`);
      await this.shell.run(`chmod 600 ${DATA}/enrolment-code`);
    }
  }

  /** Resolves when the program says that it is ready; rejects with what it printed. `data`: another installation's. */
  async start(name: ProgramName, data = DATA): Promise<void> {
    const ran = await this.tryStart(name, data);
    if (ran.code !== 0) throw new Error(`${name} did not start: ${ran.stdout}${ran.stderr}`);
  }

  /** Exit code 0: it is ready. */
  tryStart(name: ProgramName, data = DATA): Promise<Ran> {
    return this.shell.try(startScript(name, data));
  }

  /** Resolves when both run, what ran already included, and the server sees the device. */
  async startAll(): Promise<void> {
    for (const name of ['relaygate-guard', 'relaygate-agent'] as const) {
      const { code } = await this.shell.try(`[ -e /run/${name}.pid ] && kill -0 $(cat /run/${name}.pid)`);
      if (code !== 0) await this.start(name);
    }
    await this.companion.untilConnected(LINK_MS);
  }

  /** Ends both, so that the guard has switched everything off. */
  async stopAll(): Promise<void> {
    for (const name of ['relaygate-agent', 'relaygate-guard'] as const) {
      await this.shell.run(
        `[ ! -e /run/${name}.pid ] || kill -TERM $(cat /run/${name}.pid) 2>/dev/null; ${untilGone(name)}`,
      );
    }
  }

  async kill(name: ProgramName): Promise<void> {
    await this.shell.run(killScript(name));
  }

  /** Killed and at once started again, as a supervisor does. */
  async killAndRestart(name: ProgramName): Promise<void> {
    await this.shell.run(`${killScript(name)}\n${startScript(name, DATA)}`);
  }

  /** The trace tells when the guard wakes up, from now on. */
  async traceGuard(): Promise<void> {
    await this.trace.followWakes(Number(await this.shell.read('/run/relaygate-guard.pid')));
  }

  /** How much of a processor the guard uses in these seconds, in percent. */
  async guardLoad(seconds: number): Promise<number> {
    // What it has had in user mode and in the kernel, in ticks of 10 ms (proc(5)); its name has no space.
    const ticks = await this.shell.run(`
      read -r pid < /run/relaygate-guard.pid
      set -- $(cat /proc/$pid/stat); before=$((\${14} + \${15}))
      sleep ${seconds}
      set -- $(cat /proc/$pid/stat); echo $((\${14} + \${15} - before))`);
    return Number(ticks) / seconds;
  }

  /** As after a power cut, for the next start of the guard. */
  async newBoot(): Promise<void> {
    await this.shell.run(`cat /proc/sys/kernel/random/uuid > ${BOOT_ID}`);
  }

  /** What kernel and Node the machine runs, in a line. */
  async versions(): Promise<string> {
    return (await this.shell.run('echo "Linux $(uname -r), Node $(node --version)"')).trim();
  }

  relayctl(...args: string[]): Promise<Ran> {
    return this.shell.try(`node ${PROGRAMS}/relayctl.js --run ${RUN} ${args.join(' ')}`);
  }
}

function startScript(name: ProgramName, data: string): string {
  const run = data === DATA ? RUN : `${RUN}-${data.replaceAll('/', '-')}`;
  const log = data === DATA ? `/run/${name}.log` : `/run/${name}-other.log`;
  const pidFile = log.replace('.log', '.pid');
  const bootId = `--boot-id-file ${BOOT_ID}`;
  // Nothing but the shell's own words while it waits: each other program would take the emulated processor from the one
  // that is waited for.
  return `
    mkdir -p ${run}
    : > ${log}
    setsid node ${PROGRAMS}/${name}.js --data ${data} --run ${run} ${bootId} > ${log} 2>&1 &
    pid=$!
    echo $pid > ${pidFile}
    n=0
    while :; do
      while read -r line; do case "$line" in *' ready: '*) exit 0;; esac; done < ${log}
      kill -0 $pid 2>/dev/null || { cat ${log}; exit 1; }
      n=$((n + 1)); [ $n -lt ${READY_STEPS} ] || { cat ${log}; exit 2; }
      usleep 200000
    done`;
}

const killScript = (name: ProgramName): string => `kill -KILL $(cat /run/${name}.pid)`;

const untilGone = (name: ProgramName): string =>
  `n=0; while [ -e /run/${name}.pid ] && kill -0 $(cat /run/${name}.pid) 2>/dev/null; do n=$((n + 1)); [ $n -lt 400 ] || exit 1; usleep 50000; done`;
