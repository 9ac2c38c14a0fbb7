/** Keeps relaygate-status.txt up to date. */

import type { Cancel, Clock } from '@relaygate/shared';
import { oneLine } from '@relaygate/shared/plain-text';
import type { Log } from '../runtime/log';
import { problemOf } from '../runtime/problem';

/** How often the device is looked at. */
export const LOOK_MS = 5_000;
/** Words that come and go within this are not written: a link that flaps must not wear the card. */
export const SETTLED_MS = 10_000;
/** Between two writings. */
export const BETWEEN_WRITES_MS = 60_000;

export interface StatusWatchDeps {
  clock: Clock;
  log: Log;
  /** The words of now; null: nothing to say. */
  look(): Promise<string | null>;
  /** Resolves with whether it had to be written. */
  write(words: string): Promise<boolean>;
}

/** Returns what stops it. */
export function startStatusWatch({ clock, log, look, write }: StatusWatchDeps): () => void {
  let cancel: Cancel = () => {};
  let isStopped = false;
  let words: string | null = null;
  let sinceMs = 0;
  /** What the file says, as far as this process knows. */
  let said: string | null = null;
  let writtenMs = Number.NEGATIVE_INFINITY;

  async function sayWhatSettled(): Promise<void> {
    const found = await look();
    const nowMs = clock.nowMs();
    if (found !== words) {
      words = found;
      sinceMs = nowMs;
    }
    if (found === null || found === said) return;
    if (nowMs - sinceMs < SETTLED_MS || nowMs - writtenMs < BETWEEN_WRITES_MS) return;
    const isNew = await write(found);
    said = found;
    if (isNew) writtenMs = nowMs;
    // Also what the file says already, because after a restart somebody may look for the page's address on the screen.
    log.info(oneLine(found.replaceAll('\n\n', '. ')));
  }

  async function turn(): Promise<void> {
    try {
      await sayWhatSettled();
    } catch (error) {
      log.warn(`the status cannot be written: ${problemOf(error)}`);
    }
    if (!isStopped) cancel = clock.after(LOOK_MS, () => void turn());
  }

  void turn();
  return () => {
    isStopped = true;
    cancel();
  };
}
