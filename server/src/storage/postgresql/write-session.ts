import { type Clock, pause, RelaygateError } from '@relaygate/shared';
import { LOCK_TRY_MS } from '../group-commit';
import { allOf, InTheWay, type SqlValue, type WriteConnection } from '../sql';
import { unavailable } from './database-error';
import type { DatabaseIdentity } from './database-identity';
import type { KeptSession } from './kept-session';
import { ADVISORY, LOCKS } from './locks';
import { sqlOver } from './read-sessions';
import { insertsOf } from './row-inserts';
import type { Answer, Session } from './session';

/** How long it is looked up whether a transaction was committed whose COMMIT was not answered. */
const LOOK_UP_MS = 5_000;
const LOOK_AGAIN_MS = 50;

interface RunningTransaction {
  session: Session;
  /** The number by which its outcome can be asked for later, as long as the server has not crashed. */
  id: string;
  /** Another one shows that it has. */
  crashMark: string;
  /** The first error of a statement. */
  failure: unknown;
}

/**
 * The connection that writes. INVARIANT: each transaction holds the lock of all writers from its beginning, so transactions run one
 * after the other, whatever program they are of, and no other lock is needed between them.
 */
export function writeConnection(kept: Pick<KeptSession, 'within'>, clock: Clock): WriteConnection {
  let running: RunningTransaction | undefined;

  const transaction = (): RunningTransaction => {
    if (!running) throw unavailable('has no transaction');
    return running;
  };
  const ask = async (text: string, values: readonly SqlValue[]): Promise<Answer> => {
    const mine = transaction();
    try {
      const answer = await mine.session.ask(text, values);
      if (text.startsWith('ROLLBACK TO')) mine.failure = undefined;
      return answer;
    } catch (error) {
      // Those behind the first one only say that the transaction has failed.
      mine.failure ??= error;
      throw mine.failure;
    }
  };

  const send = (text: string, ...values: SqlValue[]): Promise<void> => {
    const mine = transaction();
    mine.session.ask(text, values).catch((error: unknown) => {
      mine.failure ??= error;
    });
    return SENT;
  };

  return {
    ...sqlOver(ask),
    isPipelined: true,
    send,
    sendRows(insert, rows) {
      for (const { text, values } of insertsOf(insert, rows)) void send(text, ...values);
      return SENT;
    },
    // A transaction that writes is alone from its beginning.
    async lock() {},
    async begin(readAhead = async () => {}) {
      const session = await kept.within(LOCK_TRY_MS);
      if (!session) return false;
      const mine: RunningTransaction = { session, id: '', crashMark: '', failure: undefined };
      running = mine;
      const begun = Promise.all([session.ask('BEGIN'), session.ask(BEGUN, LOCKS.writers)]);
      const read = readAhead();
      // Nothing is changed before the answer: behind a BEGIN that was cancelled, each statement would be a transaction of its own.
      const [[, answer]] = await allOf([begun, read]);
      const [, id, mark] = answer.rows[0] ?? [];
      mine.id = String(id);
      mine.crashMark = String(mark ?? (await session.ask(NEW_MARK)).rows[0]?.[0]);
      return true;
    },
    async commit() {
      const mine = transaction();
      const { session, id, crashMark } = mine;
      if (mine.failure !== undefined) throw mine.failure;
      const answer = await session.ask('COMMIT').catch(() => undefined);
      // Whatever failed before it: what was sent may all be committed, only the answers are lost.
      if (!answer) await lookUp(kept, clock, { id, crashMark, identity: session.identity });
      else if (answer.command !== 'COMMIT') {
        throw mine.failure ?? new InTheWay('The server has undone the transaction.');
      }
      running = undefined;
    },
    async rollback() {
      const mine = running;
      running = undefined;
      // What a lost connection has not committed the server undoes by itself.
      if (!mine || mine.session.isLost) return;
      await mine.session.ask('ROLLBACK').catch(() => mine.session.kill('it could not undo a transaction'));
    },
  };
}

const SENT = Promise.resolve();

/** The number of the transaction, under the lock of all writers. Other statements see what was committed before. */
const BEGUN = `SELECT ${ADVISORY.transaction}, txid_current()::text AS id, (SELECT mark FROM crash_mark) AS mark`;
/** Of the first transaction after a crash. Who has waited for that one's lock finds its mark only now. */
const NEW_MARK = `INSERT INTO crash_mark AS mine (id, mark) VALUES (1, gen_random_uuid()::text)
  ON CONFLICT (id) DO UPDATE SET mark = mine.mark RETURNING mark`;
/**
 * A COMMIT that no longer waits for its synchronous standby counts as committed here, and a failover may lose it. After a crash the
 * number may be another transaction's.
 */
const OUTCOME = `SELECT CASE WHEN txid_status($1::bigint) = 'committed' AND (
      current_setting('synchronous_standby_names') <> '' OR $2 IS DISTINCT FROM (SELECT mark FROM crash_mark)
    ) THEN 'unknown' ELSE txid_status($1::bigint) END AS outcome`;

/** Of a transaction whose COMMIT was not answered. */
interface Doubtful extends Pick<RunningTransaction, 'id' | 'crashMark'> {
  identity: DatabaseIdentity;
}

/**
 * Resolves if the transaction was committed. Fails with `storage-unavailable` if it was not, with `storage-unanswered` if nobody can
 * say so in time.
 */
async function lookUp(kept: Pick<KeptSession, 'within'>, clock: Clock, doubtful: Doubtful): Promise<void> {
  const giveUpMs = clock.nowMs() + LOOK_UP_MS;
  while (clock.nowMs() < giveUpMs) {
    const outcome = await outcomeOf(kept, doubtful);
    if (outcome === 'committed') return;
    if (outcome === 'aborted') throw unavailable('has lost the connection; nothing was changed');
    if (outcome === 'unknown') break;
    await pause(clock, LOOK_AGAIN_MS);
  }
  const text = 'The connection to the database was lost during a commit; whether that was made is not known.';
  throw new RelaygateError('storage-unanswered', text);
}

/** Undefined: not known yet. */
async function outcomeOf(
  kept: Pick<KeptSession, 'within'>,
  { id, crashMark, identity }: Doubtful,
): Promise<string | undefined> {
  try {
    const session = await kept.within(LOOK_AGAIN_MS);
    if (!session) return undefined;
    const { system, database, timeline } = session.identity;
    // Another timeline may have given the number to another transaction.
    if (system !== identity.system || database !== identity.database || timeline !== identity.timeline)
      return 'unknown';
    const { rows } = await session.ask(OUTCOME, [id, crashMark]);
    const outcome = rows[0]?.[0];
    return outcome === 'in progress' ? undefined : String(outcome ?? 'unknown');
  } catch {
    return undefined;
  }
}
