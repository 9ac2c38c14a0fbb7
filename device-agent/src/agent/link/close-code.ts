/** What the close code of a lost link means to this device; null: the connection failed or broke. */
import { CLOSE } from '@relaygate/shared';
import { backoffMs, refusedWaitMs, replacedWaitMs } from './backoff';
import type { LinkCause, LinkProblem } from './link-problem';

/** What `relayctl status` says of it. */
const CAUSES: ReadonlyMap<number, LinkCause> = new Map<number, LinkCause>([
  [CLOSE.goingAway, 'server-away'],
  [CLOSE.serverRestarting, 'server-restarts'],
  [CLOSE.refused, 'not-accepted'],
  [CLOSE.timeout, 'gave-up'],
  [CLOSE.replaced, 'replaced'],
  [CLOSE.revoked, 'revoked'],
  [CLOSE.tooOften, 'too-often'],
  [CLOSE.tryLater, 'try-later'],
]);

export function problemOfCode(code: number | null): LinkProblem | null {
  const cause = code === null ? undefined : CAUSES.get(code);
  return cause === undefined ? null : { cause, details: '' };
}

/** Whether the wait after it is no back-off; then its try does not make the next back-off longer. */
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
