/** Who may have a connection to the page's port. Knows no socket. */
import { isIPv6 } from 'node:net';
import {
  type Clock,
  MAX_WEB_CONNECTIONS,
  MAX_WEB_CONNECTIONS_PER_ADDRESS,
  MAX_WEB_SESSIONS,
  WEB_SESSION_IDLE_MS,
} from '@relaygate/shared';
import { bareAddress } from '../runtime/bare-address';
import { ConnectionRate } from './connection-rate';
import { groupsOf } from './ip-address';

/** fe80::/10 */
const LINK_LOCAL = /^fe[89ab][0-9a-f]:/i;

export interface Connection {
  /** The other side's address. */
  address: string;
  /** The address of this device to which it was made. */
  ownAddress: string;
  end(): void;
}

/**
 * Connections are bounded in all and for each host. If there is no room, one without a session gives way to a new one, so
 * that idle ones keep nobody out. I15.
 */
export class ConnectionRoom {
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly #rate: ConnectionRate;
  /** The connections with their hosts, the oldest first. */
  readonly #connections = new Map<Connection, string>();
  /** Connections over which somebody has logged in, or has come with a session. */
  readonly #withSession = new WeakSet<Connection>();
  /** Hosts where sessions were used, and when; the one that was unused for longest first. */
  readonly #sessionHosts = new Map<string, number>();

  constructor(clock: Pick<Clock, 'nowMs'>) {
    this.#clock = clock;
    this.#rate = new ConnectionRate(clock);
  }

  /** False: there is no room for it now. */
  enter(connection: Connection): boolean {
    const host = hostOf(connection);
    if (!this.#rate.take(host, this.#hasSession(host))) return false;
    const ofSame = [...this.#connections.values()].filter((other) => other === host).length;
    // A host that has reached its bound loses one of its own.
    const isHostFull = ofSame >= MAX_WEB_CONNECTIONS_PER_ADDRESS;
    if (isHostFull || this.#connections.size >= MAX_WEB_CONNECTIONS) {
      const gives = isHostFull ? this.#oldestOf(host) : this.#oldestOf(this.#greediest());
      if (!gives) return false;
      this.leave(gives);
      gives.end();
    }
    this.#connections.set(connection, host);
    return true;
  }

  /** Somebody who is logged in has sent a request over it. */
  logIn(connection: Connection): void {
    this.#withSession.add(connection);
    const host = hostOf(connection);
    this.#sessionHosts.delete(host);
    this.#sessionHosts.set(host, this.#clock.nowMs());
    const [longestUnused] = this.#sessionHosts.keys();
    if (this.#sessionHosts.size > MAX_WEB_SESSIONS && longestUnused !== undefined)
      this.#sessionHosts.delete(longestUnused);
  }

  leave(connection: Connection): void {
    this.#connections.delete(connection);
  }

  endAll(): void {
    for (const connection of this.#connections.keys()) connection.end();
  }

  /** How many entries about strangers are kept. */
  get sizeOfRecord(): number {
    return this.#connections.size + this.#rate.hosts + this.#sessionHosts.size;
  }

  #hasSession(host: string): boolean {
    return this.#clock.nowMs() - (this.#sessionHosts.get(host) ?? Number.NEGATIVE_INFINITY) < WEB_SESSION_IDLE_MS;
  }

  /** The host with most connections without a session; of several, that with the oldest one. null: there is none. */
  #greediest(): string | null {
    const counts = new Map<string, number>();
    for (const [connection, host] of this.#connections)
      if (!this.#withSession.has(connection)) counts.set(host, (counts.get(host) ?? 0) + 1);
    let greediest: string | null = null;
    for (const [host, count] of counts) {
      if (greediest === null || count > (counts.get(greediest) ?? 0)) greediest = host;
    }
    return greediest;
  }

  #oldestOf(host: string | null): Connection | null {
    for (const [connection, its] of this.#connections)
      if (its === host && !this.#withSession.has(connection)) return connection;
    return null;
  }
}

/**
 * What counts as one host: an IPv4 address, or the /64 of an IPv6 address, because one machine has as many of those as it
 * likes. In the device's own /64, and among link-local addresses, each address counts, because everybody there shares the
 * /64.
 */
export function hostOf({ address, ownAddress }: Pick<Connection, 'address' | 'ownAddress'>): string {
  const bare = bareAddress(address);
  if (!isIPv6(bare)) return bare;
  const groups = groupsOf(bare);
  const network = groups.slice(0, 4).join(':');
  const own = bareAddress(ownAddress);
  const isOnLink = LINK_LOCAL.test(bare) || (isIPv6(own) && groupsOf(own).slice(0, 4).join(':') === network);
  return isOnLink ? groups.join(':') : network;
}
