import { GroupCommit, inlineWriter, SerialQueue } from '@relaygate/server/storage/group-commit';
import type { WriteConnection } from '@relaygate/server/storage/sql';
import { openWriteConnection } from '@relaygate/server/storage/sqlite/database-file';
import { writeSqlOf } from '@relaygate/server/storage/sqlite/sqlite';
import type { Randomness } from '@relaygate/shared';
import { type Connection, faultyConnection } from './faulty-connection';
import { readOf } from './reads';

const WRITER_NAME = 'cli';
/** Nothing keeps its writes waiting. */
const nowMs = (): number => 0;

/** The database as the operator's commands open it, each a process of its own. */
export class Operator {
  readonly #db: Connection;
  readonly #sql: WriteConnection;
  readonly #queue = new SerialQueue();
  readonly #writer: ReturnType<typeof inlineWriter>;

  constructor(file: string, salts: Randomness) {
    this.#db = openWriteConnection(file);
    this.#sql = writeSqlOf(faultyConnection(this.#db));
    const group = new GroupCommit(this.#sql, WRITER_NAME, nowMs, undefined, salts);
    this.#writer = inlineWriter(this.#queue, group, nowMs, 1);
  }

  /** A read or a write of the storage port, by its name. */
  async perform(name: string, args: readonly unknown[]): Promise<unknown> {
    const read = readOf(name);
    if (read) return this.#queue.run(async () => read(this.#sql, ...args));
    return Reflect.apply(this.#writer.execute, this.#writer, [name, ...args]);
  }

  close(): void {
    this.#db.close();
  }
}
