import {
  type Clock,
  DEVICE_REASONS,
  IDEMPOTENCY_AGAIN_MS,
  IDEMPOTENCY_ANEW_MS,
  pause,
  RESPONSE_DEADLINE_MS,
  SERVER_REASONS,
  within,
} from '@relaygate/shared';
import { INTERRUPTED_BY_END, staysOpen } from './command-entries';
import type { CommandStore, Idempotency, KeyedCommand } from './command-store';
import type { CommandAnswer, CommandOrder } from './order';
import type { OutcomeRecorder } from './outcome-recorder';
import { joinedByKey, KEY_REUSED, replayed } from './same-key';

export interface IdempotentCommandsDeps {
  store: Pick<CommandStore, 'findKeyed'>;
  outcomes: Pick<OutcomeRecorder, 'latest'>;
  clock: Clock;
}

/** How long after the end of a server a device may still execute what that has sent, or be about to say that it did. */
const SETTLED_MS = 20_000;
/** Behind the 5 s of a command. */
const LOOK_MS = 100;

/**
 * The same dispatch, in which a client's key stands for at most one execution: a repetition gets the answer of the first, waits for it
 * for RESPONSE_DEADLINE_MS at most, and runs anew only if certainly nothing has moved and the key is younger than IDEMPOTENCY_ANEW_MS.
 * One that has waited never runs anew: it would have 5 s of its own behind those, and whoever asks has perhaps gone.
 */
export function idempotent(
  { store, outcomes, clock }: IdempotentCommandsDeps,
  dispatch: (order: CommandOrder) => Promise<CommandAnswer>,
): typeof dispatch {
  const settledMs = clock.nowMs() + SETTLED_MS;

  /** Also where its server has ended: its device executes it perhaps, and says so later. The answer to a repetition is final. */
  function isAtWork({ outcome, reason, ageMs }: KeyedCommand): boolean {
    if (outcome === 'pending') return true;
    // The server that has ended was the one before here, or another one.
    const isRecent = clock.nowMs() < settledMs || (ageMs >= 0 && ageMs < SETTLED_MS);
    return outcome === 'unknown' && reason === INTERRUPTED_BY_END && isRecent;
  }

  /**
   * What the key stands for, with the newest outcome that is known here. One after which it may run anew does not count before it is
   * written, because the database gives the key to the next command by what it has.
   */
  async function find(clientId: string, key: string): Promise<KeyedCommand | undefined> {
    const row = await store.findKeyed(clientId, key);
    const unsaved = row && staysOpen(row.outcome) ? outcomes.latest(row.commandId) : undefined;
    return row && unsaved && !hasMovedNothing(unsaved)
      ? { ...row, outcome: unsaved.outcome, reason: unsaved.reason }
      : row;
  }

  /** Not confirmed; of several nodes, another one may have given the key to another command meanwhile. */
  async function standing(clientId: string, asked: Idempotency, answer: CommandAnswer): Promise<CommandAnswer> {
    const known = await within(clock, LOOK_MS, find(clientId, asked.key), undefined);
    if (!known || known.commandId === answer.commandId) return answer;
    return known.requestHash === asked.requestHash ? replayOf(known) : KEY_REUSED;
  }

  async function once(order: CommandOrder): Promise<CommandAnswer> {
    const { clientId, idempotency } = order;
    if (!idempotency) return dispatch(order);
    const untilMs = clock.nowMs() + RESPONSE_DEADLINE_MS;
    let refusal: CommandAnswer | undefined;
    let asked: string | null | undefined;
    let hasWaited = false;
    for (;;) {
      const known = await find(clientId, idempotency.key);
      // It was refused for the sake of another command, not of the one with its own key; or that one was too old by then.
      if (refusal && (known?.commandId ?? null) === asked)
        return known && !mayRunAnew(known) ? replayOf(known) : refusal;
      if (known && known.requestHash !== idempotency.requestHash) return KEY_REUSED;
      const isOver = clock.nowMs() + IDEMPOTENCY_AGAIN_MS >= untilMs;
      if (known && isAtWork(known) && !isOver) {
        hasWaited = true;
        await pause(clock, IDEMPOTENCY_AGAIN_MS);
      } else if (known && (hasWaited || !mayRunAnew(known))) return replayOf(known);
      else {
        asked = known?.commandId ?? null;
        const answer = await dispatch({ ...order, idempotency: { ...idempotency, insteadOf: asked } });
        if (answer.kind !== 'error') return answer;
        if (answer.code === 'device-timeout') return standing(clientId, idempotency, answer);
        if (answer.code !== 'request-already-pending') return answer;
        refusal = answer;
      }
    }
  }

  return joinedByKey(once);
}

/** No door opens late. */
function mayRunAnew(known: KeyedCommand): boolean {
  return known.ageMs >= 0 && known.ageMs < IDEMPOTENCY_ANEW_MS && hasMovedNothing(known);
}

/** Certainly (I1). */
function hasMovedNothing({ outcome, reason }: Pick<KeyedCommand, 'outcome' | 'reason'>): boolean {
  return outcome === 'expired' || (outcome === 'refused' && MOVED_NOTHING.has(reason ?? ''));
}

const MOVED_NOTHING: ReadonlySet<string> = new Set(
  Object.entries({ ...DEVICE_REASONS, ...SERVER_REASONS }).flatMap(([reason, { moved }]) =>
    moved === 'no' ? [reason] : [],
  ),
);

function replayOf({ commandId, outcome }: KeyedCommand): CommandAnswer {
  if (outcome === 'executed' || outcome === 'confirmed-late') return replayed({ kind: 'ok', commandId });
  if (outcome === 'already-set') return replayed({ kind: 'already-set', commandId });
  return replayed({ kind: 'error', code: 'device-timeout', commandId });
}
