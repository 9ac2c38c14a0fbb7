import { createRequire } from 'node:module';
import type { Cancel, Clock, Randomness } from '@relaygate/shared';
import type * as Client from 'nats';
import type { Msg, NatsConnection, Subscription } from 'nats';
import type { Log } from '../log/log';
import type { BusMessage, MessageBus } from './message-bus';
import type { NatsServers } from './nats-servers';
import { refuseSilentServer } from './silent-server';

/** A broker that is silent for two of these is left: a command waits for its answer no longer than that. */
const PING_MS = 2_000;
const MAX_PINGS_OUT = 2;
const CONNECT_MS = 2_000;
/** Full jitter: a random wait of up to RETRY_BASE_MS * 2^attempt, at most RETRY_CAP_MS, so that nodes do not come back at once. */
const RETRY_BASE_MS = 250;
const RETRY_CAP_MS = 5_000;
const MAX_DOUBLINGS = 10;
/** How long a close waits until the broker has what was published. */
const FLUSH_MS = 500;
const NO_RESPONDERS = 503;

export interface NatsBusOptions {
  servers: NatsServers;
  /** For the broker's own lists of its clients. */
  nodeName: string;
  /** A PEM file for `tls://`; undefined: the system's authorities. */
  caFile?: string;
}

interface Listener {
  hear(message: BusMessage): void;
  /** Of the present connection. */
  made?: Subscription;
}

/**
 * Messages over NATS. It begins to connect at once, and again whenever the connection is lost, until it is closed. Each connection
 * is a new one of the client, which so keeps nothing that could be sent late.
 */
export function openNatsBus(
  options: NatsBusOptions,
  { clock, randomness, log }: { clock: Clock; randomness: Randomness; log: Log },
): MessageBus {
  const listeners = new Map<string, Listener>();
  let connection: NatsConnection | undefined;
  let isClosed = false;
  let endPause: () => void = () => {};
  const running = run();

  async function run(): Promise<void> {
    // Nodes begin with different servers.
    let turn = Math.floor(randomness.fraction() * options.servers.servers.length);
    for (let attempt = 0; !isClosed; attempt += 1, turn += 1) {
      try {
        const made = await connectTo(options, turn, clock);
        attempt = 0;
        await serve(made);
      } catch (error) {
        // Without the text of the error, which may name the server with its user.
        if (attempt === 0) log.warn({ code: codeOf(error) }, 'NATS cannot be reached; it is tried again');
        else log.debug({ code: codeOf(error), attempt }, 'NATS cannot be reached');
      }
      if (!isClosed) await pause(randomness.fraction() * waitMs(attempt));
    }
  }

  async function serve(made: NatsConnection): Promise<void> {
    if (isClosed) return made.close();
    for (const [subject, listener] of listeners) listener.made = listen(made, subject, listener);
    connection = made;
    log.info({ server: made.getServer() }, 'connected to NATS');
    const forget = (): void => {
      if (connection === made) connection = undefined;
    };
    void followStatus(made, forget);
    const error = await made.closed();
    forget();
    if (!isClosed) log.warn({ code: codeOf(error) }, 'connection to NATS lost');
  }

  function pause(forMs: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel: Cancel = clock.after(forMs, resolve);
      endPause = () => {
        cancel();
        resolve();
      };
    });
  }

  return {
    get isConnected() {
      return connection !== undefined && !connection.isClosed();
    },
    publish(subject, data, reply) {
      try {
        connection?.publish(subject, data, reply === undefined ? {} : { reply });
      } catch (error) {
        log.debug({ code: codeOf(error), subject }, 'a message was not published');
      }
    },
    subscribe(subject, hear) {
      const listener: Listener = { hear };
      listeners.set(subject, listener);
      if (connection) listener.made = listen(connection, subject, listener);
    },
    async unsubscribe(subject) {
      const made = listeners.get(subject)?.made;
      listeners.delete(subject);
      // It rejects if the connection is gone.
      await made?.drain().catch(() => {});
    },
    async close() {
      isClosed = true;
      endPause();
      const last = connection;
      connection = undefined;
      if (last && !last.isClosed()) await flushed(last, clock);
      await last?.close();
      await running;
    },
  };
}

/** `turn`: which of the servers. One at a time, because the client takes one host for all to check certificates by. */
async function connectTo(
  { servers, nodeName, caFile }: NatsBusOptions,
  turn: number,
  clock: Clock,
): Promise<NatsConnection> {
  const { servers: addresses, isTls, ...login } = servers;
  const address = addresses[turn % addresses.length] ?? '';
  const host = hostOf(address);
  await refuseSilentServer({ host, port: Number(address.slice(address.lastIndexOf(':') + 1)) }, CONNECT_MS, clock);
  // The client names a host that is an address `localhost`.
  const tls = { host, ...(caFile === undefined ? {} : { caFile }) };
  // Loaded here: who has one server needs none of it.
  const client: typeof Client = createRequire(__filename)('nats');
  return client.connect({
    ...login,
    servers: [address],
    // Null: never TLS of which nobody has asked to check the name.
    tls: isTls ? tls : null,
    name: `relaygate ${nodeName}`,
    timeout: CONNECT_MS,
    pingInterval: PING_MS,
    maxPingOut: MAX_PINGS_OUT,
    reconnect: false,
    noAsyncTraces: true,
  });
}

/** Before the client has closed the connection, so that nothing more is published on it. */
async function followStatus(made: NatsConnection, lost: () => void): Promise<void> {
  for await (const { type } of made.status()) if (type === 'disconnect' || type === 'staleConnection') lost();
}

function listen(made: NatsConnection, subject: string, { hear }: Listener): Subscription {
  return made.subscribe(subject, {
    callback: (error, message) => {
      if (error === null) hear(heard(message));
    },
  });
}

/** Resolves when the broker has what was published, or after FLUSH_MS. */
function flushed(made: NatsConnection, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(FLUSH_MS, resolve);
    const done = (): void => {
      cancel();
      resolve();
    };
    made.flush().then(done, done);
  });
}

function heard({ subject, reply, data, headers }: Msg): BusMessage {
  return { subject, reply: reply ?? '', data, isNoResponders: headers?.code === NO_RESPONDERS && data.length === 0 };
}

function hostOf(address: string): string {
  return address.slice(0, address.lastIndexOf(':')).replace(/^\[(.*)\]$/, '$1');
}

function waitMs(attempt: number): number {
  return Math.min(RETRY_CAP_MS, RETRY_BASE_MS * 2 ** Math.min(attempt, MAX_DOUBLINGS));
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'none';
}
