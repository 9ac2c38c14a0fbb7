/**
 * What refresh tokens may and may not do, as their holders see it: a family is the tokens that were handed out, one
 * after the other. It knows nothing of generations, hashes or rows.
 */
import { strict as assert } from 'node:assert';
import { REFRESH_GRACE_MS, REFRESH_IDLE_MS } from '@relaygate/shared';

export class FamilyModel {
  readonly clientId: string;
  /** In the order they were handed out; the last one is live. */
  readonly tokens: string[];
  #rotatedAtMs: number;
  #isDead = false;

  constructor(clientId: string, firstToken: string, nowMs: number) {
    this.clientId = clientId;
    this.tokens = [firstToken];
    this.#rotatedAtMs = nowMs;
  }

  get live(): string {
    return this.tokens.at(-1) ?? '';
  }

  /** Whether this token is good now. A stale or stolen one ends the family, for good. */
  present(token: string, nowMs: number): 'good' | 'bad' {
    if (this.#isDead) return 'bad';
    const sinceMs = nowMs - this.#rotatedAtMs;
    if (token === this.live) return sinceMs > REFRESH_IDLE_MS ? 'bad' : 'good';
    const mayBeALostAnswer = token === this.tokens.at(-2) && Math.abs(sinceMs) <= REFRESH_GRACE_MS;
    if (!mayBeALostAnswer) this.#isDead = true;
    return mayBeALostAnswer ? 'good' : 'bad';
  }

  /** `successor` was given for `token`. */
  handedOut(token: string, successor: string, nowMs: number): void {
    if (token !== this.live) {
      assert.equal(successor, this.live, 'a lost answer was given again, with another token');
      return;
    }
    assert(!this.tokens.includes(successor), 'a token was handed out again');
    this.tokens.push(successor);
    this.#rotatedAtMs = nowMs;
  }
}
