import type { Clock, DeviceReason, OutputState } from '@relaygate/shared';
import type { Locks } from '../locks';
import type { Answer, Refusal } from '../output-types';
import type { ExecuteRequest, GuardConfirmation, OutputCommand, QueuedCommand, StopCommand } from '../requests';

/** As it is asked for on the guard's socket, or by a button. I2: the edge starts before `startBeforeMs` or never. */
export interface Ordered<Command> extends Omit<ExecuteRequest, 'command'> {
  command: Command;
  /** True for presses of buttons only: a maintenance lock refuses them too. */
  obeysLocks?: boolean;
}

export type OrderedCommand = Ordered<QueuedCommand>;
export type OrderedStop = Ordered<StopCommand>;

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

export const EXPIRED: Refusal = { outcome: 'expired' };

export function refusalFor(reason: DeviceReason): Refusal {
  return { outcome: 'refused', reason };
}

export function switchesOff({ command }: Ordered<OutputCommand>): boolean {
  return command.action === 'set' && command.state === 0;
}

/** Why a command is refused, however early it comes: a newer link has taken over (I12), relays click, or its output is locked. */
export function standingRefusalOf(
  command: Pick<OrderedCommand, 'epoch' | 'obeysLocks'>,
  checks: AdmissionChecks,
  numOutput: number,
): Refusal | null {
  if (command.epoch !== null && checks.isSuperseded(command.epoch)) return refusalFor('superseded');
  // Somebody proves the wiring by the clicks of a relay, and would take the press for a click.
  if (command.obeysLocks !== undefined && checks.isClicking()) return refusalFor('not-proven');
  return isBarred(command, checks, numOutput) ? refusalFor('locked') : null;
}

/** Whether a lock keeps the command from this output, which is its own or would go off for it. */
export function isBarred(
  { epoch, obeysLocks = false }: Pick<OrderedCommand, 'epoch' | 'obeysLocks'>,
  { locks }: AdmissionChecks,
  numOutput: number,
): boolean {
  return epoch === null ? obeysLocks && locks.mayBeLocked(numOutput) : locks.untilMs(numOutput) !== null;
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

/** What a command is checked against before it may start. */
export interface AdmissionChecks {
  clock: Pick<Clock, 'nowMs'>;
  isSuperseded(epoch: number): boolean;
  /** Of technicians. */
  locks: Pick<Locks, 'untilMs' | 'mayBeLocked'>;
  /** A relay clicks for somebody who watches. */
  isClicking(): boolean;
}
