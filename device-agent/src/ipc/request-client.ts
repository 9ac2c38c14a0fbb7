import type { Cancel, Clock } from '@relaygate/shared';
import { type ErrorCode, RelaygateError } from '@relaygate/shared/relaygate-error';
import type { Reason } from '../runtime/cause';
import { DeviceRefusal } from './device-refusal';
import { GIVE_UP, type LineConnection, MAX_OPEN_REQUESTS } from './line-connection';

/** The request left, but no answer came: what it asked for may have happened. */
export class AnswerLostError extends Error {
  constructor(type: string, why: string) {
    super(`no answer to ${type}: ${why}`);
    this.name = 'AnswerLostError';
  }
}

/** The request was certainly not sent: with one more unanswered request the other side would end the connection. */
export class NotSentError extends RelaygateError {
  constructor(type: string) {
    super(
      'refused',
      `Too many requests wait for their answer, so "${type}" was not sent and nothing happened. Try again.`,
    );
    this.name = 'NotSentError';
  }
}

export interface RequestOptions {
  maxOpen?: number | undefined;
  givenUp?: AbortSignal | undefined;
}

interface Waiter {
  type: string;
  resolve(value: unknown): void;
  reject(error: Error): void;
  cancelTimer: Cancel;
}

interface WireError {
  code: ErrorCode;
  message: string;
  /** A program of another version may send none, or one of another shape. */
  reason?: unknown;
}

/** What the other side sends: an answer to a request, or an event nobody asked for. */
type Incoming =
  | { id: number; ok: true; value?: unknown }
  | { id: number; ok: false; error: WireError }
  | { event: string; value?: unknown };

/**
 * Sends requests over one connection; each is settled exactly once, by its answer, its deadline or the connection's end.
 * The peer is a program of this package, so only the frame is checked here, and the value by the caller.
 */
export class RequestClient {
  readonly #connection: LineConnection;
  readonly #clock: Clock;
  readonly #onEvent: (event: string, value: unknown) => void;
  readonly #waiters = new Map<number, Waiter>();
  /** Requests that the other side still has, also those that nobody here waits for any more. I15. */
  readonly #unanswered = new Set<number>();
  #lastId = 0;
  #ended = false;

  constructor(connection: LineConnection, clock: Clock, onEvent: (event: string, value: unknown) => void = () => {}) {
    this.#connection = connection;
    this.#clock = clock;
    this.#onEvent = onEvent;
  }

  /**
   * Rejects with a RelaygateError if the other side refuses, with AnswerLostError if no answer comes, and with NotSentError
   * if `maxOpen` requests are unanswered. `givenUp`: the other side is informed then, and answers with the outcome.
   */
  request(
    type: string,
    body: object,
    timeoutMs: number,
    { maxOpen = MAX_OPEN_REQUESTS, givenUp }: RequestOptions = {},
  ): Promise<unknown> {
    if (this.#ended) return Promise.reject(new AnswerLostError(type, 'the connection is closed'));
    if (this.#unanswered.size >= maxOpen) return Promise.reject(new NotSentError(type));
    this.#lastId += 1;
    const id = this.#lastId;
    const giveUp = (): void => this.#connection.send(JSON.stringify({ id, type: GIVE_UP }));
    return new Promise((resolve, reject) => {
      const cancelTimer = this.#clock.after(timeoutMs, () => {
        this.#waiters.delete(id);
        reject(new AnswerLostError(type, `nothing within ${timeoutMs} ms`));
      });
      this.#unanswered.add(id);
      this.#waiters.set(id, { type, resolve, reject, cancelTimer });
      this.#connection.send(JSON.stringify({ ...body, id, type }));
      givenUp?.addEventListener('abort', giveUp);
    }).finally(() => givenUp?.removeEventListener('abort', giveUp));
  }

  /** False: the line makes no sense, so the connection is of no use any more. */
  takeLine(line: string): boolean {
    const incoming = readIncoming(line);
    if (!incoming) return false;
    if ('event' in incoming) {
      this.#onEvent(incoming.event, incoming.value);
      return true;
    }
    this.#unanswered.delete(incoming.id);
    const waiter = this.#waiters.get(incoming.id);
    // The answer came after its deadline.
    if (!waiter) return true;
    this.#waiters.delete(incoming.id);
    waiter.cancelTimer();
    if (incoming.ok) waiter.resolve(incoming.value);
    else waiter.reject(errorOf(incoming.error));
    return true;
  }

  /** The connection has ended: settles everything that still waits. */
  end(why: string): void {
    this.#ended = true;
    for (const waiter of this.#waiters.values()) {
      waiter.cancelTimer();
      waiter.reject(new AnswerLostError(waiter.type, why));
    }
    this.#waiters.clear();
  }
}

function errorOf({ code, message, reason }: WireError): RelaygateError {
  return isReason(reason) ? new DeviceRefusal(code, reason, message) : new RelaygateError(code, message);
}

function isReason(of: unknown): of is Reason {
  if (typeof of !== 'object' || of === null || !('code' in of && 'values' in of)) return false;
  return typeof of.code === 'string' && typeof of.values === 'object' && of.values !== null;
}

function readIncoming(line: string): Incoming | null {
  try {
    const value = JSON.parse(line);
    const isAnswer = Number.isInteger(value?.id) && (value.ok === true || typeof value.error?.code === 'string');
    return isAnswer || typeof value?.event === 'string' ? value : null;
  } catch {
    return null;
  }
}
