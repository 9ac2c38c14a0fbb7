import type { Clock, DeviceOutcome, DeviceReason, OutputState } from '@relaygate/shared';
import type { GuardConfirmation, OutputCommand, QueuedCommand, StopCommand } from '../protocol';

export interface Ordered<Command> {
  commandId: string;
  command: Command;
  /** I2: on the guard's clock; the edge starts before it or never. */
  startBeforeMs: number;
  /** The link epoch it came with; null for a command of this device itself. */
  epoch: number | null;
  /** Who gave it, for people. */
  by?: string;
  /** True for presses of buttons only: a maintenance lock refuses them too. */
  obeysLocks?: boolean;
}

export type OrderedCommand = Ordered<QueuedCommand>;
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
  answer: Answer,
): GuardConfirmation {
  return { commandId, numOutput, ...answer, ...(state === null ? {} : { state }) };
}

/** Why a command does not begin. */
export interface Refusal {
  outcome: 'expired' | 'refused';
  reason?: DeviceReason;
}
export const EXPIRED: Refusal = { outcome: 'expired' };
export const BUSY: Refusal = { outcome: 'refused', reason: 'busy' };
export const JOURNAL_FAILED: Refusal = { outcome: 'refused', reason: 'journal-failed' };
export const STOPPING: Refusal = { outcome: 'refused', reason: 'guard-stopping' };
const SUPERSEDED: Refusal = { outcome: 'refused', reason: 'superseded' };
/** A technician works at the output, or at one that its interlock would switch off. */
export const LOCKED: Refusal = { outcome: 'refused', reason: 'locked' };
/** Somebody proves the wiring by the clicks of a relay, and would take the press for a click. */
const BEING_PROVEN: Refusal = { outcome: 'refused', reason: 'not-proven' };
/** A later command that switches off was quicker: nothing goes on after it. */
export const OVERTAKEN: Refusal = { outcome: 'refused', reason: 'overtaken' };
/** Somebody at the device has ended the output's pulse, and what waited behind it. */
export const STOPPED: Refusal = { outcome: 'refused', reason: 'stopped' };
/** The pulse that runs is not the one to be ended. */
export const OTHER_PULSE: Refusal = { outcome: 'refused', reason: 'other-pulse' };
/** This output was not switched, but another one of its interlock went off for it. */
export const INTERLOCK_BROKEN: Refusal = { outcome: 'refused', reason: 'interlock-broken' };

export function switchesOff({ command }: Ordered<OutputCommand>): boolean {
  return command.action === 'set' && command.state === 0;
}

/** Why a command is refused, however early it comes: a newer link has taken over (I12), relays click, or its output is locked. */
export function standingRefusalOf(
  command: Pick<OrderedCommand, 'epoch' | 'obeysLocks'>,
  checks: AdmissionChecks,
  numOutput: number,
): Refusal | null {
  if (command.epoch !== null && checks.isSuperseded(command.epoch)) return SUPERSEDED;
  if (command.obeysLocks !== undefined && checks.isClicking()) return BEING_PROVEN;
  return isBarred(command, checks, numOutput) ? LOCKED : null;
}

/** Whether a lock keeps the command from this output, which is its own or would go off for it. */
export function isBarred(
  { epoch, obeysLocks = false }: Pick<OrderedCommand, 'epoch' | 'obeysLocks'>,
  { lockedUntilMs, mayBeLocked }: AdmissionChecks,
  numOutput: number,
): boolean {
  return epoch === null ? obeysLocks && mayBeLocked(numOutput) : lockedUntilMs(numOutput) !== null;
}

/** I2: asked again right before the edge. */
export function refusalOf(
  command: Pick<OrderedCommand, 'epoch' | 'obeysLocks' | 'startBeforeMs'>,
  checks: AdmissionChecks,
  numOutput: number,
): Refusal | null {
  const late = checks.clock.nowMs() < command.startBeforeMs ? null : EXPIRED;
  return standingRefusalOf(command, checks, numOutput) ?? late;
}

/** What a command is checked against before it may start; `clock`: the guard's, with timers that are not late. */
export interface AdmissionChecks {
  clock: Pick<Clock, 'nowMs'>;
  isSuperseded(epoch: number): boolean;
  /** Until when a technician has locked the output; null: not locked. */
  lockedUntilMs(numOutput: number): number | null;
  /** True as well while the agent, which keeps the locks, has not sent them yet. */
  mayBeLocked(numOutput: number): boolean;
  /** A relay clicks for somebody who watches. */
  isClicking(): boolean;
}
