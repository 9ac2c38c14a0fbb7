import type { Change, ChangePage, ChangeStore } from '@relaygate/server/changes/change';
import type { Cursor } from '@relaygate/server/changes/cursor';

/** The port of changes without a database: products that are activated and deactivated. */
export class MemoryChanges implements ChangeStore {
  readonly #rows = new Map<string, Change>();
  readonly #heads = new Map<number, number>();
  readonly #listeners: (() => void)[] = [];

  async turn(productLogin: string): Promise<void> {
    this.#revise(productLogin, 1);
    for (const run of this.#listeners) run();
  }

  async turnElsewhere(productLogin: string): Promise<void> {
    this.#revise(productLogin, 2);
  }

  #revise(productLogin: string, writer: number): void {
    const revision = (this.#heads.get(writer) ?? 0) + 1;
    this.#heads.set(writer, revision);
    const before = this.#rows.get(productLogin);
    const activated = !(before?.kind === 'product' && before.activated);
    const unlinked = { enrolled: false, connected: false, lastSeenAtMs: null, agentVersion: null, replacedAtMs: null };
    const product = { kind: 'product' as const, productLogin, activated, faults: [], inputs: [], ...unlinked };
    this.#rows.set(productLogin, { ...product, revisedBy: writer, revision });
  }

  async changeCursor(): Promise<Cursor> {
    return new Map(this.#heads);
  }

  async changesSince(cursor: Cursor, limit: number): Promise<ChangePage> {
    const behind = new Map(this.#heads);
    const changes = [...this.#heads.keys()].flatMap((writer) => {
      const isNew = (row: Change): boolean => row.revisedBy === writer && row.revision > (cursor.get(writer) ?? 0);
      const all = [...this.#rows.values()].filter(isNew).sort((one, other) => one.revision - other.revision);
      const last = all[limit - 1];
      if (all.length > limit && last) behind.set(writer, last.revision);
      return all.slice(0, limit);
    });
    return { changes, cursor: behind };
  }

  onCommit(run: () => void): void {
    this.#listeners.push(run);
  }
}
