import { type Cancel, EXECUTION_DEADLINE_MS, RESPONSE_DEADLINE_MS, STORAGE_WRITE_TIMEOUT_MS } from '@relaygate/shared';
import type { CommandSlot, SlotEvent } from './command-slot';
import type { AskedCommand } from './command-store';
import type { CommandAnswer, CommandOrder } from './order';

/** A command from its acceptance to its answer. */
export interface Flight {
  readonly commandId: string;
  readonly order: CommandOrder;
  /** t0, on the monotonic clock. */
  readonly startMs: number;
  /** As the node's lease had it before the record was written. */
  readonly safeUntilMs: number;
  readonly answer: (answer: CommandAnswer) => void;
  cancelLimit: Cancel;
  slot: CommandSlot;
  /** The boot of the device that the durable record names: the command may be sent to no other. */
  bootId: string | null;
  /** The boot of the device whose link is up now. */
  linkedBootId: string | null;
  /** Several nodes: the link was lost, so another one may have heard of the device that the command was not started, and have ended it. */
  isInDoubt: boolean;
}

export type TimeLimits = readonly (readonly [number, SlotEvent])[];

/**
 * From t0, in their order: until the record is durable (I9), the device may start (I2), the client has its answer (I6).
 * `passedMs`: since t0 when the command came here; its record has its whole time from then on.
 */
export function timeLimits(passedMs: number): TimeLimits {
  const limits: TimeLimits = [
    [Math.min(passedMs + STORAGE_WRITE_TIMEOUT_MS, RESPONSE_DEADLINE_MS), { kind: 'record-failed' }],
    [EXECUTION_DEADLINE_MS, { kind: 'execution-deadline' }],
    [RESPONSE_DEADLINE_MS, { kind: 'response-deadline' }],
  ];
  return [...limits].sort(([one], [other]) => one - other);
}
/** Of a command that begins here. */
export const TIME_LIMITS = timeLimits(0);

/** Whether the boot that is linked is the one on record, as far as its node knows. */
export function isAsRecorded({ linkedBootId, bootId, isInDoubt }: Flight): boolean {
  return linkedBootId === bootId && !isInDoubt;
}

export function askedBy({ commandId, order }: Flight): AskedCommand {
  return { commandId, numOutput: order.numOutput, action: order.action.action };
}
