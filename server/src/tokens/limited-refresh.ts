import type { TokenPair } from '@relaygate/shared';
import { holderOf, type KeyDeps } from '../clients/login';
import { type AttemptLimiter, limited } from '../limits/attempt-limiter';
import type { TokenService } from './token-service';

export interface RefreshDeps {
  tokens: TokenService;
  limiter: AttemptLimiter;
  keyDeps: KeyDeps;
}

export interface RefreshClaim {
  refreshToken: string;
  /** The legacy API also asks for the client key; undefined in v1. */
  clientKey: string | undefined;
  address: string;
}

/**
 * A new pair for a refresh token; a right token is never limited. Fails with `bad-token`, and with `too-many-requests` after too
 * many such failures.
 */
export async function limitedRefresh(
  { tokens, limiter, keyDeps }: RefreshDeps,
  { refreshToken, clientKey, address }: RefreshClaim,
): Promise<TokenPair> {
  // A genuine token that has ended counts on its family only, so that its owner gets 401 and logs in again, whatever others
  // do at the same address.
  const familyId = tokens.familyOf(refreshToken);
  const keys = familyId === undefined ? [`address ${address}`] : [`family ${familyId}`];
  return limited(limiter, keys, 'bad-token', () =>
    tokens.refresh(
      refreshToken,
      async (clientId) => clientKey === undefined || (await holderOf(keyDeps, clientKey))?.clientId === clientId,
    ),
  );
}
