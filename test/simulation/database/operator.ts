import { GroupCommit } from '@relaygate/server/storage/group-commit';
import { inlineWriter } from '@relaygate/server/storage/inline-writer';
import { readHandlers } from '@relaygate/server/storage/read-handlers';
import { openWriteConnection } from '@relaygate/server/storage/sqlite/connections';
import { type Connection, faultyConnection } from './faulty-connection';

const WRITER_NAME = 'cli';
/** Nothing keeps its writes waiting. */
const nowMs = (): number => 0;

/** The database as the operator's commands open it, each a process of its own. */
export class Operator {
  readonly #db: Connection;
  readonly #reads: object;
  readonly #writer: ReturnType<typeof inlineWriter>;

  constructor(file: string) {
    this.#db = openWriteConnection(file);
    const db = faultyConnection(this.#db);
    this.#reads = readHandlers(db);
    this.#writer = inlineWriter(new GroupCommit(db, WRITER_NAME, nowMs), nowMs, 1);
  }

  /** A read or a write of the storage port, by its name. */
  async perform(name: string, args: readonly unknown[]): Promise<unknown> {
    const read: unknown = Reflect.get(this.#reads, name);
    if (typeof read === 'function') return read(...args);
    return Reflect.apply(this.#writer.execute, this.#writer, [name, args]);
  }

  close(): void {
    this.#db.close();
  }
}
