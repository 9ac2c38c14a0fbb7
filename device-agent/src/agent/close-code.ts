/** What the close code of a lost link means to this device; null: the connection failed or broke. */
import { CLOSE } from '@relaygate/shared';
import { LINK_WORDS } from '../link/link-problem';
import { backoffMs, refusedWaitMs, replacedWaitMs } from './backoff';

/** What it says to whoever looks at `relayctl status`. */
const PROBLEMS: ReadonlyMap<number, string> = new Map([
  [CLOSE.goingAway, LINK_WORDS['server-away']],
  [CLOSE.serverRestarting, LINK_WORDS['server-restarts']],
  [CLOSE.refused, LINK_WORDS['not-accepted']],
  [CLOSE.timeout, LINK_WORDS['gave-up']],
  [CLOSE.replaced, LINK_WORDS.replaced],
  [CLOSE.revoked, LINK_WORDS.revoked],
  [CLOSE.tooOften, LINK_WORDS['too-often']],
  [CLOSE.tryLater, LINK_WORDS['try-later']],
]);

export function problemOfCode(code: number | null): string | undefined {
  return code === null ? undefined : PROBLEMS.get(code);
}

/** The wait after it is no back-off, so that its try is not one of those that make the next back-off longer. */
export function hasOwnWait(code: number | null): boolean {
  return [CLOSE.refused, CLOSE.replaced, CLOSE.revoked, CLOSE.tooOften].some((other) => code === other);
}

/** `attempt`: failed tries in a row, from 0; `replaced`: takeovers lately; `chance` in [0, 1). */
export function retryWaitMs(code: number | null, attempt: number, replaced: number, chance: number): number {
  switch (code) {
    case CLOSE.replaced:
      return replacedWaitMs(replaced);
    case CLOSE.refused:
    case CLOSE.revoked:
    case CLOSE.tooOften:
      return refusedWaitMs(chance);
    default:
      return backoffMs(attempt, chance);
  }
}
