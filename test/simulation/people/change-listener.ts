import type { Change, ChangeStore } from '@relaygate/server/changes/change';
import { ChangeStream } from '@relaygate/server/changes/change-stream';
import type { Cursor } from '@relaygate/server/changes/cursor';
import { DATABASE_RETRY_MS } from '@relaygate/server/database-retry';
import type { Storage } from '@relaygate/server/storage/storage';
import type { Clock } from '@relaygate/shared';
import type { SeededChance } from '../../support/chance/seeded-chance';
import { SILENT_LOG } from '../../support/server/collecting-log';
import type { Incarnation } from '../machines/incarnation';
import type { Store } from '../ports/store';
import type { Sabotage } from '../sabotage/sabotage';
import type { Scheduler } from '../scheduler';
import type { History } from '../witnesses/history';

export interface ChangeListenerDeps {
  /** A fork of its own. */
  chance: SeededChance;
  scheduler: Scheduler;
  store: Store;
  history: History;
  sabotage: Sabotage;
}

/** At each check, the listener must have what was there at the check before. */
const CHECK_EVERY_MS = 1_000;
/** More than a seed has. */
const MAX_CHANGES = 10_000;
/** Of the pages that the listener gets. */
const FAILING_SHARE = 0.05;
const SLOW_SHARE = 0.2;

/**
 * Somebody who listens for changes inside the server, goes away, fails, is slow, dies with it, and comes back with the cursor
 * that it has kept. It draws no chance of others and is no event of theirs: each seed plays as it would without it.
 */
export class ChangeListener {
  readonly #deps: ChangeListenerDeps;
  /** The latest change of each thing that it has. */
  readonly #latest = new Map<string, Change>();
  /** What had each revision. */
  readonly #revisions = new Map<string, string>();
  #cursor: Cursor = new Map();
  /** From then on whatever changes has to be reported soon. */
  #isPromptFromMs = Number.POSITIVE_INFINITY;
  #checked: { atMs: number; heads: Cursor } | null = null;

  constructor(deps: ChangeListenerDeps) {
    this.#deps = deps;
    this.#after(CHECK_EVERY_MS, () => void this.#check());
  }

  /** A life of the server begins. */
  begin(life: Incarnation, storage: Pick<Storage, 'onCommit'>): void {
    const { sabotage, scheduler } = this.#deps;
    const clock: Clock = {
      nowMs: () => scheduler.nowMs,
      after: (delayMs, run) => scheduler.aside(delayMs, () => life.isAlive && run()),
    };
    const store: ChangeStore = {
      changeCursor: () => this.#read((direct) => direct.changeCursor()),
      changesSince: (cursor, limit) => this.#read((direct) => direct.changesSince(cursor, limit)),
      onCommit: (run) => void storage.onCommit(run),
    };
    const stream = new ChangeStream(
      sabotage.changeStore?.(store) ?? store,
      sabotage.changeClock?.(clock) ?? clock,
      SILENT_LOG,
    );
    life.onDeath(() => {
      stream.stop();
      this.#isPromptFromMs = Number.POSITIVE_INFINITY;
    });
    this.#listen(stream, clock);
  }

  /** Undefined where the database has what was reported; else a sentence about the first difference. Reads on to the end first. */
  async difference(): Promise<string | undefined> {
    const { store, sabotage } = this.#deps;
    const direct: ChangeStore = store.direct;
    const source = sabotage.changeStore?.(direct) ?? direct;
    for (let isMore = true; isMore; ) {
      const { changes, cursor } = await source.changesSince(this.#cursor, 64);
      isMore = changes.length > 0;
      this.#take(changes, cursor);
    }
    const { changes } = await direct.changesSince(new Map(), MAX_CHANGES);
    const missing = changes.find((change) => textOf(this.#latest.get(keyOf(change))) !== textOf(change));
    if (missing) return `how ${keyOf(missing)} is was never reported to who listens: ${textOf(missing)}`;
    return changes.length === this.#latest.size ? undefined : 'who listens has things that are not there';
  }

  #listen(stream: ChangeStream, clock: Clock): void {
    const { chance } = this.#deps;
    let isHere = true;
    this.#isPromptFromMs = clock.nowMs();
    const cancel = stream.listen(this.#cursor, async (changes, cursor) => {
      const mood = chance.fraction();
      if (mood < FAILING_SHARE) {
        this.#isPromptFromMs = clock.nowMs() + DATABASE_RETRY_MS;
        throw new Error('the listener fails');
      }
      if (mood < FAILING_SHARE + SLOW_SHARE) {
        this.#isPromptFromMs = Number.POSITIVE_INFINITY;
        await new Promise<void>((resolve) => clock.after(chance.between(1, 800), resolve));
        if (!isHere) return;
        this.#isPromptFromMs = clock.nowMs();
      }
      this.#take(changes, cursor);
    });
    clock.after(chance.between(300, 6_000), () => {
      isHere = false;
      cancel();
      this.#isPromptFromMs = Number.POSITIVE_INFINITY;
      clock.after(chance.between(0, 3_000), () => this.#listen(stream, clock));
    });
  }

  /** Handled and kept at once, so that nothing may come again. */
  #take(changes: readonly Change[], cursor: Cursor): void {
    const seen = new Map(this.#cursor);
    for (const change of changes) {
      const { revisedBy, revision } = change;
      const [key, name] = [keyOf(change), `${revisedBy}.${revision}`];
      const other = this.#revisions.get(name);
      if (other !== undefined && other !== key) this.#say(`revision ${name} was given to ${other} and to ${key}`);
      else if (revision <= (seen.get(revisedBy) ?? 0)) this.#say(`revision ${name} of ${key} was reported again`);
      seen.set(revisedBy, revision);
      this.#revisions.set(name, key);
      this.#latest.set(key, change);
    }
    this.#cursor = cursor;
  }

  async #check(): Promise<void> {
    const { scheduler, store } = this.#deps;
    const [before, atMs, direct] = [this.#checked, scheduler.nowMs, store.direct];
    if (before && this.#isPromptFromMs <= before.atMs) {
      const { changes } = await direct.changesSince(this.#cursor, MAX_CHANGES);
      const late = changes.find(({ revisedBy, revision }) => revision <= (before.heads.get(revisedBy) ?? 0));
      if (late) this.#say(`how ${keyOf(late)} is was not reported within ${CHECK_EVERY_MS} ms`);
    }
    this.#checked = { atMs, heads: await direct.changeCursor() };
    this.#after(CHECK_EVERY_MS, () => void this.#check());
  }

  async #read<Result>(run: (direct: Storage) => Promise<Result>): Promise<Result> {
    const { store, scheduler } = this.#deps;
    if (store.isReadable) return run(store.direct);
    this.#isPromptFromMs = Math.max(this.#isPromptFromMs, scheduler.nowMs + DATABASE_RETRY_MS);
    throw new Error('the database cannot be read');
  }

  #after(delayMs: number, run: () => void): void {
    this.#deps.scheduler.aside(delayMs, run);
  }

  #say(text: string): void {
    const { history, scheduler } = this.#deps;
    history.changeFaults.push({ atMs: scheduler.nowMs, text });
  }
}

function keyOf(change: Change): string {
  if (change.kind === 'command') return `command ${change.commandId}`;
  return change.kind === 'output'
    ? `output ${change.productLogin} ${change.numOutput}`
    : `product ${change.productLogin}`;
}

/** A report that repeats a state, and a sign of life, are no change: their times are not reported. */
function textOf(change: Change | undefined): string {
  const isTime = (member: string) => member === 'observedAtMs' || member === 'lastSeenAtMs';
  return JSON.stringify(change, (member, value) => (isTime(member) ? 0 : value)) ?? '';
}
