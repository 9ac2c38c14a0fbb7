/** What a check may use: ports, so that every machine can be played. */
import type { Clock } from '@relaygate/shared';
import type { DeviceSettings, Level, LinkSettings } from '@relaygate/shared/device';
import type { DeviceStatus } from '../agent/technician/local-messages/device';
import type { FindingName } from '../locales/findings';
import type { GpioKernel } from '../relay/gpio-kernel';
import type { Cause } from '../runtime/cause';
import type { Folders } from '../runtime/folders';
import type { DeviceClock } from '../runtime/wall-time';
import { type CheckResult, warn } from './finding';

export interface Rights {
  /** The permission bits. */
  mode: number;
  uid: number;
}

export interface Space {
  freeBytes: number;
  freeFiles: number;
}

/** One round trip to the server over the way that the link takes. */
export interface ServerReading {
  /** From the request to its answer, on an open connection. */
  roundTripMs: number;
  /** null: no TLS. */
  certificateEndsMs: number | null;
  /** What the server's clock showed, to the second; null: it does not say. */
  serverEpochMs: number | null;
  /** This machine's clock in the middle of the round trip. */
  ownEpochMs: number;
}

export interface Openers {
  openers: { pid: number; commandLine: string }[];
  /** False: this user may not look at every process, so there may be more. */
  isWhole: boolean;
}

/** A line to try a process's death on. */
export interface SpareLine {
  level(): Level;
  /** Has a process of its own drive it, and ends that by SIGKILL. */
  holdAndKill(level: Level): Promise<void>;
  /** An input that nobody has. */
  giveBack(): void;
}

/** The machine as it is. Nothing of it moves a line but `holdAndKill`. */
export interface Machine {
  kernelRelease: string;
  /** null: no such file. Throws the system's error. */
  textOf(path: string): string | null;
  /** Empty where there is no such folder. Throws the system's error. */
  namesIn(folder: string): string[];
  /** null: not there. Throws the system's error. */
  rightsOf(path: string): Rights | null;
  isUsable(path: string): boolean;
  /** Throws the system's error. */
  spaceOf(folder: string): Space;
  /** What it prints; null: it is not there, or fails. */
  run(command: string, args: readonly string[]): Promise<string | null>;
  /** Rejects with the system's error. */
  addressesOf(host: string): Promise<string[]>;
  /** Rejects with the system's or TLS's error. */
  askServer(link: LinkSettings): Promise<ServerReading>;
  /** Throws where it cannot be loaded. */
  gpioKernel(): GpioKernel;
  /** Where a link leads; the path itself where it is none. */
  realPathOf(path: string): string;
  /** The processes that have the file open. */
  openersOf(path: string): Openers;
  /** Throws where somebody has the line, or nobody can. */
  sysfsLine(label: string, offset: number): SpareLine;
  /** Has a process of its own drive the line of the chip with that label, and ends it by SIGKILL. */
  holdAndKill(label: string, offset: number, level: Level): Promise<void>;
}

export interface CheckContext {
  machine: Machine;
  clock: Clock;
  wallClock: DeviceClock;
  folders: Folders;
  /** null: settings.json cannot be used, and a finding of its own says why. */
  settings: DeviceSettings | null;
  settingsProblem: Cause;
  /** They may be well: it is this user who may not read them. */
  areSettingsHidden: boolean;
  /** Of the running agent; null: it does not answer. */
  status: DeviceStatus | null;
  statusProblem: Cause;
  /** The spare line to try a process's death on. */
  testLine: number | null;
}

/** Checks one thing. A check that rejects counts as a warning that says so. */
export type Check = (context: CheckContext) => Promise<CheckResult> | CheckResult;

/** Of a check that needs them. */
export function withoutSettings(
  name: FindingName,
  { areSettingsHidden, settingsProblem: problem }: CheckContext,
): CheckResult {
  return areSettingsHidden ? warn(name, 'not-seen', { problem }) : warn(name, 'no-settings', {});
}

export const MODEL = '/proc/device-tree/model';

export function isRaspberryPi({ machine }: CheckContext): boolean {
  return (machine.textOf(MODEL) ?? '').includes('Raspberry Pi');
}
