/** The moments in which a late machine makes a pulse or an answer late. What it lost before or after excuses nothing. */
import type { Pulse } from '../device/device';
import { CAP_MS } from './excuse';
import type { Lateness } from './lateness';
import type { Window } from './stall-record';

/** Longer than its cap, so that a machine that stood still for longer is seen to have. */
const BEGIN_MS = 4 * CAP_MS.pulse;

/** The guard counts from its look at the clock before the order: what holds the order up makes the pulse shorter. */
export function beginOf({ onMs }: Pick<Pulse, 'onMs'>): Window {
  return { fromMs: onMs - BEGIN_MS, toMs: onMs };
}

/** What the machine lost of an answer's acceptance, and of the answer itself once it was due. */
export function lostAround(
  lateness: Pick<Lateness, 'lostMs'>,
  { sentMs, answeredMs }: { readonly sentMs: number; readonly answeredMs: number },
  dueAfterMs: number,
  pids: readonly number[],
): number {
  const all = [process.pid, ...pids];
  const acceptedMs = Math.min(sentMs + CAP_MS.answer, answeredMs);
  const dueMs = Math.min(Math.max(acceptedMs, sentMs + dueAfterMs), answeredMs);
  const windows = [
    { fromMs: sentMs, toMs: acceptedMs },
    { fromMs: dueMs, toMs: answeredMs },
  ];
  return windows.reduce((sum, window) => sum + lateness.lostMs(window, all), 0);
}
