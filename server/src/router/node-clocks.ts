import {
  type Clock,
  MAX_OTHER_NODES,
  NO_TIME_SYNC,
  NODE_TIME_AGAIN_MS,
  NODE_TIME_MS,
  type Randomness,
  remoteMomentMs,
  type TimeSync,
  withSample,
} from '@relaygate/shared';
import type { AwaitedAnswers, Unanswered } from './awaited-answers';
import { readTimeAnswer, timeSubject } from './messages';
import { newToken } from './seal';

/** What is known of the clock of a node's process. */
interface NodeClock {
  instance: string;
  sync: TimeSync;
  /** When its time was asked for last, on this node's clock. */
  askedAtMs: number;
}

/** A moment on another node's clock. `instance`: its process, which alone has this clock. */
export interface RemoteMoment {
  kind: 'moment';
  instance: string;
  atMs: number;
}

/** The clocks of other nodes, as time exchanges show them. They are asked for only when commands go there. I2, I14. */
export class NodeClocks {
  readonly #deps: { answers: Pick<AwaitedAnswers, 'ask'>; clock: Clock; randomness: Randomness };
  /** By node, the one that was asked longest ago first. */
  readonly #nodes = new Map<string, NodeClock>();
  readonly #asking = new Map<string, Promise<Unanswered | undefined>>();

  constructor(deps: { answers: Pick<AwaitedAnswers, 'ask'>; clock: Clock; randomness: Randomness }) {
    this.#deps = deps;
  }

  /**
   * The moment on the node's clock that certainly lies before `localMs` on this one's. Without an estimate it asks first, for at
   * most NODE_TIME_MS and `withinMs`.
   */
  async momentOn(nodeName: string, localMs: number, withinMs: number): Promise<RemoteMoment | Unanswered> {
    const known = this.#estimate(nodeName, localMs);
    if (known) {
      const { askedAtMs } = this.#nodes.get(nodeName) ?? { askedAtMs: 0 };
      if (this.#deps.clock.nowMs() - askedAtMs >= NODE_TIME_AGAIN_MS) void this.#ask(nodeName, NODE_TIME_MS);
      return known;
    }
    const unanswered = await this.#ask(nodeName, Math.min(NODE_TIME_MS, withinMs));
    return unanswered ?? this.#estimate(nodeName, localMs) ?? { kind: 'no-answer' };
  }

  /** The process has ended, or the estimate of its clock is wrong. */
  forget(nodeName: string, instance: string): void {
    if (this.#nodes.get(nodeName)?.instance === instance) this.#nodes.delete(nodeName);
  }

  get size(): number {
    return this.#nodes.size;
  }

  #estimate(nodeName: string, localMs: number): RemoteMoment | undefined {
    const node = this.#nodes.get(nodeName);
    const atMs = node ? remoteMomentMs(node.sync, localMs, this.#deps.clock.nowMs()) : null;
    return node && atMs !== null ? { kind: 'moment', instance: node.instance, atMs } : undefined;
  }

  /** Commands that wait for one node's time share the question. */
  #ask(nodeName: string, timeoutMs: number): Promise<Unanswered | undefined> {
    const running = this.#asking.get(nodeName);
    if (running !== undefined) return running;
    const asking = this.#exchange(nodeName, timeoutMs).finally(() => this.#asking.delete(nodeName));
    this.#asking.set(nodeName, asking);
    return asking;
  }

  async #exchange(nodeName: string, timeoutMs: number): Promise<Unanswered | undefined> {
    const { answers, clock, randomness } = this.#deps;
    const sentMs = clock.nowMs();
    const before = this.#nodes.get(nodeName);
    if (before) before.askedAtMs = sentMs;
    const question = { id: newToken(randomness) };
    const answer = await answers.ask(timeSubject(nodeName), question, readTimeAnswer, timeoutMs);
    if ('kind' in answer) return answer;
    const receivedMs = clock.nowMs();
    // This process was frozen meanwhile: the middle of so long a time tells nothing of the other clock.
    if (receivedMs - sentMs > timeoutMs) return { kind: 'no-answer' };
    const { instance, nowMs: serverMs } = answer;
    const known = this.#nodes.get(nodeName);
    const sync = known?.instance === instance ? known.sync : NO_TIME_SYNC;
    this.#nodes.delete(nodeName);
    for (const oldest of this.#nodes.keys()) {
      if (this.#nodes.size < MAX_OTHER_NODES) break;
      this.#nodes.delete(oldest);
    }
    const sample = { sentMs, receivedMs, serverMs };
    this.#nodes.set(nodeName, { instance, askedAtMs: sentMs, sync: withSample(sync, sample) });
    return undefined;
  }
}
