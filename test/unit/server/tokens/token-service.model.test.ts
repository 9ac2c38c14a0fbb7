import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openSqliteStorage } from '@relaygate/server/storage/sqlite/sqlite-storage';
import type { Storage } from '@relaygate/server/storage/storage';
import { type TokenDeps, TokenService } from '@relaygate/server/tokens/token-service';
import type { TokenPair } from '@relaygate/shared';
import fc from 'fast-check';
import { firstViolation } from '../../../support/chance/first-violation';
import { generatedRounds } from '../../../support/chance/generated-rounds';
import { type MakeTokenService, type TokenMove, TokenWorld, tokenMoves } from './token-world';

let storage: Storage;
beforeAll(async () => {
  storage = await openSqliteStorage({ file: ':memory:', inline: true, writerName: 'test' });
});
afterAll(() => storage.close());

const play =
  (make: MakeTokenService) =>
  async (moves: TokenMove[]): Promise<void> => {
    const world = await TokenWorld.open(storage, make);
    for (const move of moves) await world.make(move);
  };

function withStore(change: (store: TokenDeps['store']) => Partial<TokenDeps['store']>): MakeTokenService {
  return ({ store, ...parts }) => {
    const { createFamily, findFamily, rotateFamily, revokeFamily, isKeyActive } = store;
    const same = { createFamily, findFamily, rotateFamily, revokeFamily, isKeyActive };
    return new TokenService({ ...parts, store: { ...same, ...change(store) } });
  };
}

/** Remembers which token followed which, and presents another one than it was given. */
function presenting(
  other: (token: string, successorOf: (token: string) => string | undefined) => string,
): MakeTokenService {
  return (parts) => {
    const successors = new Map<string, string>();
    class Mutant extends TokenService {
      override async refresh(token: string, mayRefresh: (clientId: string) => Promise<boolean>): Promise<TokenPair> {
        const taken = other(token, (one) => successors.get(one));
        const pair = await super.refresh(taken, mayRefresh);
        if (!successors.has(taken)) successors.set(taken, pair.refreshToken);
        return pair;
      }
    }
    return new Mutant(parts);
  };
}

const MUTANTS: [string, string, MakeTokenService][] = [
  [
    'takes a grandparent',
    'T21: a stale token was taken',
    presenting((token, successorOf) => {
      const child = successorOf(token);
      return child !== undefined && successorOf(child) !== undefined ? child : token;
    }),
  ],
  [
    'does not revoke a family whose old token came back',
    'T21: a stale token',
    withStore(() => ({ revokeFamily: async () => {} })),
  ],
  [
    'never ends the grace of a lost answer',
    'T21: a stale token was taken',
    (parts) => new TokenService({ ...parts, wallClock: { epochMs: () => Date.UTC(2026, 0, 1) } }),
  ],
  ['forgets a rotation', 'a good token was refused', withStore(() => ({ rotateFamily: async () => true }))],
  [
    'gives each lost answer a token of its own',
    'a lost answer was given again, with another token',
    presenting((token, successorOf) => successorOf(token) ?? token),
  ],
  [
    'asks nobody whether a client is active',
    'I13: a deactivated client got a token',
    withStore(() => ({ isKeyActive: async () => true })),
  ],
  [
    'does not ask whose token it is',
    'I7: a token was taken from another client',
    (parts) => {
      class Mutant extends TokenService {
        override refresh(token: string): Promise<TokenPair> {
          return super.refresh(token, async () => true);
        }
      }
      return new Mutant(parts);
    },
  ],
];

describe('refresh tokens, whoever presents which when', () => {
  test('one live successor, a lost answer given again, and an end to every family that was copied (I7, I13)', async () => {
    await fc.assert(
      fc.asyncProperty(
        tokenMoves,
        play((parts) => new TokenService(parts)),
      ),
      generatedRounds(400, 3_000),
    );
  });

  test.each(MUTANTS)('would be caught when it %s', async (_name, violation, mutant) => {
    expect(await firstViolation(tokenMoves, play(mutant), violation)).toContain(violation);
  });
});
