import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Clock,
  KEEP_CHECKPOINT_MS,
  LEAVE_MS,
  pause,
  RelaygateError,
  type ServerSettings,
} from '@relaygate/shared';
import { systemClock, systemRandomness, systemWallClock } from '@relaygate/shared/system';
import type { Checkpoint } from './audit/checkpoint';
import type { CheckpointKeeper } from './audit/checkpoint-keeping';
import { separateIfCopied, separateIfElsewhere } from './copied-database';
import { type CoreDeps, type CoreSettings, composeCore, type ServerCore } from './core';
import { auditKeyFile, openAuditKey } from './files/audit-key';
import { checkpointFile, readCheckpoint } from './files/checkpoint-file';
import { saveCheckpointApart, tryCheckpointFile } from './files/checkpoint-process';
import { databaseFile, freeBytes } from './files/data-folder';
import { refuseMigrated } from './files/migrated-storage';
import { openSecrets, secretsFile } from './files/secrets';
import { readPem, readTls } from './files/tls-files';
import { serveDeviceLinks } from './gateway/ws-endpoint';
import { httpApp } from './http/app';
import { clientAddresses, peersBeside } from './http/client-address';
import { readDocs } from './http/docs/docs-files';
import { httpServer, type ListenAddress, listen, queueAccepted } from './http/http-server';
import { serveAsNonUpgrade } from './http/non-upgrade';
import type { OpenConnections } from './http/open-connections';
import { newRequestId } from './http/request-id';
import { BoundedLog } from './log/bounded-log';
import type { Log } from './log/log';
import { pinoLog } from './log/pino-log';
import { RefusalLog } from './log/refusal-log';
import type { MessageBus } from './router/message-bus';
import { openNatsBus } from './router/nats-bus';
import { natsServers } from './router/nats-servers';
import { startNodeRouter } from './router/node-router';
import { corsOrigins, listenAddress, trustedProxies } from './settings';
import { openPostgresStorage, type PostgresStorage } from './storage/postgresql/postgres-storage';
import type { Session } from './storage/postgresql/session';
import { lockDataFolder } from './storage/sqlite/data-folder-lock';
import { openSqliteStorage } from './storage/sqlite/sqlite-storage';
import type { Storage } from './storage/storage';

/** The adapters of a server: everything that touches the machine. */
export interface ServerDeps extends Omit<CoreDeps, 'connectNodes'> {
  settings: CoreSettings & Pick<ServerSettings, 'docs' | 'legacyDeprecatedAt' | 'publicUrl' | 'corsOrigins'>;
  address: ListenAddress;
  /** Addresses and networks that may set X-Forwarded-For. */
  trustedProxies: string[];
  tls: { cert: Buffer; key: Buffer } | undefined;
  /** Between the nodes that share the database. Undefined: this server is the only one. It is closed when the server stops. */
  bus?: MessageBus | undefined;
  /** How long it serves on with /readyz 503 before it stops, so that a load balancer sends everybody elsewhere. 0 if absent. */
  leaveMs?: number;
}

export interface RunningServer {
  /** Where it listens: `http://127.0.0.1:8080`, without a path. */
  url: string;
  changes: ServerCore['changes'];
  /** After `leaveMs`: takes nothing new, lets running requests finish, closes the links, then the database. */
  stop(): Promise<void>;
}

const NEW_AUDIT_KEY =
  'audit.key is missing: a new one is made and recorded; checkpoints of the old one confirm nothing from now on';
const MIB = 2 ** 20;
/** Built by test/support/prepare/build-docs.mjs. */
const DOCS_FOLDER = join(__dirname, '../page/dist');

/** A server on the real machine, by its settings. Rejects with a RelaygateError that says what to do. */
export async function composeServer(settings: ServerSettings): Promise<RunningServer & Pick<CoreDeps, 'log'>> {
  const log = pinoLog(settings.logLevel);
  const tls = readTls(settings);
  const unlock = lockDataFolder(settings.dataDir);
  try {
    const server = await startOnDataFolder(settings, tls, log);
    return { ...server, log, stop: () => server.stop().finally(unlock) };
  } catch (error) {
    unlock();
    throw error;
  }
}

async function startOnDataFolder(settings: ServerSettings, tls: ServerDeps['tls'], log: Log): Promise<RunningServer> {
  const bus = openBus(settings, log);
  try {
    return await startOnStorage(settings, { tls, log, bus });
  } catch (error) {
    await bus?.close();
    throw error;
  }
}

/** First of all: it connects while the database is opened. Fails with `bad-setting`. */
function openBus({ natsUrl, natsCa, nodeName }: ServerSettings, log: Log): MessageBus | undefined {
  if (natsUrl === undefined) return undefined;
  const servers = natsServers(natsUrl, 'RELAYGATE_NATS_URL');
  if (natsCa !== undefined) readPem(natsCa, 'RELAYGATE_NATS_CA');
  const options = { servers, nodeName, ...(natsCa === undefined ? {} : { caFile: natsCa }) };
  return openNatsBus(options, { clock: systemClock, randomness: systemRandomness, log });
}

async function startOnStorage(
  settings: ServerSettings,
  { tls, log, bus }: Pick<ServerDeps, 'tls' | 'log' | 'bus'>,
): Promise<RunningServer> {
  const storage = await openStorage(settings, log);
  try {
    const keeper = await checkpointKeeper(settings, log);
    if (bus) await refuseNewSecrets(settings, storage);
    const secrets = openSecrets(settings.dataDir, systemRandomness);
    const auditKey = await openAuditKey(settings.dataDir, systemRandomness, async (key) => {
      if (await storage.recordNewAuditKey(key, systemWallClock.epochMs())) log.warn({}, NEW_AUDIT_KEY);
    });
    return await startServer({
      settings,
      address: listenAddress(settings),
      trustedProxies: trustedProxies(settings),
      storage,
      secrets: { ...secrets, auditKey },
      tls,
      bus,
      ...(bus && { leaveMs: LEAVE_MS, ...ofDatabase(storage) }),
      log,
      clock: systemClock,
      wallClock: systemWallClock,
      randomness: systemRandomness,
      disk: {
        freeBytes: () => freeBytes(settings.dataDir),
        warnBelowBytes: Number(settings.diskWarningMib) * MIB,
        lowBelowBytes: Number(settings.diskLowMib) * MIB,
      },
      checkpointKeeper: keeper,
    });
  } catch (error) {
    await storage.close();
    throw error;
  }
}

/** What a PostgreSQL database tells of its standbys. */
function ofDatabase({
  hasSynchronousStandby,
  onFailover,
}: Partial<PostgresStorage>): Pick<CoreDeps, 'hasSynchronousStandby' | 'onFailover'> {
  return { ...(hasSynchronousStandby && { hasSynchronousStandby }), ...(onFailover && { onFailover }) };
}

/** New ones would fit to no other node. Fails with `secrets-unusable`. */
async function refuseNewSecrets({ dataDir }: ServerSettings, storage: Storage): Promise<void> {
  const missing = [secretsFile(dataDir), auditKeyFile(dataDir)].filter((file) => !existsSync(file));
  const nodes = missing.length === 0 ? [] : await storage.livingNodes();
  if (nodes.length === 0) return;
  const text = `Other nodes use the database (${nodes.join(', ')}), and ${missing.join(' and ')} is missing: copy secrets.json and audit.key from the data folder of one of them.`;
  throw new RelaygateError('secrets-unusable', text);
}

/** Its numbers go on far ahead if it is a copy. */
async function openStorage(
  { dataDir, databaseUrl: url, natsUrl, nodeName: writerName }: ServerSettings,
  log: Log,
): Promise<Storage & Partial<PostgresStorage>> {
  const migrationProgress = (text: string): void => log.info({}, `migration: ${text}`);
  const file = databaseFile(dataDir);
  if (url !== undefined) {
    if (existsSync(file)) log.warn({ file }, 'RELAYGATE_DATABASE_URL is set, so nothing in this file is used');
    const beforeWrites = (session: Session): Promise<void> =>
      separateIfElsewhere(session, { writerName }, (text) => log.warn({}, text));
    const isShared = natsUrl !== undefined;
    return openPostgresStorage({ url, writerName, isServer: true, isShared, migrationProgress, beforeWrites });
  }
  refuseMigrated(dataDir);
  const storage = await openSqliteStorage({ file, writerName, migrationProgress });
  try {
    // Before all that takes time: operator's commands wait for it.
    await separateIfCopied(file, { writerName, isServerRunning: () => false }, (text) => log.warn({ file }, text));
    return storage;
  } catch (error) {
    await storage.close();
    throw error;
  }
}

/** The next checkpoint replaces a file that cannot be read. Fails with `bad-setting`. A disk that hangs does not delay the start. */
async function checkpointKeeper(settings: ServerSettings, log: Log): Promise<CheckpointKeeper> {
  const file = checkpointFile(settings);
  const limit = AbortSignal.timeout(KEEP_CHECKPOINT_MS);
  if (settings.auditCheckpointFile !== undefined) await tryCheckpointFile(file, limit);
  const last = (): Checkpoint | undefined => {
    try {
      return readCheckpoint(file);
    } catch (err) {
      log.warn({ err }, 'the last audit checkpoint is not readable');
      return undefined;
    }
  };
  return {
    last: limit.aborted ? undefined : last(),
    keep: (checkpoint, signal) => saveCheckpointApart(file, checkpoint, signal),
  };
}

/** Wires the server together and listens. Rejects with a RelaygateError that says what to do. */
export async function startServer(deps: ServerDeps): Promise<RunningServer> {
  const { settings, address, storage, tls, clock, randomness, secrets, bus } = deps;
  const log = new BoundedLog(deps.log, clock);
  const core = composeCore({
    ...deps,
    log,
    ...(bus && {
      connectNodes: (commands, limits) =>
        startNodeRouter({
          nodeName: settings.nodeName,
          bus,
          secret: secrets.refreshSecret,
          commands,
          limits,
          clock,
          randomness,
          log,
        }),
    }),
  });
  const addressOf = clientAddresses(deps.trustedProxies);
  const refusals = new RefusalLog(log, clock, 'request');
  const app = httpApp({
    actions: core.actions,
    readiness: core.readiness,
    log,
    legacyDeprecatedAt: settings.legacyDeprecatedAt,
    addressOf,
    refusals,
    onAuthenticated: (request) => connections.authenticated(request),
    publicUrl: settings.publicUrl,
    docs: settings.docs === 'off' ? new Map() : readDocs(DOCS_FOLDER),
    corsOrigins: corsOrigins(settings),
  });
  const peers = peersBeside(deps.trustedProxies);
  const { server, requests, connections } = httpServer({
    app,
    tls,
    state: core.state,
    addressOf,
    peers,
    clock,
    refusals,
  });
  const links = serveDeviceLinks(server, {
    ...core.linkDeps,
    addressOf,
    linkBegins: (request) => connections.upgraded(request),
    authenticated: (request) => connections.authenticated(request),
    isAnswering: (socket) => requests.on(socket).length > 0,
    newRequestId,
    serveNonUpgrade: (request, socket, head) => serveAsNonUpgrade(server, request, socket, head),
  });

  const port = await begun().catch(async (error: unknown) => {
    await core.abandon();
    log.stop();
    throw error;
  });
  core.watch();
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;

  return {
    changes: core.changes,
    url: `${tls ? 'https' : 'http'}://${host}:${port}`,
    async stop() {
      core.state.leaving = true;
      if (deps.leaveMs) await pause(clock, deps.leaveMs);
      await queueAccepted(server, clock);
      const stopped = core.stop(requests, () => links.stop());
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await stopped;
      await closedOrCut(closed, connections, clock);
      refusals.stop();
      await storage.close();
      log.stop();
    },
  };

  async function begun(): Promise<number> {
    await core.begin();
    return listen(server, address);
  }
}

/** A device that never answers the close frame, or a client that never ends its TLS handshake, must not delay the stop. */
async function closedOrCut(closed: Promise<void>, connections: OpenConnections, clock: Clock): Promise<void> {
  const cancel = clock.after(1_000, () => connections.cutAll());
  await closed;
  cancel();
}
