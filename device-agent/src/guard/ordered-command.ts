import type { Clock, CommandConfirmation, DeviceOutcome, DeviceReason, OutputState } from '@relaygate/shared';
import type { OutputCommand } from './output-phase';

export interface OrderedCommand {
  commandId: string;
  command: OutputCommand;
  /** I2: on the guard's clock; the edge starts before it or never. */
  startBeforeMs: number;
  /** The link epoch it came with; null for a command of this device itself. */
  epoch: number | null;
}

export interface Answer {
  outcome: DeviceOutcome;
  reason?: DeviceReason;
}

/** A command that somebody waits for. */
export interface Job extends OrderedCommand {
  answer(answer: Answer): void;
}

export function confirmationOf(
  { commandId }: OrderedCommand,
  numOutput: number,
  state: OutputState | null,
  { outcome, reason }: Answer,
): CommandConfirmation {
  return {
    commandId,
    outcome,
    numOutput,
    ...(reason === undefined ? {} : { reason }),
    ...(state === null ? {} : { state }),
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
export const SUPERSEDED: Objection = { outcome: 'refused', reason: 'superseded' };
/** A later command that switches off was quicker: nothing goes on after it. */
export const OVERTAKEN: Objection = { outcome: 'refused', reason: 'overtaken' };
/** This output was not switched, but another one of its interlock went off for it. */
export const INTERLOCK_BROKEN: Objection = { outcome: 'refused', reason: 'interlock-broken' };

export function switchesOff({ command }: OrderedCommand): boolean {
  return command.action === 'set' && command.state === 0;
}

/** I12: a newer link has taken over since the command was given. */
export function isSuperseded({ epoch }: OrderedCommand, isOld: (epoch: number) => boolean): boolean {
  return epoch !== null && isOld(epoch);
}

/** I2: asked again right before the edge. */
export function objectionTo(command: OrderedCommand, { clock, isSuperseded: isOld }: Judges): Objection | null {
  if (isSuperseded(command, isOld)) return SUPERSEDED;
  return clock.nowMs() < command.startBeforeMs ? null : EXPIRED;
}

/** `clock`: the guard's. */
interface Judges {
  clock: Pick<Clock, 'nowMs'>;
  isSuperseded(epoch: number): boolean;
}
