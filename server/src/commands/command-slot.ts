/**
 * The command slot: one command in flight per product (I6), as a pure state machine. Events report what happened to the
 * command, effects say what the dispatcher must do.
 *
 * I1: `send` follows an earlier `send` only if that one certainly did not leave. I2: nothing is sent after the execution
 * deadline. I9: nothing is sent before the record is durable. Each command is answered exactly once.
 */
import type { CommandConfirmation, ErrorCode, ServerReason } from '@relaygate/shared';
import type { DeviceConfirmation } from '../devices/frame-version';
import type { ResolvedOutcome } from './command-store';

export type CommandSlot =
  /** The device is not linked: answered as soon as the record is durable. `isOnRecord`: the record says "not linked". */
  | { phase: 'unlinked'; isOnRecord: boolean }
  /** Waits until its record is durable and the link is up. */
  | { phase: 'unsent'; recorded: boolean; linked: boolean }
  /** Recorded and linked; the authorisation is checked again if it is no longer fresh (I13). */
  | { phase: 'checking'; linked: boolean }
  /** Handed to the link: from now on the answer is 200 or 504. */
  | { phase: 'sent' }
  /** Answered; the slot is free. */
  | { phase: 'done'; recorded: boolean };

export type SlotEvent =
  /** `isCleared`: the authorisation is fresh and the record names the linked boot, so no check is needed. */
  | { kind: 'recorded'; isCleared?: boolean }
  /** `answer`: what the client is told instead of the usual 500. */
  | { kind: 'record-failed'; answer?: SlotAnswer }
  /** The database has not answered: the record may be there, or come later. */
  | { kind: 'record-unanswered' }
  | { kind: 'link-up'; isCleared?: boolean }
  | { kind: 'link-lost' }
  /** The product has no device any more, so that no link can come. */
  | { kind: 'device-revoked' }
  | { kind: 'cleared' }
  /** No longer allowed, or the check failed. */
  | { kind: 'denied'; code: ErrorCode; reason: ServerReason }
  /** Certainly no byte has left. */
  | { kind: 'not-sent' }
  | { kind: 'execution-deadline' }
  | { kind: 'response-deadline' }
  | { kind: 'confirmed'; confirmation: DeviceConfirmation }
  /** The device reports that it has not started the command and never will. */
  | { kind: 'not-started' };

export type SlotAnswer =
  | { kind: 'ok' }
  | { kind: 'already-set' }
  /** `isUnrecorded`: the command has no record, so nobody can ask for its outcome. `isElsewhere`: another node owns the product. */
  | { kind: 'error'; code: ErrorCode; isUnrecorded?: true; isElsewhere?: true };

export type SlotEffect =
  | { do: 'check' }
  | { do: 'send' }
  | { do: 'answer'; answer: SlotAnswer }
  | { do: 'resolve'; outcome: ResolvedOutcome; reason: string | null; confirmation?: DeviceConfirmation };

type Step = [CommandSlot, SlotEffect[]];

const DEVICE_TIMEOUT: SlotAnswer = { kind: 'error', code: 'device-timeout' };
/** 500: the command certainly did not reach the link. */
const NOT_RECORDED: SlotAnswer = { kind: 'error', code: 'unknown', isUnrecorded: true };

const RECORDED_TOO_LATE: SlotEffect = { do: 'resolve', outcome: 'expired', reason: 'recorded-too-late' };

/** What follows from an event. An event that means nothing in this phase changes nothing. */
export function step(slot: CommandSlot, event: SlotEvent): Step {
  switch (slot.phase) {
    case 'unlinked':
      return stepUnlinked(slot, event);
    case 'unsent':
      return stepUnsent(slot, event);
    case 'checking':
      return stepChecking(slot, event);
    case 'sent':
      return stepSent(slot, event);
    case 'done':
      // The record became durable after the answer: the audit must not say `pending` for ever.
      return (event.kind === 'recorded' || event.kind === 'record-unanswered') && !slot.recorded
        ? [{ phase: 'done', recorded: true }, [RECORDED_TOO_LATE]]
        : [slot, []];
    default:
      return slot satisfies never;
  }
}

function stepUnlinked(slot: Extract<CommandSlot, { phase: 'unlinked' }>, event: SlotEvent): Step {
  switch (event.kind) {
    case 'recorded':
      if (!slot.isOnRecord) return expiredUnsent(true);
      return [{ phase: 'done', recorded: true }, [{ do: 'answer', answer: DEVICE_TIMEOUT }]];
    case 'record-failed':
    case 'record-unanswered':
      // The record, if it is there, says `pending`: its outcome must follow.
      if (!slot.isOnRecord) return stepUnsent({ phase: 'unsent', recorded: false, linked: false }, event);
      return [{ phase: 'done', recorded: true }, [{ do: 'answer', answer: refusalBy(event) }]];
    default:
      return [slot, []];
  }
}

function stepUnsent(slot: Extract<CommandSlot, { phase: 'unsent' }>, event: SlotEvent): Step {
  switch (event.kind) {
    case 'recorded':
    case 'link-up': {
      const recorded = slot.recorded || event.kind === 'recorded';
      const linked = slot.linked || event.kind === 'link-up';
      if (!recorded || !linked) return [{ phase: 'unsent', recorded, linked }, []];
      return event.isCleared
        ? [{ phase: 'sent' }, [{ do: 'send' }]]
        : [{ phase: 'checking', linked: true }, [{ do: 'check' }]];
    }
    case 'link-lost':
      return [{ ...slot, linked: false }, []];
    case 'device-revoked':
      return slot.recorded ? expiredUnsent(true) : [{ phase: 'unlinked', isOnRecord: false }, []];
    case 'record-failed':
      if (slot.recorded) return [slot, []];
      return [{ phase: 'done', recorded: false }, [{ do: 'answer', answer: refusalBy(event) }]];
    case 'record-unanswered':
      return [{ phase: 'done', recorded: true }, [{ do: 'answer', answer: NOT_RECORDED }, RECORDED_TOO_LATE]];
    case 'execution-deadline':
      return expiredUnsent(slot.recorded);
    default:
      return [slot, []];
  }
}

function stepChecking(slot: Extract<CommandSlot, { phase: 'checking' }>, event: SlotEvent): Step {
  switch (event.kind) {
    case 'cleared':
      return slot.linked
        ? [{ phase: 'sent' }, [{ do: 'send' }]]
        : [{ phase: 'unsent', recorded: true, linked: false }, []];
    case 'denied':
      return [
        { phase: 'done', recorded: true },
        [
          { do: 'answer', answer: { kind: 'error', code: event.code } },
          { do: 'resolve', outcome: 'refused', reason: event.reason },
        ],
      ];
    case 'link-up':
      return [{ ...slot, linked: true }, []];
    case 'link-lost':
      return [{ ...slot, linked: false }, []];
    case 'device-revoked':
    case 'execution-deadline':
      return expiredUnsent(true);
    default:
      return [slot, []];
  }
}

function stepSent(slot: Extract<CommandSlot, { phase: 'sent' }>, event: SlotEvent): Step {
  switch (event.kind) {
    case 'not-sent':
      return [{ phase: 'unsent', recorded: true, linked: false }, []];
    case 'confirmed':
      return answered(answerOf(event.confirmation), {
        outcome: event.confirmation.outcome,
        reason: event.confirmation.reason ?? null,
        confirmation: event.confirmation,
      });
    case 'not-started':
      return answered(DEVICE_TIMEOUT, { outcome: 'expired', reason: 'not-started' });
    case 'response-deadline':
      return answered(DEVICE_TIMEOUT, { outcome: 'unknown', reason: 'no-confirmation' });
    default:
      return [slot, []];
  }
}

function refusalBy(event: SlotEvent): SlotAnswer {
  return (event.kind === 'record-failed' ? event.answer : undefined) ?? NOT_RECORDED;
}

function expiredUnsent(recorded: boolean): Step {
  const effects: SlotEffect[] = [{ do: 'answer', answer: DEVICE_TIMEOUT }];
  if (recorded) effects.push({ do: 'resolve', outcome: 'expired', reason: 'not-linked' });
  return [{ phase: 'done', recorded }, effects];
}

function answered(answer: SlotAnswer, resolution: Omit<Extract<SlotEffect, { do: 'resolve' }>, 'do'>): Step {
  return [
    { phase: 'done', recorded: true },
    [
      { do: 'answer', answer },
      { do: 'resolve', ...resolution },
    ],
  ];
}

/** I3: 200 only if the device executed the command, or found the output already so. A refusal is a 504 at once (design section 5). */
function answerOf({ outcome }: CommandConfirmation): SlotAnswer {
  switch (outcome) {
    case 'executed':
      return { kind: 'ok' };
    case 'already-set':
      return { kind: 'already-set' };
    case 'refused':
    case 'unproven':
    case 'expired':
      return DEVICE_TIMEOUT;
    default:
      return outcome satisfies never;
  }
}
