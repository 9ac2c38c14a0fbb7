import type { KeyObject } from 'node:crypto';
import { type Cancel, type Clock, COUNTS_LIFE_MS, MAX_COUNTS_PER_KIND, TELL_COUNTS_MS } from '@relaygate/shared';
import { LIMIT_KINDS, type SharedLimits } from '../limits/shared-limits';
import type { MessageBus } from './message-bus';
import { bodyOf, type Counts, countsSubject } from './messages';
import { seal } from './seal';

export interface SentCountsDeps {
  /** Names this process. */
  instance: string;
  bus: Pick<MessageBus, 'isConnected' | 'publish'>;
  /** Of messages (seal.ts). */
  key: KeyObject;
  limits: SharedLimits;
  clock: Clock;
}

/**
 * Tells all other nodes what this one has counted: at most one message each TELL_COUNTS_MS. What is counted while the broker is away is
 * never told.
 */
export class SentCounts {
  readonly #deps: SentCountsDeps;
  /** How many messages were sent. */
  #sent = 0;
  /** When the youngest of them were. */
  #sentMs: number[] = [];
  #cancel: Cancel = () => {};

  constructor(deps: SentCountsDeps) {
    this.#deps = deps;
    this.#tell();
  }

  /** The number of the oldest message that is younger than COUNTS_LIFE_MS; without one, of the next. */
  get recentFrom(): number {
    return this.#sent + 1 - this.#recentMs().length;
  }

  stop(): void {
    this.#tell();
    this.#cancel();
  }

  #tell(): void {
    const { clock } = this.#deps;
    this.#cancel();
    this.#cancel = clock.after(TELL_COUNTS_MS, () => this.#tell());
    this.#send(this.#untold());
  }

  #untold(): Counts['taken'] {
    const { bus, limits } = this.#deps;
    const maxKeys = bus.isConnected ? MAX_COUNTS_PER_KIND : Number.POSITIVE_INFINITY;
    const taken: Counts['taken'] = {};
    for (const kind of LIMIT_KINDS) {
      const ofKind = limits[kind].takeUntold(maxKeys);
      if (ofKind.length > 0) taken[kind] = ofKind;
    }
    return taken;
  }

  #send(taken: Counts['taken']): void {
    const { instance, bus, key, clock } = this.#deps;
    if (!bus.isConnected || Object.keys(taken).length === 0) return;
    this.#sent += 1;
    this.#sentMs = [...this.#recentMs(), clock.nowMs()];
    const subject = countsSubject(instance);
    const counts: Counts = { number: this.#sent, taken };
    bus.publish(subject, seal(key, { direction: 'request', subject, boundTo: new Uint8Array() }, bodyOf(counts)).data);
  }

  #recentMs(): number[] {
    const sinceMs = this.#deps.clock.nowMs() - COUNTS_LIFE_MS;
    return this.#sentMs.filter((sentMs) => sentMs > sinceMs);
  }
}
