/**
 * The token service over a real database in memory, a wall clock that also jumps, and clients that keep every token
 * they were ever given. `FamilyModel` says what each may still do.
 */
import { strict as assert } from 'node:assert';
import { createSecretKey } from 'node:crypto';
import type { Storage } from '@relaygate/server/storage/storage';
import type { TokenDeps, TokenService } from '@relaygate/server/tokens/token-service';
import { RelaygateError, type TokenPair } from '@relaygate/shared';
import fc from 'fast-check';
import { weightedMove } from '../../../support/chance/weighted-move';
import { SILENT_LOG } from '../../../support/server/collecting-log';
import { FamilyModel } from './refresh-model';

export type TokenMove =
  | { move: 'login'; client: number }
  /** `age`: 0 for the live token, 1 for its parent, and so on; `times`: all at once. */
  | { move: 'refresh'; family: number; age: number; times: number; asOther: boolean }
  | { move: 'forge'; family: number; age: number }
  | { move: 'set-active'; client: number; active: boolean }
  | { move: 'wall-clock'; byMs: number };

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;

export const tokenMoves: fc.Arbitrary<TokenMove[]> = fc.array(
  fc.oneof<fc.WeightedArbitrary<TokenMove>[]>(
    weightedMove(2, 'login', { client: fc.nat(1) }),
    weightedMove(8, 'refresh', {
      family: fc.nat(2),
      age: fc.constantFrom(0, 0, 0, 1, 1, 2, 3),
      times: fc.constantFrom(1, 1, 2, 5),
      asOther: fc.constantFrom(false, false, false, false, true),
    }),
    weightedMove(1, 'forge', { family: fc.nat(2), age: fc.nat(1) }),
    weightedMove(1, 'set-active', { client: fc.nat(1), active: fc.boolean() }),
    weightedMove(3, 'wall-clock', {
      byMs: fc.constantFrom(
        SECOND_MS,
        29 * SECOND_MS,
        30 * SECOND_MS,
        31 * SECOND_MS,
        -3_600_000,
        89 * DAY_MS,
        2 * DAY_MS,
      ),
    }),
  ),
  { maxLength: 30, size: 'max' },
);

export type MakeTokenService = (parts: TokenDeps) => TokenService;

/** Ids that differ from game to game, so that all of them can share one database. */
let made = 0;

export class TokenWorld {
  readonly #service: TokenService;
  readonly #storage: Storage;
  readonly #clients: [string, string];
  readonly #inactive = new Set<string>();
  readonly #families: FamilyModel[] = [];
  #nowMs = Date.UTC(2026, 0, 1);

  static async open(storage: Storage, make: MakeTokenService): Promise<TokenWorld> {
    made += 1;
    const clients: [string, string] = [`app-${made}`, `other-${made}`];
    for (const clientId of clients) {
      await storage.createClient({ clientId, name: clientId, keyId: clientId, keyHash: 'aa', createdAtMs: 0 });
    }
    return new TokenWorld(storage, clients, make);
  }

  private constructor(storage: Storage, clients: [string, string], make: MakeTokenService) {
    this.#storage = storage;
    this.#clients = clients;
    this.#service = make({
      store: storage,
      accessKey: { key: createSecretKey(Buffer.alloc(32, 1)), kid: 'k1', issuer: 'relaygate' },
      refreshKey: createSecretKey(Buffer.alloc(32, 2)),
      wallClock: { epochMs: () => this.#nowMs },
      randomness: { bytes: nextBytes, fraction: () => 0.5 },
      log: SILENT_LOG,
    });
  }

  async make(move: TokenMove): Promise<void> {
    switch (move.move) {
      case 'login': {
        const clientId = this.#clientOf(move.client);
        const { refreshToken } = await this.#service.issue({ clientId, keyId: clientId });
        this.#families.push(new FamilyModel(clientId, refreshToken, this.#nowMs));
        return;
      }
      case 'refresh': {
        const family = this.#families[move.family];
        const token = family?.tokens.at(-1 - move.age);
        if (family && token !== undefined) await this.#refresh(family, token, move.times, move.asOther);
        return;
      }
      case 'forge': {
        const token = this.#families[move.family]?.tokens.at(-1 - move.age);
        const forged = token?.replace(/_[^_]{4}([^_]*)$/, '_AAAA$1');
        if (forged !== undefined && forged !== token)
          assert.equal(await this.#ask(forged, () => true), null, 'T21: a forged token was taken');
        return;
      }
      case 'set-active': {
        const clientId = this.#clientOf(move.client);
        await this.#storage.setClientActive(clientId, move.active, this.#nowMs);
        if (move.active) this.#inactive.delete(clientId);
        else this.#inactive.add(clientId);
        return;
      }
      case 'wall-clock':
        this.#nowMs += move.byMs;
        return;
      default:
        move satisfies never;
    }
  }

  async #refresh(family: FamilyModel, token: string, times: number, asOther: boolean): Promise<void> {
    const isOwner = (clientId: string): boolean => (clientId === family.clientId) !== asOther;
    const pairs = await Promise.all(Array.from({ length: times }, () => this.#ask(token, isOwner)));
    for (const pair of pairs) await this.#check(family, token, pair, asOther);
  }

  async #check(family: FamilyModel, token: string, pair: TokenPair | null, asOther: boolean): Promise<void> {
    if (asOther) {
      assert.equal(pair, null, 'I7: a token was taken from another client');
      return;
    }
    if (this.#inactive.has(family.clientId)) {
      assert.equal(pair, null, 'I13: a deactivated client got a token');
      return;
    }
    if (family.present(token, this.#nowMs) === 'bad') {
      assert.equal(pair, null, 'T21: a stale token was taken');
      return;
    }
    assert(pair, 'a good token was refused');
    family.handedOut(token, pair.refreshToken, this.#nowMs);
    assert.equal(
      await this.#service.clientOf(pair.accessToken),
      family.clientId,
      'I7: an access token of somebody else',
    );
  }

  async #ask(token: string, isOwner: (clientId: string) => boolean): Promise<TokenPair | null> {
    try {
      return await this.#service.refresh(token, async (clientId) => isOwner(clientId));
    } catch (error) {
      if (error instanceof RelaygateError && error.code === 'bad-token') return null;
      throw error;
    }
  }

  #clientOf(client: number): string {
    return this.#clients[client] ?? this.#clients[0];
  }
}

let drawn = 0;
function nextBytes(size: number): Uint8Array {
  drawn += 1;
  const bytes = Buffer.alloc(size);
  bytes.writeUInt32BE(drawn, 0);
  return bytes;
}
