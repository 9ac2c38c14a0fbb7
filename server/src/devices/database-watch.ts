import type { Cancel, Clock } from '@relaygate/shared';
import type { Log } from '../log/log';

/** How often the database is asked; what must hold on all links within 1 s (I12, I13) is seen in time. */
const ASK_EVERY_MS = 250;

/**
 * Asks now, and again ASK_EVERY_MS after each answer, until it is cancelled. `ask` is tried again if it fails; the first of several
 * failures is logged as `failure`.
 */
export function watchDatabase(
  ask: () => Promise<void>,
  { failure, clock, log }: { failure: string; clock: Clock; log: Log },
): Cancel {
  let isFailing = false;
  let isStopped = false;
  let cancel: Cancel = () => {};

  const run = async (): Promise<void> => {
    try {
      await ask();
      isFailing = false;
    } catch (err) {
      if (!isFailing) log.error({ err }, failure);
      isFailing = true;
    }
    if (!isStopped) cancel = clock.after(ASK_EVERY_MS, () => void run());
  };
  void run();
  return () => {
    isStopped = true;
    cancel();
  };
}
