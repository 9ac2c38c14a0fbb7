import { type Clock, type Randomness, RelaygateError, STORAGE_WRITE_TIMEOUT_MS } from '@relaygate/shared';
import { systemClock, systemRandomness } from '@relaygate/shared/system';
import { GroupCommit } from '../group-commit';
import { allOf, type Bind, InTheWay, methodsOf, type WriteContext } from '../sql';
import { READS, type Storage, WRITES, type WriteName } from '../storage';
import { ThreadedWriter } from '../threaded-writer';
import { ALL_AUDIT_READS } from './audit-reads';
import { shownDatabase } from './driver-client';
import { becomeServer, hasServer, ServerRun } from './installation';
import { KeptSession } from './kept-session';
import { readSql } from './read-sessions';
import type { Step } from './schema';
import { type PrepareOptions, prepareDatabase } from './schema-migration';
import { Session, type SessionOptions } from './session';
import { writeLoop } from './write-loop';
import { writeConnection } from './write-session';

/** Of the server. Commands read a little, one after the other. */
const SERVER_READERS = 4;

export interface PostgresStorageOptions {
  /** RELAYGATE_DATABASE_URL. A secret. */
  url: string;
  /** The writer of the audit chain: the node's name, or `cli`. */
  writerName: string;
  /** Who runs the operator's command that opens it; all its audit records name them. */
  actor?: string | undefined;
  /** It is the one server of the database; operator's commands are beside it. */
  isServer?: boolean;
  /** With `isServer`: other servers of which each says so use the database too. */
  isShared?: boolean;
  /** Fails instead of making tables in an empty database. */
  mustExist?: boolean;
  migrationProgress?: (text: string) => void;
  /** The shape of the database that this program knows; tests play the next version. */
  steps?: readonly Step[];
  /** Before the first write, on a session of its own; if it rejects, the storage is not opened. */
  beforeWrites?: (session: Session) => Promise<void>;
  writeTimeoutMs?: number;
  clock?: Clock;
  randomness?: Randomness;
}

export interface PostgresStorage extends Storage {
  /** Whether a COMMIT waits for a standby, so that a failover loses nothing that was acknowledged. */
  hasSynchronousStandby(): Promise<boolean>;
  /** `run`: each time a standby has become the database, before anything is written there. Links opened before count no more. */
  onFailover(run: () => void): void;
}

/**
 * The storage port over a PostgreSQL database. Several processes may have it open at once, but one server. Fails with `bad-setting`,
 * `database-unusable`, `database-too-new` or `already-running`.
 */
export async function openPostgresStorage(options: PostgresStorageOptions): Promise<PostgresStorage> {
  const { url, writerName, actor, isServer = false, clock = systemClock, randomness = systemRandomness } = options;
  const { writeTimeoutMs = STORAGE_WRITE_TIMEOUT_MS } = options;
  const kept: KeptSession[] = [];
  const sessions: SessionOptions = { url, name: `relaygate ${writerName}`, clock };
  const keep = async (open: () => Promise<Session>): Promise<KeptSession> => {
    const opened = (): void => {
      for (const other of kept) other.hurry();
    };
    const session = await KeptSession.open({ open, opened, clock, randomness });
    kept.push(session);
    return session;
  };
  const run = new ServerRun(randomness, options.isShared ?? false);
  const atFailover: (() => void)[] = [];
  const failedOver = (): void => {
    // They may read from the database of before.
    for (const session of kept.slice(1)) session.kill('the database was failed over');
    for (const each of atFailover) each();
  };
  const openReader = async (): Promise<Session> =>
    openedWith({ ...sessions, gathers: true }, async (session) => run.refuseOlder(session.identity));
  const closeAll = async (): Promise<void> => void (await Promise.all(kept.map((session) => session.close())));
  try {
    const write = await keep(
      isServer ? serverSessions(sessions, options, { run, failedOver }) : commandSessions(sessions, options),
    );
    // All, also where one fails: those that are opened behind it must be closed.
    const readers = await allOf(Array.from({ length: isServer ? SERVER_READERS : 1 }, () => keep(openReader)));
    const atCommit: (() => void)[] = [];
    const group = new GroupCommit(writeConnection(write, clock), writerName, () => clock.nowMs(), actor, randomness);
    const writer = await ThreadedWriter.start({
      startThread: writeLoop(group, clock, () => write.kill('it does not answer')),
      clock,
      writeTimeoutMs,
      committed: () => {
        for (const run of atCommit) run();
      },
    });
    const sql = readSql(readers, clock, isServer);
    // Its methods are those of the port, so their arguments are those of the write.
    const bindWrite = ((_handler, name: WriteName) => writer.execute.bind(writer, name)) as Bind<WriteContext>;
    return {
      ...methodsOf({ ...READS, ...ALL_AUDIT_READS }, (read) => read.bind(undefined, sql)),
      ...methodsOf(WRITES, bindWrite),
      hasSynchronousStandby: async () => (await sql.get(WITH_STANDBY)) !== undefined,
      onFailover: (each) => void atFailover.push(each),
      onCommit: (run) => void atCommit.push(run),
      async close() {
        await writer.close();
        await closeAll();
      },
    };
  } catch (error) {
    await closeAll();
    throw asOpenError(error, url);
  }
}

const WITH_STANDBY = "SELECT 1 AS one WHERE current_setting('synchronous_standby_names') <> ''";

/** The first session takes the lock of the server before it migrates anything; the later ones go on with it. */
function serverSessions(
  sessions: SessionOptions,
  { migrationProgress: progress, steps, beforeWrites, isShared = false }: PostgresStorageOptions,
  { run, failedOver }: { run: ServerRun; failedOver: () => void },
): () => Promise<Session> {
  let isFirst = true;
  return () =>
    openedWith(sessions, async (session) => {
      const { clock } = sessions;
      if (!isFirst) {
        // A newer program may have ended this version meanwhile; and a standby may lack what was migrated last.
        const prepare = (): Promise<void> => prepareDatabase(session, clock, { steps, progress });
        if (await run.goOn(session, prepare, async () => beforeWrites?.(session))) failedOver();
        return;
      }
      await becomeServer(session, clock, isShared);
      await prepareDatabase(session, clock, { steps, progress });
      await beforeWrites?.(session);
      await run.begin(session);
      isFirst = false;
    });
}

function commandSessions(
  sessions: SessionOptions,
  { mustExist = false, migrationProgress: progress, steps, beforeWrites }: PostgresStorageOptions,
): () => Promise<Session> {
  return () =>
    openedWith(sessions, async (session) => {
      const refuseBesideServer = async (): Promise<void> => {
        if (!(await hasServer(session))) return;
        const text =
          'The server that uses the database is older than this program. Restart it first: it migrates the database when it starts.';
        throw new RelaygateError('already-running', text);
      };
      const prepare: PrepareOptions = { mustExist, steps, progress, beforeMigration: refuseBesideServer };
      await prepareDatabase(session, sessions.clock, prepare);
      await beforeWrites?.(session);
    });
}

async function openedWith(options: SessionOptions, prepare: (session: Session) => Promise<void>): Promise<Session> {
  const session = await Session.open(options);
  try {
    await prepare(session);
    return session;
  } catch (error) {
    session.kill('it could not be prepared');
    throw error;
  }
}

/** At the start there is nobody who could wait for a database that is away. */
export function asOpenError(error: unknown, url: string): unknown {
  if (!(error instanceof InTheWay) && !(error instanceof RelaygateError && error.code === 'storage-unavailable')) {
    return error;
  }
  return new RelaygateError('database-unusable', `${shownDatabase(url)}: ${error.message}`, { cause: error });
}

/** True if a server has the database. Fails as `openPostgresStorage` does. */
export async function isServerOn(url: string, clock: Clock): Promise<boolean> {
  try {
    const session = await Session.open({ url, name: 'relaygate cli', clock });
    try {
      return await hasServer(session);
    } finally {
      await session.close();
    }
  } catch (error) {
    throw asOpenError(error, url);
  }
}
