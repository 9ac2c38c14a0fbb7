import type { SeededChance } from '../../../support/chance/seeded-chance';
import { type Around, sqliteError } from './faulty-connection';
import type { StoreMode } from './store-mode';

/** One of the first changes of a group is the one that fails: a command's are its record and that in the audit. */
const FIRST_CHANGES = 3;

/**
 * A change by one write of the group. What reads is the same in many of them, and how far the writer has come is noted for the
 * whole group: it would fail them all.
 */
const CHANGES = /^\s*(INSERT INTO|UPDATE|DELETE FROM) (?!(audit|revision)_writers\b)/;

/** What becomes of a group's statements. */
export class GroupFaults {
  readonly #chance: SeededChance;
  #mode: StoreMode = 'works';
  #isRehearsal = false;
  #statementsLeft = 0;
  /** The change that fails, however often the group is tried. */
  #failing: string | null = null;
  /** How often each change has come in this transaction: two writes may make the same one, and only one of them fails. */
  readonly #made = new Map<string, number>();

  constructor(chance: SeededChance) {
    this.#chance = chance;
  }

  /** Whether a statement of the group has failed. */
  get hasFailed(): boolean {
    return this.#failing !== null;
  }

  begin(mode: StoreMode): void {
    this.#mode = mode;
    this.#isRehearsal = false;
    this.#failing = null;
    this.#statementsLeft = mode === 'member-fails' ? this.#chance.between(1, FIRST_CHANGES) : 0;
  }

  /** The next group does all but its commit. */
  rehearse(): void {
    this.begin('works');
    this.#isRehearsal = true;
  }

  /** Around the statements of a connection; `rollback` undoes its transaction. */
  around(rollback: () => void): Around {
    return (sql, args, run) => {
      if (sql === 'BEGIN IMMEDIATE') {
        if (this.#mode === 'down') throw sqliteError('SQLITE_CANTOPEN');
        this.#made.clear();
        return run();
      }
      if (sql === 'COMMIT') return this.#commit(run, rollback);
      if (this.#mode === 'member-fails' && CHANGES.test(sql)) this.#failAt(sql, args);
      return run();
    };
  }

  #commit(run: () => unknown, rollback: () => void): unknown {
    if (this.#isRehearsal) return rollback();
    if (this.#mode === 'full') throw sqliteError('SQLITE_FULL');
    if (this.#mode === 'group-fails') throw sqliteError('SQLITE_IOERR_WRITE');
    const result = run();
    if (this.#mode === 'lost-answer') throw sqliteError('SQLITE_IOERR_FSYNC');
    return result;
  }

  #failAt(sql: string, args: readonly unknown[]): void {
    const statement = `${sql} ${JSON.stringify(args)}`;
    const nth = (this.#made.get(statement) ?? 0) + 1;
    this.#made.set(statement, nth);
    const change = `${nth} ${statement}`;
    this.#statementsLeft -= 1;
    if (this.#statementsLeft === 0) this.#failing = change;
    if (this.#failing === change) throw sqliteError('SQLITE_CONSTRAINT_TRIGGER');
  }
}
