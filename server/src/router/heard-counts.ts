import {
  Budget,
  type Clock,
  COUNTS_LIFE_MS,
  MAX_COUNTS_BYTES,
  MAX_OTHER_NODES,
  NODE_TIME_MS,
  type Randomness,
  TELL_COUNTS_MS,
} from '@relaygate/shared';
import { LIMIT_KINDS, type SharedLimits } from '../limits/shared-limits';
import type { AwaitedAnswers } from './awaited-answers';
import type { BusMessage, MessageBus } from './message-bus';
import { type Counts, countsSubject, readCounts, readRecentAnswer, recentSubject } from './messages';
import { type OpeningDeps, openMessage } from './opened-message';
import { newToken } from './seal';

const AT_ONCE = COUNTS_LIFE_MS / TELL_COUNTS_MS;
/** A tenth more than a node sends, because its clock may be faster. */
const RATE = { burst: AT_ONCE, perSecond: 1_100 / TELL_COUNTS_MS };
/** Nothing that was heard before is recent any more, so a peer that is forgotten by then has no message that counts twice. */
const FORGET_MS = 2 * COUNTS_LIFE_MS + NODE_TIME_MS;

/** Another node's process, which tells its counts. */
interface Peer {
  /** The number of its last message that was counted, or is too old. */
  number: number;
  /** When it was asked last which messages are recent. */
  askedMs: number;
  /** What waits for its answer. */
  held: Counts[] | undefined;
  /** Messages that are counted. */
  rate: Budget;
}

export interface HeardCountsDeps extends OpeningDeps {
  /** Names this process. */
  instance: string;
  bus: Pick<MessageBus, 'subscribe' | 'unsubscribe'>;
  answers: Pick<AwaitedAnswers, 'ask'>;
  limits: SharedLimits;
  clock: Clock;
  randomness: Randomness;
}

/**
 * Counts here what other nodes tell that they have counted. Each message counts once, and not if the broker, or somebody who repeats
 * it, brings it late: its sender is asked, when it begins and each COUNTS_LIFE_MS, which of its messages are recent. No two clocks are
 * compared.
 */
export class HeardCounts {
  readonly #deps: HeardCountsDeps;
  /** By process. */
  readonly #peers = new Map<string, Peer>();

  constructor(deps: HeardCountsDeps) {
    this.#deps = deps;
    deps.bus.subscribe(countsSubject('*'), (message) => this.#hear(message));
  }

  get size(): number {
    return this.#peers.size;
  }

  stop(): void {
    void this.#deps.bus.unsubscribe(countsSubject('*'));
  }

  #hear(message: BusMessage): void {
    const { instance: own, clock, refusals } = this.#deps;
    const instance = message.subject.slice(message.subject.lastIndexOf('.') + 1);
    if (instance === own) return;
    const opened = openMessage(this.#deps, message, { source: countsSubject('*'), maxBytes: MAX_COUNTS_BYTES });
    if (!opened) return;
    const counts = readCounts(opened.body);
    if (counts === undefined) return refusals.note('message-unreadable', instance);
    const peer = this.#peerOf(instance);
    if (!peer) return;
    if (peer.held) {
      if (peer.held.length < AT_ONCE) peer.held.push(counts);
      else refusals.note('counts-late', instance);
    } else if (clock.nowMs() - peer.askedMs < COUNTS_LIFE_MS) this.#count(instance, peer, counts);
    else void this.#ask(instance, peer, counts);
  }

  /** Undefined: there are too many. */
  #peerOf(instance: string): Peer | undefined {
    const known = this.#peers.get(instance);
    if (known) return known;
    const { clock, refusals } = this.#deps;
    if (this.#peers.size >= MAX_OTHER_NODES) this.#forgetSilent();
    if (this.#peers.size >= MAX_OTHER_NODES) return void refusals.note('node-busy', countsSubject('*'));
    const peer = { number: 0, askedMs: Number.NEGATIVE_INFINITY, held: undefined, rate: new Budget(clock, RATE) };
    this.#peers.set(instance, peer);
    return peer;
  }

  #forgetSilent(): void {
    const { clock } = this.#deps;
    for (const [instance, { askedMs, held }] of this.#peers)
      if (!held && clock.nowMs() - askedMs >= FORGET_MS) this.#peers.delete(instance);
  }

  async #ask(instance: string, peer: Peer, first: Counts): Promise<void> {
    const { answers, clock, randomness, refusals } = this.#deps;
    const held = [first];
    peer.held = held;
    const askedMs = clock.nowMs();
    const question = { id: newToken(randomness) };
    const answer = await answers.ask(recentSubject(instance), question, readRecentAnswer, NODE_TIME_MS);
    peer.held = undefined;
    if ('kind' in answer) return refusals.note('counts-late', instance);
    peer.askedMs = askedMs;
    peer.number = Math.max(peer.number, answer.from - 1);
    for (const counts of held) this.#count(instance, peer, counts);
  }

  #count(instance: string, peer: Peer, { number, taken }: Counts): void {
    const { limits, refusals } = this.#deps;
    if (number <= peer.number) return refusals.note('counts-late', instance);
    peer.number = number;
    if (peer.rate.take() > 0) return refusals.note('node-busy', instance);
    for (const kind of LIMIT_KINDS) for (const each of taken[kind] ?? []) limits[kind].takenElsewhere(each);
  }
}
