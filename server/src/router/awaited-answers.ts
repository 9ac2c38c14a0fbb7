import type { KeyObject } from 'node:crypto';
import {
  type Cancel,
  type Clock,
  MAX_AWAITED_ANSWERS,
  MAX_NODE_MESSAGE_BYTES,
  type Randomness,
} from '@relaygate/shared';
import type { RefusalLog } from '../log/refusal-log';
import type { BusMessage, MessageBus } from './message-bus';
import { answerSubject, bodyOf, type Reader } from './messages';
import { newToken, seal, unseal } from './seal';

/** `full`: it was not sent. `no-responders`: it went to nobody. `no-answer`: it may have arrived. */
export type Unanswered = { kind: 'full' | 'no-responders' | 'no-answer' };

interface Waiter {
  hear(message: BusMessage): void;
  end(unanswered: Unanswered): void;
}

export interface AwaitedAnswersDeps {
  bus: MessageBus;
  /** Of messages (seal.ts). */
  key: KeyObject;
  /** Names this process. */
  instance: string;
  clock: Clock;
  randomness: Randomness;
  refusals: Pick<RefusalLog, 'note'>;
}

/**
 * Questions to other nodes, each with its own subject for the answer. An answer that is not sealed for its question changes nothing:
 * the right one may still come.
 */
export class AwaitedAnswers {
  readonly #deps: AwaitedAnswersDeps;
  /** By the token of their subjects. */
  readonly #waiters = new Map<string, Waiter>();

  constructor(deps: AwaitedAnswersDeps) {
    this.#deps = deps;
    deps.bus.subscribe(answerSubject(deps.instance, '*'), (message) => {
      this.#waiters.get(message.subject.slice(message.subject.lastIndexOf('.') + 1))?.hear(message);
    });
  }

  get size(): number {
    return this.#waiters.size;
  }

  /** Waits for at most `timeoutMs`. */
  ask<T>(subject: string, question: object, read: Reader<T>, timeoutMs: number): Promise<T | Unanswered> {
    const { bus, key, clock, randomness, instance, refusals } = this.#deps;
    if (this.#waiters.size >= MAX_AWAITED_ANSWERS) return Promise.resolve({ kind: 'full' });
    const token = newToken(randomness);
    const sealed = seal(key, { direction: 'request', subject, boundTo: new Uint8Array() }, bodyOf(question));
    return new Promise((resolve) => {
      let cancel: Cancel = () => {};
      const end = (answer: T | Unanswered): void => {
        cancel();
        this.#waiters.delete(token);
        resolve(answer);
      };
      const hear = (message: BusMessage): void => {
        if (message.isNoResponders) return end({ kind: 'no-responders' });
        if (message.data.length > MAX_NODE_MESSAGE_BYTES) return refusals.note('message-too-large', subject);
        const unsealed = unseal(key, { direction: 'answer', subject, boundTo: sealed.mac }, message.data);
        if (!unsealed) return refusals.note('message-forged', subject);
        const answer = read(unsealed.body);
        if (answer === undefined) refusals.note('message-unreadable', subject);
        end(answer ?? { kind: 'no-answer' });
      };
      this.#waiters.set(token, { hear, end });
      cancel = clock.after(Math.max(0, timeoutMs), () => end({ kind: 'no-answer' }));
      bus.publish(subject, sealed.data, answerSubject(instance, token));
    });
  }

  /** Ends all waits. */
  close(): void {
    for (const waiter of [...this.#waiters.values()]) waiter.end({ kind: 'no-answer' });
  }
}
