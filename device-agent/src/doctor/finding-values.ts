/** All that the doctor can find, as a word for programs, with what its sentences are made of. */
import type { Level } from '@relaygate/shared/device';
import type { LinkProblem } from '../agent/link/link-problem';
import type { InputStatus } from '../agent/technician/local-messages/device';
import type { FirmwareClosing } from '../provisioning/boards/boot-config';
import type { LateOff } from '../relay/off-time';
import type { Cause } from '../runtime/cause';

export interface FindingValues extends AnyValues, DeviceValues, BoardValues, InputValues, ServerValues, MachineValues {}
export type FindingCode = keyof FindingValues;

type Nothing = Record<never, never>;
type Problem = { problem: Cause };

/** Of every check. */
interface AnyValues {
  'no-settings': Nothing;
  'no-answer': { seconds: number };
  'not-looked-at': Problem;
  'not-seen': Problem;
}

/** Settings, programs, enrolment, and who may read and write what. */
export interface DeviceValues {
  'settings-unusable': Problem;
  'settings-well': { outputs: number; kind: string; product: string };
  'agent-away': Problem;
  'agent-not-seen': { socket: string };
  'guard-away': Problem;
  'programs-run': { version: string };
  'faults-unknown': Nothing;
  'no-faults': Nothing;
  /** Sentences, in the language that the doctor was asked in. */
  faults: { texts: readonly string[] };
  linked: { epoch: number | null };
  'no-key': Nothing;
  'not-linked': { hasCode: boolean };
  'not-enrolled': { problem: string | null; hasCode: boolean };
  'never-proven': { isRequired: boolean };
  proven: { by: string; at: string | null };
  'proof-unreadable': Problem;
  'no-console': Nothing;
  'console-missing': { port: string; kind: 'gadget' | 'header' | 'adapter' };
  'console-login': { port: string; login: string; tty: string; isBootConsole: boolean };
  'console-opened': { port: string; openers: readonly { pid: number; commandLine: string }[] };
  'console-of-kernel': { port: string; tty: string };
  'console-closed': { port: string };
  'console-half-seen': { port: string; what: 'login' | 'openers' };
  'console-well': { port: string };
  'data-missing': { folder: string };
  'secrets-open': { paths: readonly string[] };
  'secrets-foreign': { folder: string; paths: readonly string[] };
  'no-secrets': Nothing;
  'secrets-closed': Nothing;
  'access-open': { paths: readonly string[] };
  'access-closed': Nothing;
}

type Chip = { label: string; path: string };

/** The kernel's GPIO, the board, its relays at power-on and after a death. */
export interface BoardValues {
  'kernel-well': { release: string };
  'kernel-old': { release: string; least: string; isNeeded: boolean };
  'gpio-not-needed': { kind: 'simulated' | 'serial' };
  'gpio-chips': { paths: readonly string[] };
  'no-gpio-chip': Nothing;
  'gpio-chips-closed': { paths: readonly string[] };
  sysfs: { folder: string };
  'no-sysfs': { folder: string };
  'sysfs-closed': { file: string };
  'board-unusable': Problem;
  'board-simulated': Nothing;
  'board-on-sysfs': { lines: readonly number[] };
  'lines-of-others': Chip & { holders: readonly { line: number; by: string }[] };
  'lines-held': Chip & { count: number };
  'lines-free': Chip & { count: number };
  'lines-partly-held': Chip & { own: number; count: number };
  'no-port': { port: string };
  'port-closed': { port: string };
  'port-there': { port: string };
  'off-late': LateOff;
  'power-on-simulated': Nothing;
  'power-on-serial': Nothing;
  'power-on-unknown': Nothing;
  'power-on-well': Nothing;
  'power-on-closed': { file: string; closings: readonly FirmwareClosing[] };
  'power-on-risky': { lines: readonly number[]; cures: readonly PowerOnCure[] };
  'death-untested': Nothing;
  'death-no-lines': Nothing;
  'death-own-line': { line: number };
  'death-tested': { line: number; way: string; before: Level; driven: Level; after: Level };
}

export interface PowerOnCure {
  /** null: no resistor can hold it, another line must be used. */
  resistor: { ohms: string; bcm: number; pin: number; rail: string } | null;
  /** null: none drives it. */
  configLine: string | null;
}

type Inputs = { inputs: readonly InputStatus[] };

/** The inputs that mean something. */
export interface InputValues {
  'inputs-unknown': Nothing;
  'no-inputs': Nothing;
  'inputs-read': Inputs;
  /** `contacts`: have never changed. */
  'inputs-unmoved': Inputs & { contacts: readonly InputStatus[] };
  /** `texts`: faults, in the language that the doctor was asked in; `pressed`: since the start. */
  'inputs-ill': Inputs & { texts: readonly string[]; pressed: readonly InputStatus[] };
}

/** The way to the server, and the clock. */
export interface ServerValues {
  'name-known': { host: string; addresses: readonly string[] };
  'name-unknown': { host: string } & Problem;
  'server-answers': { url: string; roundTripMs: number };
  'server-slow': { url: string; roundTripMs: number };
  'server-away': { url: string; problem: LinkProblem; serverCaFile: string | null };
  'certificate-not-seen': Nothing;
  'no-certificate': Nothing;
  'certificate-well': { ends: string; days: number };
  'certificate-ends': { ends: string; days: number };
  'clock-never-set': { now: string };
  'clock-alone': { now: string };
  'clock-in-step': { now: string };
  'clock-ahead': { now: string; seconds: number };
  'clock-behind': { now: string; seconds: number };
  'time-service-silent': Nothing;
  'time-kept': Nothing;
  'time-not-kept': Nothing;
}

/** `path`: where it is mounted; null: not known. */
type Space = { freeMib: number; path: string | null };

/** The disk, the card, supply and watchdog. */
export interface MachineValues {
  'disk-read-only': { path: string };
  'disk-full': Space;
  'disk-nearly-full': Space;
  'disk-well': Space;
  'ext4-errors': { disks: readonly string[] };
  'kernel-log-not-seen': Nothing;
  'no-file-system-errors': Nothing;
  'kernel-log-errors': { count: number; last: string };
  'card-silent': Nothing;
  'card-used-up': { percent: number };
  'card-old': { percent: number };
  'card-well': { percent: number };
  'supply-not-watched': Nothing;
  'under-voltage': Nothing;
  'under-voltage-before': Nothing;
  'supply-silent': Nothing;
  'supply-not-told': Nothing;
  'supply-not-measured': Nothing;
  'supply-well': Nothing;
  'supply-well-now': Nothing;
  'watchdog-fed': { period: string };
  'watchdog-not-fed': Nothing;
  'watchdog-not-seen': Nothing;
  'no-watchdog': Nothing;
  'no-watchdog-known': Nothing;
}
