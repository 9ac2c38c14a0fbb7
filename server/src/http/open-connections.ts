import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Server as TlsServer } from 'node:tls';
import { ANSWER_TAKEN_MS, type Clock, MAX_CONNECTIONS, MAX_UNAUTHENTICATED_PER_ADDRESS } from '@relaygate/shared';
import { AddressLimitedSet } from '../limits/address-limited-set';
import type { AddressOf, Peers } from './client-address';
import type { OpenRequests } from './open-requests';

const CHECK_EVERY_MS = 1_000;
/** Node still counts connections that were just destroyed. */
const CLOSING = 64;

interface Connection {
  /** The TCP socket. With TLS, requests have another socket. */
  readonly raw: Socket;
  /** The socket of the requests; undefined until the TLS handshake is done. */
  socket: Socket | undefined;
  /** Undefined for a trusted proxy, whose requests are counted by the addresses that it names. */
  readonly address: string | undefined;
  isLink: boolean;
  /** When a check first found bytes that the client has not read. */
  unreadSinceMs: number | undefined;
}

/** What is counted by address: a connection, or one request of a trusted proxy. */
interface Client {
  readonly connection: Connection;
  readonly request?: IncomingMessage;
}

export interface OpenConnectionsDeps {
  addressOf: AddressOf;
  peers: Peers;
  requests: OpenRequests;
  clock: Clock;
}

/**
 * Every connection from its first moment, also during the TLS handshake, when Node does not list it. There is a limit for all
 * connections, and one for each address on those that have shown no valid token, key or proof (I15).
 */
export class OpenConnections {
  readonly #deps: OpenConnectionsDeps;
  readonly #isTls: boolean;
  readonly #all = new Set<Connection>();
  readonly #bySocket = new WeakMap<Duplex, Connection>();
  /** During the TLS handshake, by the addresses and ports of both ends. */
  readonly #inHandshake = new Map<string, Connection>();
  /** By connection, or by a trusted proxy's request. */
  readonly #clients = new WeakMap<object, Client>();
  readonly #unauthenticated: AddressLimitedSet<Client>;
  /** Evicted only if no unauthenticated client can be evicted. */
  readonly #authenticated: AddressLimitedSet<Client>;

  constructor(server: Server, deps: OpenConnectionsDeps) {
    this.#deps = deps;
    this.#isTls = server instanceof TlsServer;
    const options = {
      clock: deps.clock,
      mayEvict: (client: Client) => this.#mayEvict(client),
      evict: ({ connection }: Client) => void connection.raw.destroy(),
    };
    this.#unauthenticated = new AddressLimitedSet({ ...options, maxPerAddress: MAX_UNAUTHENTICATED_PER_ADDRESS });
    this.#authenticated = new AddressLimitedSet({ ...options, maxPerAddress: MAX_CONNECTIONS });
    server.maxConnections = MAX_CONNECTIONS + CLOSING;
    server.on('connection', (raw: Socket) => this.#opened(raw));
    server.on('secureConnection', (socket: Socket) => this.#secured(socket));
    const checks = setInterval(() => this.#cutUnread(), CHECK_EVERY_MS).unref();
    server.once('close', () => clearInterval(checks));
  }

  /** Counts a new request. False if its address has too many: the caller ends its connection. */
  takes(request: IncomingMessage): boolean {
    const connection = this.#bySocket.get(request.socket);
    if (!connection) return false;
    if (connection.address !== undefined) return true;
    const client = { connection, request };
    if (!this.#unauthenticated.add(client, this.#deps.addressOf(request))) return false;
    this.#clients.set(request, client);
    return true;
  }

  /** The request is answered, or its connection is closed. */
  left(request: IncomingMessage): void {
    const client = this.#clients.get(request);
    if (client) this.#unauthenticated.delete(client);
  }

  /** The sender of this request has shown a valid token, key or proof. */
  authenticated(request: IncomingMessage): void {
    this.left(request);
    const connection = this.#bySocket.get(request.socket);
    const client = connection && this.#clients.get(connection);
    if (!client || connection.address === undefined || !this.#unauthenticated.delete(client)) return;
    if (!connection.isLink && !connection.raw.destroyed) this.#authenticated.add(client, connection.address);
  }

  /** From now on the connection carries a device link. */
  upgraded(request: IncomingMessage): void {
    const connection = this.#bySocket.get(request.socket);
    if (connection) connection.isLink = true;
  }

  /** True if an answer can be written: without TLS, or after the TLS handshake. */
  isOpen(socket: Duplex): boolean {
    return this.#bySocket.get(socket)?.socket === socket;
  }

  cutAll(): void {
    for (const { raw } of this.#all) raw.destroy();
  }

  #opened(raw: Socket): void {
    // `serveAsNonUpgrade` announces its connection a second time.
    if (this.#bySocket.has(raw)) return;
    const peer = raw.remoteAddress;
    // The client has gone already.
    if (peer === undefined) return void raw.destroy();
    const { peers } = this.#deps;
    const address = peers.isProxy(peer) ? undefined : peers.addressOf(peer);
    const socket = this.#isTls ? undefined : raw;
    const connection: Connection = { raw, socket, address, isLink: false, unreadSinceMs: undefined };
    const client = { connection };
    if (!this.#hasRoom() || (address !== undefined && !this.#unauthenticated.add(client, address)))
      return void raw.destroy();
    this.#all.add(connection);
    this.#bySocket.set(raw, connection);
    this.#clients.set(connection, client);
    const ends = endsOf(raw);
    if (this.#isTls) this.#inHandshake.set(ends, connection);
    raw.once('close', () => {
      this.#all.delete(connection);
      this.#unauthenticated.delete(client);
      this.#authenticated.delete(client);
      if (this.#inHandshake.get(ends) === connection) this.#inHandshake.delete(ends);
    });
  }

  #secured(socket: Socket): void {
    if (this.#bySocket.has(socket)) return;
    const ends = endsOf(socket);
    const connection = this.#inHandshake.get(ends);
    if (!connection) return void socket.destroy();
    this.#inHandshake.delete(ends);
    connection.socket = socket;
    this.#bySocket.set(socket, connection);
  }

  #hasRoom(): boolean {
    return this.#all.size < MAX_CONNECTIONS || this.#unauthenticated.evictOne() || this.#authenticated.evictOne();
  }

  /** A request that has arrived completely may be running, so it is not cut. */
  #mayEvict({ connection: { socket }, request }: Client): boolean {
    if (request) return !request.complete;
    return !socket || this.#deps.requests.on(socket).every(({ req }) => !req.complete);
  }

  /** Unread answers stay in memory (I15). Links have a limit of their own. */
  #cutUnread(): void {
    const nowMs = this.#deps.clock.nowMs();
    for (const connection of this.#all) {
      const { socket, isLink } = connection;
      if (isLink || !socket || socket.writableLength === 0) connection.unreadSinceMs = undefined;
      else connection.unreadSinceMs ??= nowMs;
      if (nowMs - (connection.unreadSinceMs ?? nowMs) >= ANSWER_TAKEN_MS) connection.raw.destroy();
    }
  }
}

/** Identifies a connection: the same text for both sockets of a TLS connection. */
function endsOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}
