/**
 * The place of the one command in flight per product (I6), as a pure state machine: what happens to the command
 * comes in as events, what must be done goes out as effects. The dispatcher feeds it and carries them out.
 *
 * I1: `send` comes out at most once between two certain non-deliveries. I2: nothing is sent once the execution
 * deadline has passed. I9: nothing is sent before the record is durable. An answer comes out exactly once.
 */
import type { CommandConfirmation, CommandOutcome, ErrorCode } from '@relaygate/shared';
import type { HeardConfirmation } from './heard';

export type Place =
  /** The device is not linked: answered as soon as the record is durable. `saysSo`: the record itself does. */
  | { phase: 'unlinked'; saysSo: boolean }
  /** Waits for its record to be durable and for the link. */
  | { phase: 'unsent'; recorded: boolean; linked: boolean }
  /** Recorded and linked; the authorisation is read again if it is no longer fresh (I13). */
  | { phase: 'checking'; linked: boolean }
  /** Handed to the link: from now on only 200 or 504. */
  | { phase: 'sent' }
  /** Answered, and the place is free. */
  | { phase: 'done'; recorded: boolean };

export type PlaceEvent =
  | { kind: 'recorded' }
  | { kind: 'record-failed' }
  /** The database has said nothing of it: it may be there, or come yet. */
  | { kind: 'record-unanswered' }
  | { kind: 'link-up' }
  | { kind: 'link-lost' }
  /** There is no link to wait for any more. */
  | { kind: 'device-revoked' }
  | { kind: 'cleared' }
  /** Not allowed any more, or not to be found out. */
  | { kind: 'denied'; code: ErrorCode; reason: string }
  /** The link took no byte. */
  | { kind: 'not-sent' }
  | { kind: 'execution-deadline' }
  | { kind: 'response-deadline' }
  | { kind: 'confirmed'; confirmation: HeardConfirmation }
  /** The device says that it neither started the command nor will. */
  | { kind: 'not-started' };

export type PlaceAnswer =
  | { kind: 'ok' }
  | { kind: 'already-set' }
  /** `isUnrecorded`: there is no record of the command that anybody could ask for. */
  | { kind: 'error'; code: ErrorCode; isUnrecorded?: true };

export type PlaceEffect =
  | { do: 'check' }
  | { do: 'send' }
  | { do: 'answer'; answer: PlaceAnswer }
  | { do: 'resolve'; outcome: CommandOutcome; reason: string | null; confirmation?: HeardConfirmation };

type Step = [Place, PlaceEffect[]];

const DEVICE_TIMEOUT: PlaceAnswer = { kind: 'error', code: 'device-timeout' };
/** 500: the command certainly did not reach the link. */
const NOT_RECORDED: PlaceAnswer = { kind: 'error', code: 'unknown', isUnrecorded: true };

const RECORDED_TOO_LATE: PlaceEffect = { do: 'resolve', outcome: 'expired', reason: 'recorded-too-late' };

export function step(place: Place, event: PlaceEvent): Step {
  switch (place.phase) {
    case 'unlinked':
      return stepUnlinked(place, event);
    case 'unsent':
      return stepUnsent(place, event);
    case 'checking':
      return stepChecking(place, event);
    case 'sent':
      return stepSent(place, event);
    case 'done':
      // Its record became durable after the answer: the audit must not say `pending` for ever.
      return (event.kind === 'recorded' || event.kind === 'record-unanswered') && !place.recorded
        ? [{ phase: 'done', recorded: true }, [RECORDED_TOO_LATE]]
        : [place, []];
    default:
      return place satisfies never;
  }
}

function stepUnlinked(place: Extract<Place, { phase: 'unlinked' }>, event: PlaceEvent): Step {
  switch (event.kind) {
    case 'recorded':
      if (!place.saysSo) return expiredUnsent(true);
      return [{ phase: 'done', recorded: true }, [{ do: 'answer', answer: DEVICE_TIMEOUT }]];
    case 'record-failed':
    case 'record-unanswered':
      // What its record would say besides `pending`, it says itself.
      if (!place.saysSo) return stepUnsent({ phase: 'unsent', recorded: false, linked: false }, event);
      return [{ phase: 'done', recorded: true }, [{ do: 'answer', answer: NOT_RECORDED }]];
    default:
      return [place, []];
  }
}

function stepUnsent(place: Extract<Place, { phase: 'unsent' }>, event: PlaceEvent): Step {
  switch (event.kind) {
    case 'recorded':
      return checkedWhenReady({ ...place, recorded: true });
    case 'link-up':
      return checkedWhenReady({ ...place, linked: true });
    case 'link-lost':
      return [{ ...place, linked: false }, []];
    case 'device-revoked':
      return place.recorded ? expiredUnsent(true) : [{ phase: 'unlinked', saysSo: false }, []];
    case 'record-failed':
      if (place.recorded) return [place, []];
      return [{ phase: 'done', recorded: false }, [{ do: 'answer', answer: NOT_RECORDED }]];
    case 'record-unanswered':
      return [{ phase: 'done', recorded: true }, [{ do: 'answer', answer: NOT_RECORDED }, RECORDED_TOO_LATE]];
    case 'execution-deadline':
      return expiredUnsent(place.recorded);
    default:
      return [place, []];
  }
}

function checkedWhenReady(place: Extract<Place, { phase: 'unsent' }>): Step {
  return place.recorded && place.linked ? [{ phase: 'checking', linked: true }, [{ do: 'check' }]] : [place, []];
}

function stepChecking(place: Extract<Place, { phase: 'checking' }>, event: PlaceEvent): Step {
  switch (event.kind) {
    case 'cleared':
      return place.linked
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
      return [{ ...place, linked: true }, []];
    case 'link-lost':
      return [{ ...place, linked: false }, []];
    case 'device-revoked':
    case 'execution-deadline':
      return expiredUnsent(true);
    default:
      return [place, []];
  }
}

function stepSent(place: Extract<Place, { phase: 'sent' }>, event: PlaceEvent): Step {
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
      return [place, []];
  }
}

function expiredUnsent(recorded: boolean): Step {
  const effects: PlaceEffect[] = [{ do: 'answer', answer: DEVICE_TIMEOUT }];
  if (recorded) effects.push({ do: 'resolve', outcome: 'expired', reason: 'not-linked' });
  return [{ phase: 'done', recorded }, effects];
}

function answered(answer: PlaceAnswer, resolution: Omit<Extract<PlaceEffect, { do: 'resolve' }>, 'do'>): Step {
  return [
    { phase: 'done', recorded: true },
    [
      { do: 'answer', answer },
      { do: 'resolve', ...resolution },
    ],
  ];
}

/** I3: 200 only for what the device executed, or found so. A refusal is a 504 at once (design section 5). */
function answerOf({ outcome }: CommandConfirmation): PlaceAnswer {
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
