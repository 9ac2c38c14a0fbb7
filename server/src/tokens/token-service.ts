import type { KeyObject } from 'node:crypto';
import { type Randomness, RelaygateError, type TokenPair, type WallClock } from '@relaygate/shared';
import type { ClientStore, KeyHolder } from '../clients/client-store';
import type { Log } from '../log/log';
import { type AccessTokenKey, AccessTokenReader, signAccessToken } from './access-token';
import type { FamilyStore, RefreshFamily } from './family-store';
import { decideRefresh } from './refresh-family';
import { hashRefreshToken, readRefreshToken, refreshTokenOf } from './refresh-token';
import { ReuseLog } from './reuse-log';

export interface TokenDeps {
  store: FamilyStore & Pick<ClientStore, 'isKeyActive'>;
  accessKey: AccessTokenKey;
  refreshKey: KeyObject;
  wallClock: WallClock;
  randomness: Randomness;
  log: Log;
}

/** After a lost race the family is read again. Each winner rotates it, so two losses in a row already mean a copy. */
const MAX_RACES = 5;

/** Issues, checks and renews tokens; one kind for both generations of the API. */
export class TokenService {
  readonly #deps: TokenDeps;
  readonly #accessTokens: AccessTokenReader;
  readonly #reuses: ReuseLog;

  constructor(deps: TokenDeps) {
    this.#deps = deps;
    this.#accessTokens = new AccessTokenReader(deps.accessKey);
    this.#reuses = new ReuseLog(deps.log, deps.wallClock);
  }

  /** A pair of a new family, for a client that has shown its key. */
  async issue(holder: KeyHolder): Promise<TokenPair> {
    const { store, randomness, wallClock } = this.#deps;
    const familyId = Buffer.from(randomness.bytes(16)).toString('hex');
    const refreshToken = refreshTokenOf(this.#deps.refreshKey, { familyId, generation: 0 });
    const tokenHash = hashRefreshToken(refreshToken);
    const rotatedAtMs = wallClock.epochMs();
    await store.createFamily({ ...holder, familyId, generation: 0, tokenHash, rotatedAtMs, revoked: false });
    return this.#pair(holder, refreshToken);
  }

  /**
   * The client of an access token. Fails with `bad-token`, also if the client is no longer active or the key of its login has
   * ended (I13).
   */
  async clientOf(accessToken: string): Promise<string> {
    const nowMs = this.#deps.wallClock.epochMs();
    const holder = this.#accessTokens.read(accessToken, nowMs);
    if (!holder || !(await this.#deps.store.isKeyActive(holder, nowMs))) throw new RelaygateError('bad-token');
    return holder.clientId;
  }

  /** The family of a token that this server made, valid or not; undefined for any other text. */
  familyOf(refreshToken: string): string | undefined {
    return readRefreshToken(this.#deps.refreshKey, refreshToken)?.familyId;
  }

  /**
   * A new pair for a refresh token. `mayRefresh` is called before anything changes (the legacy API also checks the client
   * key). Fails with `bad-token`; reuse of an old token revokes its family.
   */
  async refresh(refreshToken: string, mayRefresh: (clientId: string) => Promise<boolean>): Promise<TokenPair> {
    const token = readRefreshToken(this.#deps.refreshKey, refreshToken);
    if (!token) throw new RelaygateError('bad-token');
    for (let race = 0; race < MAX_RACES; race += 1) {
      const family = await this.#deps.store.findFamily(token.familyId);
      const isAlive = family && (await this.#deps.store.isKeyActive(family, this.#deps.wallClock.epochMs()));
      if (!isAlive || !(await mayRefresh(family.clientId))) break;
      const generation = await this.#advance(family, token.generation, hashRefreshToken(refreshToken));
      if (generation === 'lost-race') continue;
      return this.#pair(family, refreshTokenOf(this.#deps.refreshKey, { ...token, generation }));
    }
    throw new RelaygateError('bad-token');
  }

  /** Resolves with the generation of the next token. */
  async #advance(family: RefreshFamily, presented: number, presentedHash: string): Promise<number | 'lost-race'> {
    const { store, wallClock, refreshKey } = this.#deps;
    const nowMs = wallClock.epochMs();
    const decision = decideRefresh(family, presented, nowMs);
    switch (decision.kind) {
      case 'rotate': {
        if (presentedHash !== family.tokenHash) throw new RelaygateError('bad-token');
        const generation = family.generation + 1;
        const successor = refreshTokenOf(refreshKey, { familyId: family.familyId, generation });
        const isRotated = await store.rotateFamily(
          family.familyId,
          family.generation,
          hashRefreshToken(successor),
          nowMs,
        );
        return isRotated ? generation : 'lost-race';
      }
      case 'replay':
        this.#reuses.replayed(family);
        return family.generation;
      case 'revoke':
        await store.revokeFamily(family.familyId, nowMs);
        this.#reuses.revoked(family);
        throw new RelaygateError('bad-token');
      case 'reject':
        throw new RelaygateError('bad-token');
      default:
        return decision satisfies never;
    }
  }

  #pair(holder: KeyHolder, refreshToken: string): TokenPair {
    const { accessKey, randomness, wallClock } = this.#deps;
    const tokenId = Buffer.from(randomness.bytes(12)).toString('base64url');
    return { accessToken: signAccessToken(accessKey, holder, tokenId, wallClock.epochMs()), refreshToken };
  }
}
