import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Server as TlsServer } from 'node:tls';
import { ANSWER_TAKEN_MS, type Clock, MAX_CONNECTIONS, MAX_STRANGERS_PER_ADDRESS } from '@relaygate/shared';
import { Strangers } from '../strangers';
import type { AddressOf, Peers } from './client-address';
import type { OpenRequests } from './open-requests';

const LOOK_EVERY_MS = 1_000;
/** Those that were told to go are still there for a moment. */
const LEAVING = 64;

interface Connection {
  /** The TCP connection; below TLS another than that of the requests. */
  readonly raw: Socket;
  /** What requests come on; undefined until TLS is agreed on. */
  socket: Socket | undefined;
  /** Undefined of a trusted proxy, whose requests are counted by whom they come from. */
  readonly address: string | undefined;
  isLink: boolean;
  /** Since when its client has left bytes unread, as far as was looked. */
  unreadSinceMs: number | undefined;
}

/** A place that is taken: by a connection, or by one request that a trusted proxy passes on. */
interface Place {
  readonly connection: Connection;
  readonly request?: IncomingMessage;
}

export interface OpenConnectionsParts {
  addressOf: AddressOf;
  peers: Peers;
  requests: OpenRequests;
  clock: Clock;
}

/**
 * Every connection from its first moment on, also before TLS is agreed on, which Node itself does not know: bounded in
 * all, and for each address while nobody has shown a valid token or proof on it (I15).
 */
export class OpenConnections {
  readonly #parts: OpenConnectionsParts;
  readonly #isTls: boolean;
  readonly #all = new Set<Connection>();
  readonly #bySocket = new WeakMap<Duplex, Connection>();
  /** Where TLS is still to be agreed on, by both ends of the connection. */
  readonly #agreeing = new Map<string, Connection>();
  readonly #places = new WeakMap<object, Place>();
  readonly #strangers: Strangers<Place>;
  /** Of applications that are known; they give way when there are no strangers left. */
  readonly #acquaintances: Strangers<Place>;

  constructor(server: Server, parts: OpenConnectionsParts) {
    this.#parts = parts;
    this.#isTls = server instanceof TlsServer;
    const gives = {
      clock: parts.clock,
      mayGo: (place: Place) => this.#mayGo(place),
      sendAway: ({ connection }: Place) => void connection.raw.destroy(),
    };
    this.#strangers = new Strangers({ ...gives, perAddress: MAX_STRANGERS_PER_ADDRESS });
    this.#acquaintances = new Strangers({ ...gives, perAddress: MAX_CONNECTIONS });
    server.maxConnections = MAX_CONNECTIONS + LEAVING;
    server.on('connection', (raw: Socket) => this.#opened(raw));
    server.on('secureConnection', (socket: Socket) => this.#agreed(socket));
    const looking = setInterval(() => this.#cutUnread(), LOOK_EVERY_MS).unref();
    server.once('close', () => clearInterval(looking));
  }

  /** A request has come; false: it has no place, and its connection is over. */
  takes(request: IncomingMessage): boolean {
    const connection = this.#bySocket.get(request.socket);
    if (!connection) return false;
    if (connection.address !== undefined) return true;
    const place = { connection, request };
    if (!this.#strangers.enter(place, this.#parts.addressOf(request))) return false;
    this.#places.set(request, place);
    return true;
  }

  /** Its request is answered, or gone. */
  left(request: IncomingMessage): void {
    const place = this.#places.get(request);
    if (place) this.#strangers.leave(place);
  }

  /** Whoever sent this request has shown who they are. */
  known(request: IncomingMessage): void {
    this.left(request);
    const connection = this.#bySocket.get(request.socket);
    const place = connection && this.#places.get(connection);
    if (!place || connection.address === undefined || !this.#strangers.leave(place)) return;
    if (!connection.isLink && !connection.raw.destroyed) this.#acquaintances.enter(place, connection.address);
  }

  /** It carries a device's link from now on. */
  upgraded(request: IncomingMessage): void {
    const connection = this.#bySocket.get(request.socket);
    if (connection) connection.isLink = true;
  }

  /** Is TLS, if there is any, agreed on, so that an answer can be written? */
  isOpen(socket: Duplex): boolean {
    return this.#bySocket.get(socket)?.socket === socket;
  }

  cutAll(): void {
    for (const { raw } of this.#all) raw.destroy();
  }

  #opened(raw: Socket): void {
    // One that is served plain again.
    if (this.#bySocket.has(raw)) return;
    const peer = raw.remoteAddress;
    // Gone already.
    if (peer === undefined) return void raw.destroy();
    const { peers } = this.#parts;
    const address = peers.isProxy(peer) ? undefined : peers.addressOf(peer);
    const socket = this.#isTls ? undefined : raw;
    const connection: Connection = { raw, socket, address, isLink: false, unreadSinceMs: undefined };
    const place = { connection };
    if (!this.#hasRoom() || (address !== undefined && !this.#strangers.enter(place, address)))
      return void raw.destroy();
    this.#all.add(connection);
    this.#bySocket.set(raw, connection);
    this.#places.set(connection, place);
    const ends = endsOf(raw);
    if (this.#isTls) this.#agreeing.set(ends, connection);
    raw.once('close', () => {
      this.#all.delete(connection);
      this.#strangers.leave(place);
      this.#acquaintances.leave(place);
      if (this.#agreeing.get(ends) === connection) this.#agreeing.delete(ends);
    });
  }

  #agreed(socket: Socket): void {
    if (this.#bySocket.has(socket)) return;
    const ends = endsOf(socket);
    const connection = this.#agreeing.get(ends);
    if (!connection) return void socket.destroy();
    this.#agreeing.delete(ends);
    connection.socket = socket;
    this.#bySocket.set(socket, connection);
  }

  #hasRoom(): boolean {
    return this.#all.size < MAX_CONNECTIONS || this.#strangers.sendOneAway() || this.#acquaintances.sendOneAway();
  }

  /** A request that is whole may be under way, which is not broken off. */
  #mayGo({ connection: { socket }, request }: Place): boolean {
    if (request) return !request.complete;
    return !socket || this.#parts.requests.on(socket).every(({ req }) => !req.complete);
  }

  /** Answers wait in memory for clients that do not read them. Links have a bound of their own. */
  #cutUnread(): void {
    const nowMs = this.#parts.clock.nowMs();
    for (const connection of this.#all) {
      const { socket, isLink } = connection;
      if (isLink || !socket || socket.writableLength === 0) connection.unreadSinceMs = undefined;
      else connection.unreadSinceMs ??= nowMs;
      if (nowMs - (connection.unreadSinceMs ?? nowMs) >= ANSWER_TAKEN_MS) connection.raw.destroy();
    }
  }
}

/** Tells a TLS connection's two sockets from those of others. */
function endsOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}
