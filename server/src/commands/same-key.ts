import { IDEMPOTENCY_KEY_MAX_CHARS } from '@relaygate/shared';
import type { CommandAnswer, CommandOrder, DispatchAnswer } from './order';

/** Of a client's key: printable ASCII. */
export const IDEMPOTENCY_KEY_PATTERN = `^[ -~]{1,${IDEMPOTENCY_KEY_MAX_CHARS}}$`;
/** 422: the key stands for another request. */
export const KEY_REUSED: CommandAnswer = { kind: 'error', code: 'idempotency-key-reused' };

/**
 * The same dispatch, to which a command whose key is at work here already does not go: it waits for the answer of the first, or is
 * refused if it asks for something else.
 */
export function joinedByKey<Rest extends readonly unknown[], Answer extends DispatchAnswer>(
  dispatch: (order: CommandOrder, ...rest: Rest) => Promise<Answer | CommandAnswer>,
): typeof dispatch {
  /** No more than there are commands at work. */
  const atWork = new Map<string, { requestHash: string; answer: Promise<Answer | CommandAnswer> }>();
  return async (order, ...rest) => {
    const { clientId, idempotency } = order;
    if (!idempotency) return dispatch(order, ...rest);
    // A client's id has no space.
    const name = `${clientId} ${idempotency.key}`;
    const first = atWork.get(name);
    if (first) return first.requestHash === idempotency.requestHash ? replayed(await first.answer) : KEY_REUSED;
    const answer = dispatch(order, ...rest);
    atWork.set(name, { requestHash: idempotency.requestHash, answer });
    try {
      return await answer;
    } finally {
      atWork.delete(name);
    }
  };
}

/** As it is told to a repetition. */
export function replayed<Answer extends DispatchAnswer>(answer: Answer): Answer {
  return 'commandId' in answer && answer.commandId !== undefined ? { ...answer, isReplayed: true } : answer;
}
