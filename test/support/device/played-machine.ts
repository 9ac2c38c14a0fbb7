import type { Finding } from '@relaygate/device-agent/agent/technician/local-messages/doctor';
import type { CheckContext, Machine, Rights, ServerReading } from '@relaygate/device-agent/doctor/check-context';
import { examine } from '@relaygate/device-agent/doctor/doctor';
import { reported } from '@relaygate/device-agent/doctor/finding';
import { GpioLines } from '@relaygate/device-agent/relay/gpio-lines';
import { foldersOf } from '@relaygate/device-agent/runtime/folders';
import type { ConsoleLanguage, DeviceSettings, Level } from '@relaygate/shared/device';
import { VirtualClock } from '../time/virtual-clock';
import { NO_SERVER, outputsWith } from './device';
import { FakeGpioKernel } from './fake-gpio-kernel';

export const NOW_MS = Date.UTC(2026, 5, 1);
const HEADER = { path: '/dev/gpiochip0', label: 'pinctrl-bcm2835' };
const WELL_SEEN: ServerReading = {
  roundTripMs: 20,
  certificateEndsMs: NOW_MS + 90 * 86_400_000,
  serverEpochMs: NOW_MS,
  ownEpochMs: NOW_MS + 300,
};

/** A machine in memory for the doctor: at first a healthy Raspberry Pi with a relay board, whose agent is linked. */
export class PlayedMachine {
  readonly clock = new VirtualClock();
  readonly texts = new Map<string, string>([
    ['/proc/device-tree/model', 'Raspberry Pi 4 Model B Rev 1.4\0'],
    ['/proc/mounts', '/dev/root / ext4 rw,noatime 0 0\n'],
    ['/sys/devices/platform/soc/soc:firmware/get_throttled', '0\n'],
    ['/sys/fs/ext4/mmcblk0p2/errors_count', '0\n'],
    ['/data/proof.json', '{"by":"Ada","provenAt":"2026-05-01T10:00:00.000Z"}'],
  ]);
  readonly printed = new Map<string, string>([
    ['timedatectl', 'yes\n'],
    ['dmesg', '[ 0.0] Booting Linux\n'],
    ['systemctl', '15s\n'],
  ]);
  readonly rights = new Map<string, Rights>([
    ['/data', { mode: 0o750, uid: 900 }],
    ['/data/identity.json', { mode: 0o600, uid: 900 }],
    ['/data/settings.json', { mode: 0o640, uid: 900 }],
    ['/run/rg/agent.sock', { mode: 0o660, uid: 900 }],
    ['/run/rg/guard.sock', { mode: 0o660, uid: 901 }],
  ]);
  readonly links = new Map<string, string>();
  openers: { pid: number; commandLine: string }[] = [];
  /** Whether this user may look at every process. */
  seesAllProcesses = true;
  /** Of the spare line behind /sys. */
  sysfsLevel: Level = 'low';
  readonly unusable = new Set<string>();
  kernelRelease = '6.6.31+rpt-rpi-v8';
  space = { freeBytes: 5e9, freeFiles: 1e6 };
  server: () => Promise<ServerReading> = async () => WELL_SEEN;
  epochMs = NOW_MS;
  settings: DeviceSettings | null = {
    board: { kind: 'gpio', lines: [26, 20, 21, 16] },
    outputs: outputsWith({}),
    link: { ...NO_SERVER, serverUrl: 'wss://gate.example.com' },
  };
  status: CheckContext['status'] = {
    nowMs: 0,
    productLogin: 'gate-1',
    agentVersion: '0.1.0',
    link: { isUp: true, serverUrl: 'wss://gate.example.com', epoch: 3, problem: null, cause: null },
    guard: { isReachable: true, problem: null },
    outputs: [],
    lastCommands: [],
    faults: [],
    webLeftMs: null,
  };
  isClockSet = true;
  testLine: number | null = 5;
  areSettingsHidden = false;
  readonly kernel: FakeGpioKernel;

  constructor(keepsOutputs = false) {
    const pulls = Array.from({ length: 54 }, (_, n) => (n <= 8 ? ('high' as const) : ('low' as const)));
    this.kernel = new FakeGpioKernel({
      chips: [{ ...HEADER, pulls }],
      nowMs: () => this.clock.nowMs(),
      keepsOutputs,
    });
    for (const offset of [26, 20, 21, 16]) this.kernel.hold(HEADER.label, offset, 'relaygate');
  }

  context(): CheckContext {
    return {
      machine: this.#machine(),
      clock: this.clock,
      wallClock: { epochMs: () => this.epochMs, isSet: () => this.isClockSet },
      folders: foldersOf({ data: '/data', run: '/run/rg' }),
      settings: this.settings,
      settingsProblem: this.settings ? '' : '/data/settings.json is missing',
      areSettingsHidden: this.areSettingsHidden,
      status: this.status,
      statusProblem: this.status ? '' : 'The agent does not run.',
      testLine: this.testLine,
    };
  }

  #machine(): Machine {
    const files = [...this.texts.keys()];
    return {
      kernelRelease: this.kernelRelease,
      textOf: (path) => this.texts.get(path) ?? null,
      namesIn: (folder) =>
        folder === '/dev'
          ? ['gpiochip0', 'watchdog']
          : [
              ...new Set(
                files.flatMap((path) => (path.startsWith(`${folder}/`) ? [path.slice(folder.length + 1)] : [])),
              ),
            ]
              .map((rest) => rest.split('/')[0] ?? '')
              .filter((name, n, all) => all.indexOf(name) === n),
      rightsOf: (path) => this.rights.get(path) ?? null,
      isUsable: (path) => !this.unusable.has(path),
      spaceOf: () => this.space,
      run: async (command, args) => this.printed.get([command, ...args].join(' ')) ?? this.printed.get(command) ?? null,
      realPathOf: (path) => this.links.get(path) ?? path,
      openersOf: () => ({ openers: this.openers, isWhole: this.seesAllProcesses }),
      addressesOf: async () => ['192.0.2.1'],
      askServer: () => this.server(),
      gpioKernel: () => this.kernel.newProcess().kernel,
      // A line there belongs to nobody: no death frees it.
      sysfsLine: () => ({
        level: () => this.sysfsLevel,
        holdAndKill: async (level) => {
          this.sysfsLevel = level;
        },
        giveBack: () => {
          this.sysfsLevel = 'low';
        },
      }),
      holdAndKill: async (label, offset, level) => {
        const child = this.kernel.newProcess();
        GpioLines.request({ kernel: child.kernel, chip: label, offsets: [offset] }).drive(0, level);
        child.kill();
      },
    };
  }
}

/** What the doctor finds there, by the names of the findings in English. */
export async function findingsOf(
  machine: PlayedMachine,
  language: ConsoleLanguage = 'en',
): Promise<Map<string, Finding>> {
  const seen = await examine(machine.context(), () => {});
  return new Map(seen.map((finding) => [finding.name, reported(finding, language)]));
}
