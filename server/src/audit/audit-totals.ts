import { type AuditState, idBefore } from './archive-text';
import { commandIdOf, givenAtMs } from './audit-record';
import type { AuditFacts, StoredAuditRecord } from './audit-store';

/** Counts in the records what other tables of the database know too. */
export class AuditTotals {
  /** How many the database itself holds. */
  records = 0;
  readonly #before: AuditFacts;
  readonly #open: Set<string>;
  /** The id that the last record has if none is missing. */
  #expectedId: number;

  constructor(before: AuditFacts, begin: AuditState) {
    this.#before = before;
    this.#expectedId = begin.lastId;
    this.#open = new Set(before.openCommands.filter((id) => begin.lastId === 0 || givenAtMs(id) > begin.lastMs));
  }

  count(record: StoredAuditRecord): void {
    this.records += 1;
    this.#expectedId += record.id - idBefore(record);
    if (record.kind === 'command') this.#open.delete(commandIdOf(record) ?? '');
  }

  /** `after`: read after all records. */
  disagreements(after: AuditFacts, { lastId, clients, products }: AuditState): string[] {
    const ids = `the ids over all writers run to ${lastId}, but with these records to ${this.#expectedId}: some are missing`;
    const faults = [
      lastId !== this.#expectedId && ids,
      isOutside(clients, this.#before.clients, after.clients) &&
        `there are ${after.clients} clients, but records of the creation of ${clients}`,
      isOutside(products, this.#before.products, after.products) &&
        `there are ${after.products} products, but records of the creation of ${products}`,
      this.#open.size > 0 && `${this.#open.size} commands without an outcome have no record`,
    ];
    return faults.filter((fault) => fault !== false);
  }
}

/** While the records are read, more are created. */
function isOutside(count: number, before: number, after: number): boolean {
  return count < before || count > after;
}
