/** What a check may use, as ports, so that tests can play any machine. */
import type { Clock } from '@relaygate/shared';
import type { DeviceSettings, Level, LinkSettings } from '@relaygate/shared/device';
import type { DeviceStatus } from '../agent/technician/local-messages/device';
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

/** One round trip to the server, connected as the link is. */
export interface ServerReading {
  /** The time from request to answer, on an open connection. */
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

/** A line on which a process's death is tried. */
export interface TestLine {
  level(): Level;
  /** Has a process of its own drive it, and kills that process by SIGKILL. */
  holdAndKill(level: Level): Promise<void>;
  /** Makes it an input that nobody holds. */
  giveBack(): void;
}

/** The machine as it is. Only `holdAndKill` moves a line. */
export interface Machine {
  kernelRelease: string;
  /** Reads a file; null: there is none. Throws the system's error. */
  textOf(path: string): string | null;
  /** The names in a folder; empty if there is none. Throws the system's error. */
  namesIn(folder: string): string[];
  /** null: not there. Throws the system's error. */
  rightsOf(path: string): Rights | null;
  isUsable(path: string): boolean;
  /** Throws the system's error. */
  spaceOf(folder: string): Space;
  /** Runs a program and resolves with what it prints; null: it is not there, or fails. */
  run(command: string, args: readonly string[]): Promise<string | null>;
  /** Rejects with the system's error. */
  addressesOf(host: string): Promise<string[]>;
  /** Rejects with the system's or TLS's error. */
  askServer(link: LinkSettings): Promise<ServerReading>;
  /** Throws if it cannot be loaded. */
  gpioKernel(): GpioKernel;
  /** The target of a link; the path itself if it is no link. */
  realPathOf(path: string): string;
  /** The processes that have the file open. */
  openersOf(path: string): Openers;
  /** Throws if somebody has the line, or nobody can have it. */
  sysfsLine(label: string, offset: number): TestLine;
  /** Has a process of its own drive the line of the chip with that label, and kills it by SIGKILL. */
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
  /** True: this user may not read them; they may be right. */
  areSettingsHidden: boolean;
  /** The status of the running agent; null: it does not answer. */
  status: DeviceStatus | null;
  statusProblem: Cause;
  /** The line on which a process's death is tried. */
  testLine: number | null;
}

/** Checks one thing. A check that rejects counts as a warning that says so. */
export type Check = (context: CheckContext) => Promise<CheckResult> | CheckResult;

/** A check that needs the settings. */
export function withSettings(
  check: (context: CheckContext, settings: DeviceSettings) => Promise<CheckResult> | CheckResult,
): Check {
  return (context) => {
    const { settings, areSettingsHidden, settingsProblem: problem } = context;
    if (settings) return check(context, settings);
    return areSettingsHidden ? warn('not-seen', { problem }) : warn('no-settings', {});
  };
}

export const MODEL = '/proc/device-tree/model';

export function isRaspberryPi({ machine }: CheckContext): boolean {
  return (machine.textOf(MODEL) ?? '').includes('Raspberry Pi');
}
