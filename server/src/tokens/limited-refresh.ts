import type { TokenPair } from '@relaygate/shared';
import { type AttemptLimiter, limited } from '../clients/attempt-limiter';
import { holderOf, type KeyDeps } from '../clients/login';
import type { TokenService } from './token-service';

export interface RefreshDeps {
  tokens: TokenService;
  limiter: AttemptLimiter;
  keyDeps: KeyDeps;
}

export interface RefreshClaim {
  refreshToken: string;
  /** The legacy generation's second proof; undefined in v1. */
  clientKey: string | undefined;
  address: string;
}

/**
 * A new pair for a refresh token; a right one is always served. Fails with `bad-token`, with `too-many-requests` after too
 * many such.
 */
export async function limitedRefresh(
  { tokens, limiter, keyDeps }: RefreshDeps,
  { refreshToken, clientKey, address }: RefreshClaim,
): Promise<TokenPair> {
  // A token of ours that is over counts on its family alone: 401 must tell its owner to log in again, whatever others
  // at the same address do.
  const familyId = tokens.familyOf(refreshToken);
  const keys = familyId === undefined ? [`address ${address}`] : [`family ${familyId}`];
  return limited(limiter, keys, 'bad-token', () =>
    tokens.refresh(
      refreshToken,
      async (clientId) => clientKey === undefined || (await holderOf(keyDeps, clientKey))?.clientId === clientId,
    ),
  );
}
