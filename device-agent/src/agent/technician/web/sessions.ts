import { type Clock, MAX_WEB_SESSIONS, type Randomness, WEB_SESSION_IDLE_MS } from '@relaygate/shared';
import { drawToken, hashOfToken } from '../secret-token';

export interface Session {
  /** The name under which things are done. */
  actor: string;
  csrfToken: string;
}

interface KeptSession extends Session {
  /** The id of the PIN by which it was begun. */
  pinId: string;
  usedMs: number;
}

export interface SessionsDeps {
  clock: Clock;
  randomness: Randomness;
  /** The PIN in force. */
  pinId(): string | null;
}

/** The sessions at the page. Bounded: a new one ends the one that was unused for longest. I15. */
export class Sessions {
  readonly #deps: SessionsDeps;
  /** The sessions by the hash of their token, the one that was unused for longest first. */
  readonly #sessions = new Map<string, KeptSession>();

  constructor(deps: SessionsDeps) {
    this.#deps = deps;
  }

  get count(): number {
    return this.#sessions.size;
  }

  begin(actor: string, pinId: string): { token: string; session: Session } {
    this.#endIdle();
    const [longestUnused] = this.#sessions.keys();
    if (this.#sessions.size >= MAX_WEB_SESSIONS && longestUnused !== undefined) this.#sessions.delete(longestUnused);
    const { clock, randomness } = this.#deps;
    const token = drawToken(randomness);
    const session = { actor, csrfToken: drawToken(randomness), pinId, usedMs: clock.nowMs() };
    this.#sessions.set(hashOfToken(token), session);
    return { token, session };
  }

  /** Counts as a use of it. null: there is none, or it is over. */
  use(token: string): Session | null {
    this.#endIdle();
    const key = hashOfToken(token);
    const session = this.#sessions.get(key);
    if (!session) return null;
    this.#sessions.delete(key);
    // A new PIN was made: whoever knew the old one is out.
    if (session.pinId !== this.#deps.pinId()) return null;
    session.usedMs = this.#deps.clock.nowMs();
    this.#sessions.set(key, session);
    return session;
  }

  end(token: string): void {
    this.#sessions.delete(hashOfToken(token));
  }

  #endIdle(): void {
    const longestMs = this.#deps.clock.nowMs() - WEB_SESSION_IDLE_MS;
    for (const [key, { usedMs }] of this.#sessions) if (usedMs <= longestMs) this.#sessions.delete(key);
  }
}
