import type { Clock, DeviceOutcome, DeviceReason, OutputState } from '@relaygate/shared';
import type { OutputCommand } from './output-phase';
import type { GuardConfirmation, StopCommand } from './protocol';

export interface Ordered<Command> {
  commandId: string;
  command: Command;
  /** I2: on the guard's clock; the edge starts before it or never. */
  startBeforeMs: number;
  /** The link epoch it came with; null for a command of this device itself. */
  epoch: number | null;
  /** Who gave it, for people. */
  by?: string;
}

export type OrderedCommand = Ordered<OutputCommand>;
export type OrderedStop = Ordered<StopCommand>;

export interface Answer {
  outcome: DeviceOutcome;
  reason?: DeviceReason;
  /** Executed by moving nothing: a pulse runs already. */
  ignored?: true;
}

/** A command that somebody waits for. */
export interface Job extends OrderedCommand {
  answer(answer: Answer): void;
}

export function confirmationOf(
  { commandId }: Pick<OrderedCommand, 'commandId'>,
  numOutput: number,
  state: OutputState | null,
  { outcome, reason, ignored }: Answer,
): GuardConfirmation {
  return {
    commandId,
    outcome,
    numOutput,
    ...(reason === undefined ? {} : { reason }),
    ...(state === null ? {} : { state }),
    ...(ignored ? { ignored } : {}),
  };
}

/** Why a command does not begin. */
export interface Objection {
  outcome: 'expired' | 'refused';
  reason?: DeviceReason;
}
export const EXPIRED: Objection = { outcome: 'expired' };
export const BUSY: Objection = { outcome: 'refused', reason: 'busy' };
export const JOURNAL_FAILED: Objection = { outcome: 'refused', reason: 'journal-failed' };
export const STOPPING: Objection = { outcome: 'refused', reason: 'guard-stopping' };
const SUPERSEDED: Objection = { outcome: 'refused', reason: 'superseded' };
/** A technician works at the output, or at one that its interlock would switch off. */
export const LOCKED: Objection = { outcome: 'refused', reason: 'locked' };
/** A later command that switches off was quicker: nothing goes on after it. */
export const OVERTAKEN: Objection = { outcome: 'refused', reason: 'overtaken' };
/** Somebody at the device has ended the output's pulse, and what waited behind it. */
export const STOPPED: Objection = { outcome: 'refused', reason: 'stopped' };
/** The pulse that runs is not the one to be ended. */
export const OTHER_PULSE: Objection = { outcome: 'refused', reason: 'other-pulse' };
/** This output was not switched, but another one of its interlock went off for it. */
export const INTERLOCK_BROKEN: Objection = { outcome: 'refused', reason: 'interlock-broken' };

export function switchesOff({ command }: Ordered<OutputCommand | StopCommand>): boolean {
  return command.action === 'set' && command.state === 0;
}

/** What forbids a remote command, however early it comes: a newer link has taken over (I12), or its output is locked. */
export function banOf(
  { epoch }: Pick<OrderedCommand, 'epoch'>,
  { isSuperseded, lockedUntilMs }: Judges,
  numOutput: number,
) {
  if (epoch === null) return null;
  if (isSuperseded(epoch)) return SUPERSEDED;
  return lockedUntilMs(numOutput) === null ? null : LOCKED;
}

/** I2: asked again right before the edge. */
export function objectionTo(
  command: Pick<OrderedCommand, 'epoch' | 'startBeforeMs'>,
  judges: Judges,
  numOutput: number,
): Objection | null {
  const late = judges.clock.nowMs() < command.startBeforeMs ? null : EXPIRED;
  return banOf(command, judges, numOutput) ?? late;
}

/** `clock`: the guard's. */
export interface Judges {
  clock: Pick<Clock, 'nowMs'>;
  isSuperseded(epoch: number): boolean;
  /** Until when a technician has locked the output; null: not locked. */
  lockedUntilMs(numOutput: number): number | null;
}
