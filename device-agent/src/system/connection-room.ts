/** Who may have a connection to the page's port. Knows no socket. */
import { isIPv6 } from 'node:net';
import { MAX_WEB_CONNECTIONS, MAX_WEB_CONNECTIONS_PER_ADDRESS } from '@relaygate/shared';

/** New connections: their handshakes take the agent's time, which is also the relays'. */
const NEW_PER_S = 20;
const NEW_AT_ONCE = 40;

export interface Connection {
  /** Of whoever it comes from. */
  address: string;
  /** Somebody has logged in over it, or has come with a session. */
  hasSession: boolean;
  end(): void;
}

/**
 * Bounded in all and for each host. Where it is full, the oldest connection without a session gives way to a new one, so
 * that idle ones keep nobody out. I15.
 */
export class ConnectionRoom {
  /** The oldest first. */
  readonly #connections = new Set<Connection>();
  #tokens = NEW_AT_ONCE;
  #filledMs: number | null = null;

  /** False: there is no room for it, now. */
  enter(connection: Connection, nowMs: number): boolean {
    if (!this.#takeToken(nowMs)) return false;
    const all = [...this.#connections];
    const host = hostOf(connection.address);
    const ofSame = all.filter(({ address }) => hostOf(address) === host);
    // A host that has all of its own loses one of these, and nobody else's.
    const isHostFull = ofSame.length >= MAX_WEB_CONNECTIONS_PER_ADDRESS;
    if (isHostFull || all.length >= MAX_WEB_CONNECTIONS) {
      const oldest = (isHostFull ? ofSame : all).find(({ hasSession }) => !hasSession);
      if (!oldest) return false;
      this.leave(oldest);
      oldest.end();
    }
    this.#connections.add(connection);
    return true;
  }

  leave(connection: Connection): void {
    this.#connections.delete(connection);
  }

  endAll(): void {
    for (const connection of this.#connections) connection.end();
  }

  #takeToken(nowMs: number): boolean {
    const filled = ((nowMs - (this.#filledMs ?? nowMs)) / 1_000) * NEW_PER_S;
    this.#filledMs = nowMs;
    this.#tokens = Math.min(NEW_AT_ONCE, this.#tokens + filled);
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}

/** IPv4 in whole; of IPv6 the /64, of which one machine has as many addresses as it likes. */
export function hostOf(address: string): string {
  const bare = address.replace(/%.*$/, '').replace(/^::ffff:(?=\d+\.)/i, '');
  if (!isIPv6(bare)) return bare;
  const [head = '', tail] = bare.toLowerCase().split('::', 2);
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: tail === undefined ? 0 : 8 - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after].slice(0, 4).join(':');
}
