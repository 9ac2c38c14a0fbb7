import type { Clock } from '@relaygate/shared';
import { InTheWay, type Sql, type SqlValue } from '../sql';
import { unavailable } from './database-error';
import type { KeptSession } from './kept-session';
import type { Answer, Session } from './session';

/** Reads that wait for an answer at once; more are refused (I15). */
const MAX_UNANSWERED_READS = 5_000;
/** How long a read waits for a connection, and how long after its begin it is asked again, if need be on another one. */
const CONNECTION_MS = 1_000;

/** A connection that has been silent for so long while it was asked has something slow to answer, or is gone. */
const SLOW_MS = 10;
/** Reads of single rows that one connection has to answer before the next one is used. */
const MAX_TOGETHER = 32;

/**
 * Reads over some connections. Single rows share the first one that is neither slow nor full, so that many travel together. Each list goes
 * to the one that has the least to answer, the last of them if several have. `isBounded`: a read that takes longer than CONNECTION_MS is
 * refused, because somebody waits for a command behind it.
 */
export function readSql(kept: readonly KeptSession[], clock: Clock, isBounded: boolean): Sql {
  let waiting = 0;
  const fromLast = [...kept].reverse();
  const askUntilAnswered = async (text: string, values: readonly SqlValue[], isList: boolean): Promise<Answer> => {
    const untilMs = clock.nowMs() + CONNECTION_MS;
    waiting += 1;
    try {
      for (;;) {
        // Chosen without `await`: during one, all other reads would choose the same.
        const session = (isList ? idlestOf(fromLast) : (forRow(kept) ?? idlestOf(kept))) ?? (await opened(kept));
        try {
          return await session.ask(text, values);
        } catch (error) {
          // In the way is a migration, for whose table this has not waited for long.
          if (!(session.isLost || error instanceof InTheWay) || clock.nowMs() >= untilMs) throw error;
        }
      }
    } finally {
      waiting -= 1;
    }
  };
  const ask = async (text: string, values: readonly SqlValue[], isList = false): Promise<Answer> => {
    if (waiting >= MAX_UNANSWERED_READS) throw unavailable('has too many reads waiting');
    const asked = askUntilAnswered(text, values, isList);
    return isBounded ? inTime(clock, asked) : asked;
  };
  return sqlOver(ask);
}

function inTime<T>(clock: Clock, asked: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const refuse = (): void => reject(unavailable('does not answer a read in time'));
    // Behind what this process has not read yet, if it has hung itself.
    let cancel = clock.after(CONNECTION_MS, () => {
      cancel = clock.after(0, refuse);
    });
    asked.finally(() => cancel()).then(resolve, reject);
  });
}

const openOf = (kept: readonly KeptSession[]): Session[] => kept.flatMap(({ session }) => session ?? []);

function forRow(kept: readonly KeptSession[]): Session | undefined {
  return openOf(kept).find(({ unanswered, silentMs }) => unanswered < MAX_TOGETHER && silentMs < SLOW_MS);
}

function idlestOf(kept: readonly KeptSession[]): Session | undefined {
  return openOf(kept).reduce<Session | undefined>(
    (best, session) => (best && best.unanswered <= session.unanswered ? best : session),
    undefined,
  );
}

async function opened([first]: readonly KeptSession[]): Promise<Session> {
  const session = await first?.within(CONNECTION_MS);
  if (!session) throw unavailable('is not connected');
  return session;
}

/** The port over whatever answers statements. */
export function sqlOver(ask: (text: string, values: readonly SqlValue[], isList?: boolean) => Promise<Answer>): Sql {
  return {
    async get<Row>(text: string, ...values: SqlValue[]) {
      const { members, rows } = await ask(text, values);
      return rows[0] && rowOf<Row>(members, rows[0]);
    },
    async all<Row>(text: string, ...values: SqlValue[]) {
      const { members, rows } = await ask(text, values, true);
      return rows.map((row) => rowOf<Row>(members, row));
    },
    async run(text, ...values) {
      return (await ask(text, values)).count;
    },
  };
}

/** The caller knows the columns of its statement. */
function rowOf<Row>(members: readonly string[], values: readonly SqlValue[]): Row {
  const row: Record<string, SqlValue> = {};
  members.forEach((member, n) => {
    row[member] = values[n] ?? null;
  });
  return row as Row;
}
