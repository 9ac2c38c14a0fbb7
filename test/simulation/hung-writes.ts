import { RelaygateError, STORAGE_WRITE_TIMEOUT_MS } from '@relaygate/shared';
import type { Scheduler } from './scheduler';

/** A writer that says nothing for so long after a write's deadline has its write refused, and may commit it later. */
export const GIVEN_UP_AFTER_MS = STORAGE_WRITE_TIMEOUT_MS + 4_000;
/** What comes within this of the first joins its group. */
const GROUP_MS = 3;

interface HungWrite {
  askedMs: number;
  commit(): void;
  refuse(): void;
}

/**
 * The writes of a thread that hangs in its disk. The group that it has in hand is committed when the disk works again,
 * though refused long ago; of those behind it only what is not too late by then.
 */
export class HungWrites {
  readonly #scheduler: Scheduler;
  #writes: HungWrite[] = [];

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  /** Settles as `commit` does, or is refused when nobody waits any longer. */
  add(askedMs: number, commit: () => Promise<unknown>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const refuse = (): void =>
        reject(new RelaygateError('storage-unavailable', 'The simulated database is too late.'));
      this.#writes.push({ askedMs, commit: () => void commit().then(resolve, reject), refuse });
      this.#scheduler.at(askedMs + GIVEN_UP_AFTER_MS, () => reject(unanswered()));
    });
  }

  /** `works`: the database does, from here on. */
  release(works: boolean): void {
    const writes = this.#writes;
    this.#writes = [];
    const inHandMs = (writes[0]?.askedMs ?? 0) + GROUP_MS;
    for (const { askedMs, commit, refuse } of writes) {
      const isDue = this.#scheduler.nowMs - askedMs < STORAGE_WRITE_TIMEOUT_MS;
      if (works && (askedMs <= inHandMs || isDue)) commit();
      else refuse();
    }
  }
}

export function unanswered(): RelaygateError {
  return new RelaygateError('storage-unanswered', 'The simulated database does not answer.');
}
