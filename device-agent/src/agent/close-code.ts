/** What the close code of a lost link means to this device; null: the connection failed or broke. */
import { CLOSE } from '@relaygate/shared';
import { backoffMs, refusedWaitMs, replacedWaitMs } from './backoff';

/** What it tells whoever looks at `relayctl status`. */
const PROBLEMS: ReadonlyMap<number, string> = new Map([
  [CLOSE.goingAway, 'the server went away'],
  [CLOSE.serverRestarting, 'the server restarts'],
  [CLOSE.refused, 'the server refused this device: product login, enrolment code or key is wrong'],
  [CLOSE.timeout, 'the server gave up waiting for this device'],
  [CLOSE.replaced, 'another link with the key of this device has taken over'],
  [CLOSE.revoked, 'this device was revoked on the server'],
  [CLOSE.tryLater, 'the server cannot take the link now'],
]);

export function problemOfCode(code: number | null): string | undefined {
  return code === null ? undefined : PROBLEMS.get(code);
}

/** `attempt`: failed tries in a row, from 0; `replaced`: takeovers lately; `chance` in [0, 1). */
export function retryWaitMs(code: number | null, attempt: number, replaced: number, chance: number): number {
  switch (code) {
    case CLOSE.replaced:
      return replacedWaitMs(replaced);
    case CLOSE.refused:
    case CLOSE.revoked:
      return refusedWaitMs(chance);
    default:
      return backoffMs(attempt, chance);
  }
}
