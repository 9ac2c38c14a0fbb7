import { existsSync, readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { type Clock, type Randomness, RelaygateError, type ServerSettings, type WallClock } from '@relaygate/shared';
import { systemClock, systemRandomness, systemWallClock } from '@relaygate/shared/system';
import { v7 } from 'uuid';
import { FailureCounter } from './clients/failure-counter';
import { holderOf, login } from './clients/login';
import { commandStatus } from './commands/command-status';
import { Dispatcher } from './commands/dispatcher';
import { driveOutput } from './commands/drive-output';
import { LateOutcomes } from './commands/late-outcomes';
import { OutcomeRecorder } from './commands/outcome-recorder';
import { LinkRegistry } from './gateway/link-registry';
import { watchRevocations } from './gateway/revocation-watch';
import { serveDeviceLinks } from './gateway/ws-endpoint';
import type { Actions } from './http/actions';
import { httpApp } from './http/app';
import { clientAddresses } from './http/client-address';
import { httpServer, type ListenAddress, listen } from './http/http-server';
import { servePlainAgain } from './http/plain-again';
import type { Log } from './log';
import { pinoLog } from './pino-log';
import { associate, dissociate } from './products/association';
import { productState } from './products/product-state';
import { Readiness } from './readiness';
import { localRouter } from './router/local-router';
import { listenAddress, trustedProxies } from './settings';
import { backUp } from './storage/back-up';
import type { CopyProgress } from './storage/checked-copy';
import { databaseFile } from './storage/data-folder';
import { lockDataFolder } from './storage/data-folder-lock';
import { restore } from './storage/restore';
import { openSecrets, type Secrets } from './storage/secrets';
import { openSqliteStorage } from './storage/sqlite-storage';
import type { Storage } from './storage/storage';
import { TokenService } from './tokens/token-service';

/** What a server stands on: everything that touches the machine. */
export interface ServerParts {
  settings: Pick<ServerSettings, 'serverName' | 'nodeName' | 'legacyDeprecatedAt' | 'publicUrl'>;
  address: ListenAddress;
  /** Addresses or networks whose X-Forwarded-For is believed. */
  trustedProxies: string[];
  storage: Storage;
  secrets: Secrets;
  tls: { cert: Buffer; key: Buffer } | undefined;
  log: Log;
  clock: Clock;
  wallClock: WallClock;
  randomness: Randomness;
}

export interface RunningServer {
  /** Where it listens: `http://127.0.0.1:8080`, without a path. */
  url: string;
  /** Takes nothing new, lets running requests finish, closes the links, then the database. */
  stop(): Promise<void>;
}

/** Whose audit chain the operator's commands append to. */
const OPERATOR = 'cli';
/** Commands that nobody has resolved for this long never will be. */
const FORGET_OPEN_COMMANDS_MS = 7 * 24 * 3_600_000;
/** A running request ends within 5.1 s (I6); what is left after this is cut. */
const DRAIN_MS = 6_000;
const OUTCOMES_DRAIN_MS = 2_000;

/** A server on the real machine, by its settings. Rejects with a RelaygateError that says what to do. */
export async function composeServer(settings: ServerSettings): Promise<RunningServer & { log: Log }> {
  const log = pinoLog(settings.logLevel);
  const tls = readTls(settings);
  const unlock = lockDataFolder(settings.dataDir);
  const storage = await openStore(settings, settings.nodeName);
  try {
    const secrets = openSecrets(settings.dataDir, systemRandomness);
    const server = await startServer({
      settings,
      address: listenAddress(settings),
      trustedProxies: trustedProxies(settings),
      storage,
      secrets,
      tls,
      log,
      clock: systemClock,
      wallClock: systemWallClock,
      randomness: systemRandomness,
    });
    return {
      url: server.url,
      log,
      async stop() {
        await server.stop();
        unlock();
      },
    };
  } catch (error) {
    await storage.close();
    throw error;
  }
}

/** The database for one of the operator's commands; small and short, so without a thread. */
export async function openOperatorStore(
  settings: ServerSettings,
  { mustExist }: { mustExist: boolean },
): Promise<Storage> {
  if (mustExist && !existsSync(databaseFile(settings.dataDir))) {
    const text = `There is no database in ${settings.dataDir}; set RELAYGATE_DATA_DIR to the data folder of the server.`;
    throw new RelaygateError('database-unusable', text);
  }
  return openStore(settings, OPERATOR, true);
}

export function backUpDatabase(
  { dataDir }: ServerSettings,
  file: string,
  progress: CopyProgress,
): ReturnType<typeof backUp> {
  return backUp(dataDir, file, progress);
}

export function restoreDatabase(
  { dataDir }: ServerSettings,
  file: string,
  progress: CopyProgress,
): ReturnType<typeof restore> {
  return restore(file, { dataDir, writerName: OPERATOR, atMs: systemWallClock.epochMs(), progress });
}

function openStore({ dataDir }: ServerSettings, writerName: string, inline = false): Promise<Storage> {
  return openSqliteStorage({ file: databaseFile(dataDir), writerName, inline });
}

function readTls({ tlsCert, tlsKey }: ServerSettings): ServerParts['tls'] {
  if (tlsCert === undefined || tlsKey === undefined) return undefined;
  return { cert: readPem(tlsCert, 'RELAYGATE_TLS_CERT'), key: readPem(tlsKey, 'RELAYGATE_TLS_KEY') };
}

function readPem(file: string, setting: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new RelaygateError('bad-setting', `${setting} names ${file}, which cannot be read; it may be a PEM file.`, {
      cause,
    });
  }
}

/** Wires the server together and listens. Rejects with a RelaygateError that says what to do. */
export async function startServer(parts: ServerParts): Promise<RunningServer> {
  const { settings, address, storage, tls, log, clock, wallClock, randomness } = parts;
  const state = { stopping: false };
  const registry = new LinkRegistry(clock);
  const outcomes = new OutcomeRecorder(storage, clock, log);
  const late = new LateOutcomes(storage, outcomes, wallClock, log);
  const newCommandId = (): string => v7({ msecs: wallClock.epochMs(), random: randomness.bytes(16) });
  const dispatcherParts = { clock, wallClock, store: storage, links: registry, outcomes, late, log, newCommandId };
  const dispatcher = new Dispatcher(dispatcherParts);

  const actions = actionsOf(parts, { dispatcher, registry, outcomes, state });
  const addressOf = clientAddresses(parts.trustedProxies);
  const app = httpApp({
    actions,
    log,
    legacyDeprecatedAt: settings.legacyDeprecatedAt,
    addressOf,
    publicUrl: settings.publicUrl,
  });
  const { server, requests } = httpServer(app, tls, state);
  const links = serveDeviceLinks(server, {
    store: storage,
    serverName: settings.serverName,
    clock,
    wallClock,
    randomness,
    registry,
    events: dispatcher,
    log,
    addressOf,
    notOurs: (request, socket, head) => servePlainAgain(server, request, socket, head),
  });

  await storage.interruptPending(settings.nodeName, wallClock.epochMs(), wallClock.epochMs() - FORGET_OPEN_COMMANDS_MS);
  await storage.closeAllLinks();
  const port = await listen(server, address);
  const stopWatch = watchRevocations({ store: storage, registry, clock, log });
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;

  return {
    url: `${tls ? 'https' : 'http'}://${host}:${port}`,
    async stop() {
      state.stopping = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await Promise.all([requests.count.none(clock, DRAIN_MS), dispatcher.idle(DRAIN_MS)]);
      stopWatch();
      links.stop();
      await outcomes.stop(OUTCOMES_DRAIN_MS);
      await closedOrCut(server, closed, clock);
      await storage.close();
    },
  };
}

interface Core {
  dispatcher: Dispatcher;
  registry: LinkRegistry;
  outcomes: OutcomeRecorder;
  state: { stopping: boolean };
}

function actionsOf(parts: ServerParts, { dispatcher, registry, outcomes, state }: Core): Actions {
  const { settings, storage, secrets, clock, wallClock, randomness } = parts;
  const limiter = new FailureCounter(clock);
  const router = localRouter(dispatcher);
  const readiness = new Readiness(storage, outcomes, clock, state);
  const accessKey = { key: secrets.accessKey, kid: secrets.accessKeyId, issuer: settings.serverName };
  const tokenParts = { store: storage, accessKey, refreshKey: secrets.refreshSecret, wallClock, randomness };
  const tokens = new TokenService(tokenParts);
  const keyParts = { store: storage, wallClock };
  const stateParts = { store: storage, links: registry, outcomes, clock, wallClock };
  return {
    login: async (clientKey, address) => tokens.issue(await login(keyParts, limiter, clientKey, address)),
    refresh: (refreshToken, clientKey) =>
      tokens.refresh(
        refreshToken,
        async (clientId) => clientKey === undefined || (await holderOf(keyParts, clientKey))?.clientId === clientId,
      ),
    clientOf: (accessToken) => tokens.clientOf(accessToken),
    associate: (claim) => associate({ store: storage, limiter, wallClock }, claim),
    dissociate: (clientId, productLogin) => dissociate({ store: storage, wallClock }, clientId, productLogin),
    productState: (clientId, productLogin) => productState(stateParts, clientId, productLogin),
    drive: (order) => driveOutput(storage, router, order),
    commandStatus: (clientId, commandId) => commandStatus(storage, outcomes, clientId, commandId),
    notReady: () => readiness.problems(),
  };
}

/** Sockets of devices that never answer the close frame must not hold the stop up. */
async function closedOrCut(server: Server, closed: Promise<void>, clock: Clock): Promise<void> {
  const cancel = clock.after(1_000, () => server.closeAllConnections());
  await closed;
  cancel();
}
