import type { KeyObject } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { type Clock, KEEP_CHECKPOINT_MS, RelaygateError, type ServerSettings } from '@relaygate/shared';
import { systemClock, systemRandomness, systemWallClock } from '@relaygate/shared/system';
import type { Checkpoint } from './audit/checkpoint';
import type { CheckpointKeeper } from './audit/checkpoint-keeping';
import type { OutsideEvidence } from './audit/verify-audit';
import { BoundedLog } from './bounded-log';
import { type CoreDeps, type CoreSettings, composeCore, type ServerCore } from './core';
import type { CopyProgress } from './database-copy';
import { openAuditKey, readAuditKey } from './files/audit-key';
import { checkpointFile, readCheckpoint } from './files/checkpoint-file';
import { saveCheckpointApart, tryCheckpointFile } from './files/checkpoint-process';
import { databaseFile, freeBytes } from './files/data-folder';
import { openSecrets } from './files/secrets';
import { serveDeviceLinks } from './gateway/ws-endpoint';
import { httpApp } from './http/app';
import { clientAddresses, peersBeside } from './http/client-address';
import { httpServer, type ListenAddress, listen } from './http/http-server';
import { serveAsNonUpgrade } from './http/non-upgrade';
import type { OpenConnections } from './http/open-connections';
import type { Log } from './log';
import { pinoLog } from './pino-log';
import { RefusalLog } from './refusal-log';
import { listenAddress, trustedProxies } from './settings';
import { backUp } from './storage/copies/back-up';
import { restore } from './storage/copies/restore';
import { lockDataFolder, refuseMigrationBesideServer } from './storage/sqlite/data-folder-lock';
import { openSqliteStorage } from './storage/sqlite/sqlite-storage';
import type { Storage } from './storage/storage';

/** What a server stands on: everything that touches the machine. */
export interface ServerDeps extends CoreDeps {
  settings: CoreSettings & Pick<ServerSettings, 'legacyDeprecatedAt' | 'publicUrl'>;
  address: ListenAddress;
  /** Addresses and networks that may set X-Forwarded-For. */
  trustedProxies: string[];
  tls: { cert: Buffer; key: Buffer } | undefined;
}

export interface RunningServer {
  /** Where it listens: `http://127.0.0.1:8080`, without a path. */
  url: string;
  changes: ServerCore['changes'];
  /** Takes nothing new, lets running requests finish, closes the links, then the database. */
  stop(): Promise<void>;
}

const NEW_AUDIT_KEY =
  'audit.key is missing: a new one is made and recorded; checkpoints of the old one confirm nothing from now on';
const MIB = 2 ** 20;
/** The writer of the audit chain for the operator's commands. */
const OPERATOR = 'cli';

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
  const keeper = await checkpointKeeper(settings, log);
  const storage = await openSqliteStorage({ file: databaseFile(settings.dataDir), writerName: settings.nodeName });
  try {
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

/** The database for one of the operator's commands; small and short, so without a thread. */
export async function openOperatorStore(
  settings: ServerSettings,
  { mustExist, systemUser }: { mustExist: boolean; systemUser: string },
): Promise<Storage> {
  if (mustExist && !existsSync(databaseFile(settings.dataDir))) {
    const text = `There is no database in ${settings.dataDir}; set RELAYGATE_DATA_DIR to the data folder of the server.`;
    throw new RelaygateError('database-unusable', text);
  }
  return openSqliteStorage({
    file: databaseFile(settings.dataDir),
    writerName: OPERATOR,
    actor: actorOf(systemUser),
    inline: true,
    beforeMigration: () => refuseMigrationBesideServer(settings.dataDir),
  });
}

export function backUpDatabase(
  settings: ServerSettings,
  file: string,
  progress: CopyProgress,
): ReturnType<typeof backUp> {
  const { dataDir } = settings;
  const evidence = { checkpoint: checkpointIfReadable(settings), key: readAuditKey(dataDir) };
  return backUp(dataDir, file, progress, evidence);
}

/** A damaged one keeps nobody from making a backup. */
function checkpointIfReadable(settings: ServerSettings): Checkpoint | undefined {
  try {
    return readCheckpoint(checkpointFileOf(settings));
  } catch {
    return undefined;
  }
}

export function restoreDatabase(
  settings: ServerSettings,
  { file, isNew, systemUser }: { file: string; isNew: boolean; systemUser: string },
  progress: CopyProgress,
): ReturnType<typeof restore> {
  const { dataDir } = settings;
  return restore(file, {
    dataDir,
    writerName: OPERATOR,
    actor: actorOf(systemUser),
    atMs: systemWallClock.epochMs(),
    progress,
    isNew,
    randomness: systemRandomness,
    checkpointFile: checkpointFileOf(settings),
  });
}

/**
 * What is kept of the audit beside the database. `file`: a checkpoint from elsewhere; it must be there. Fails with
 * `file-corrupt` if it is not, and with `secrets-unusable`.
 */
export function auditEvidence(settings: ServerSettings, file: string | undefined): OutsideEvidence {
  const key = auditKey(settings);
  try {
    const checkpoint = readCheckpoint(file ?? checkpointFileOf(settings));
    if (file === undefined || checkpoint) return { checkpoint, isCopy: file !== undefined, key };
  } catch (error) {
    if (!(error instanceof RelaygateError)) throw error;
    return { key, damaged: `${error.message.replace(/\.$/, '')}: move it away, or name another one with --checkpoint` };
  }
  throw new RelaygateError('file-corrupt', `There is no file ${file}.`);
}

/** What checkpoints are signed with; undefined if there is none. Fails with `secrets-unusable`. */
export function auditKey({ dataDir }: ServerSettings): KeyObject | undefined {
  return readAuditKey(dataDir);
}

/** Short enough for an archive of millions of records, long enough for what waits for the lock. */
const WRITE_PAUSE_MS = 20;

export function pauseBetweenWrites(): Promise<void> {
  return new Promise((resolve) => void systemClock.after(WRITE_PAUSE_MS, resolve));
}

function checkpointFileOf({ dataDir, auditCheckpointFile }: ServerSettings): string {
  return checkpointFile(dataDir, auditCheckpointFile);
}

/** A file that cannot be read is replaced by the next checkpoint. Fails with `bad-setting`; a disk that hangs is waited for later. */
async function checkpointKeeper(settings: ServerSettings, log: Log): Promise<CheckpointKeeper> {
  const file = checkpointFileOf(settings);
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

function actorOf(systemUser: string): string {
  return `${OPERATOR} as ${systemUser}`;
}

function readTls({ tlsCert, tlsKey }: ServerSettings): ServerDeps['tls'] {
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
export async function startServer(deps: ServerDeps): Promise<RunningServer> {
  const { settings, address, storage, tls, clock } = deps;
  const log = new BoundedLog(deps.log, clock);
  const core = composeCore({ ...deps, log });
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
    serveNonUpgrade: (request, socket, head) => serveAsNonUpgrade(server, request, socket, head),
  });

  const port = await begun().catch((error: unknown) => {
    log.stop();
    throw error;
  });
  core.watch();
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;

  return {
    changes: core.changes,
    url: `${tls ? 'https' : 'http'}://${host}:${port}`,
    async stop() {
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

/** Sockets of devices that never answer the close frame, or where TLS was never agreed on, must not hold the stop up. */
async function closedOrCut(closed: Promise<void>, connections: OpenConnections, clock: Clock): Promise<void> {
  const cancel = clock.after(1_000, () => connections.cutAll());
  await closed;
  cancel();
}
