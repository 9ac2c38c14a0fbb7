import type { Storage } from '@relaygate/server/storage/storage';
import { RelaygateError, STORAGE_WRITE_TIMEOUT_MS } from '@relaygate/shared';
import type { SeededChance } from '../support/seeded-chance';
import { HungWrites, unanswered } from './hung-writes';
import type { Incarnation } from './incarnation';
import { Layers } from './layers';
import type { Scheduler } from './scheduler';

/** What the database does while a fault lasts. */
export type StoreMode =
  | 'works'
  | 'slow'
  /** Another process holds the lock: writes wait, and are refused in the end. */
  | 'locked'
  /** No space: writes are refused, reads work. */
  | 'full'
  /** The disk does not answer: writes are refused in the end, and some are committed later all the same. */
  | 'hangs'
  /** The writer dies at each commit: the write is there, and its answer is a refusal. */
  | 'lost-answer'
  /** Neither reads nor writes. */
  | 'down';

/** A write that was committed, or a read of an authorisation. */
export interface StoredCall {
  atMs: number;
  name: keyof Storage;
  args: readonly unknown[];
  result: unknown;
}

const READS: ReadonlySet<keyof Storage> = new Set<keyof Storage>([
  ...(['listClients', 'findClient', 'isKeyActive', 'findClientKey', 'listProducts', 'findProduct'] as const),
  ...([
    'isAssociated',
    'listAssociations',
    'revocationCount',
    'revokedSince',
    'findFamily',
    'readAccess',
    'findCommand',
  ] as const),
  ...(['findOpen', 'openCommands', 'readAudit', 'auditWriters', 'listAudit', 'auditTotals'] as const),
]);

export interface StoreParts {
  scheduler: Scheduler;
  chance: SeededChance;
  log: (call: StoredCall) => void;
}

/** The real database behind a port that is late, refuses and may be the last that a process sees. */
export class Store {
  readonly #storage: Storage;
  readonly #scheduler: Scheduler;
  readonly #chance: SeededChance;
  readonly #hung: HungWrites;
  readonly faults = new Layers<StoreMode>('works', (mode) => this.#setMode(mode));
  readonly #awaited = new Map<keyof Storage, () => void>();
  readonly #log: (call: StoredCall) => void;
  /** Writes are committed in the order in which they came, those that wait for the lock before all newer ones. */
  #lastWriteMs = 0;
  readonly #modes: { fromMs: number; mode: StoreMode }[] = [{ fromMs: 0, mode: 'works' }];
  #waiting: Ticket[] = [];

  constructor(storage: Storage, parts: StoreParts) {
    this.#storage = storage;
    this.#scheduler = parts.scheduler;
    this.#hung = new HungWrites(parts.scheduler);
    this.#chance = parts.chance;
    this.#log = parts.log;
  }

  get mode(): StoreMode {
    return this.#modes.at(-1)?.mode ?? 'works';
  }

  #setMode(mode: StoreMode): void {
    if (this.mode === 'hangs') this.#hung.release(mode === 'works' || mode === 'slow');
    this.#modes.push({ fromMs: this.#scheduler.nowMs, mode });
  }

  /** What it did within this time. */
  modesIn(fromMs: number, untilMs: number): StoreMode[] {
    const begun = this.#modes.filter((span) => span.fromMs <= untilMs);
    return begun.filter((_span, n) => (begun[n + 1]?.fromMs ?? untilMs) >= fromMs).map(({ mode }) => mode);
  }

  /** Calls `run` as soon as the next write of this name is committed. */
  onNext(name: keyof Storage, run: () => void): void {
    this.#awaited.set(name, run);
  }

  /** For the checker and the operator, whose commands are processes of their own. */
  get direct(): Storage {
    return this.#through((name, run) => this.#logged(name, run));
  }

  port(owner: Incarnation): Storage {
    let written: Promise<unknown> = Promise.resolve();
    const write = (name: keyof Storage, run: Run): Promise<unknown> => {
      const mine = this.#write(owner, name, run);
      written = Promise.allSettled([written, mine]);
      return mine;
    };
    const close = async (): Promise<void> => void (await written);
    return this.#through((name, run) => (READS.has(name) ? this.#read(owner, name, run) : write(name, run)), close);
  }

  /** `close`: waits for the writes that have been asked for, and leaves the database open to the others. */
  #through(
    way: (name: keyof Storage, run: Run) => Promise<unknown>,
    close: () => Promise<void> = async () => {},
  ): Storage {
    return new Proxy(this.#storage, {
      get: (storage, name: keyof Storage) => {
        const method: unknown = Reflect.get(storage, name);
        if (typeof method !== 'function') return undefined;
        if (name === 'close') return close;
        return (...args: unknown[]) => way(name, { args, now: () => method.apply(storage, args) });
      },
    });
  }

  #read(owner: Incarnation, name: keyof Storage, run: Run): Promise<unknown> {
    // Asked four times a second: its way there and back would be a fifth of all that happens, and of a process's points.
    if (name === 'revocationCount' && this.mode === 'works' && owner.isAlive) return run.now();
    return owner.call(
      () => ({
        beforeMs: this.#chance.fraction() * 0.3 + (this.mode === 'slow' ? this.#chance.fraction() * 300 : 0),
        afterMs: 0.02,
      }),
      () => {
        if (this.mode === 'down') throw unavailable();
        return name === 'readAccess' ? this.#logged(name, run) : run.now();
      },
    );
  }

  #write(owner: Incarnation, name: keyof Storage, run: Run): Promise<unknown> {
    const askedMs = this.#scheduler.nowMs;
    const ticket = { owner };
    this.#waiting.push(ticket);
    const attempt = (): Promise<unknown> =>
      owner.call(
        () => ({ beforeMs: this.#writeDelayMs(), afterMs: 0.05 + this.#chance.fraction() * 0.5 }),
        () => {
          const { mode } = this;
          const isRefused = mode === 'full' || mode === 'down';
          const mustWait = mode === 'locked' || !this.#isFirst(ticket);
          const isOver = this.#scheduler.nowMs - askedMs >= STORAGE_WRITE_TIMEOUT_MS;
          if (!isRefused && mustWait && !isOver) return LOCKED;
          this.#waiting = this.#waiting.filter((other) => other !== ticket);
          if (isRefused || mustWait) throw unavailable();
          if (mode === 'hangs') return this.#hung.add(askedMs, () => this.#logged(name, run));
          const written = this.#logged(name, run);
          return mode === 'lost-answer' ? written.then(() => Promise.reject(unanswered())) : written;
        },
      );
    const again = async (): Promise<unknown> => {
      for (;;) {
        const result = await attempt();
        if (result !== LOCKED) return result;
      }
    };
    return again();
  }

  /** Those of a dead process are gone with it. */
  #isFirst(ticket: Ticket): boolean {
    this.#waiting = this.#waiting.filter(({ owner }) => owner.isAlive);
    return this.#waiting[0] === ticket;
  }

  #writeDelayMs(): number {
    const { nowMs } = this.#scheduler;
    const slowMs = this.mode === 'slow' ? this.#chance.fraction() * 1_500 : 0;
    const lockedMs = this.mode === 'locked' ? 50 : 0;
    this.#lastWriteMs = Math.max(
      this.#lastWriteMs + ORDER_MS,
      nowMs + 0.3 + this.#chance.fraction() * 2 + slowMs + lockedMs,
    );
    return this.#lastWriteMs - nowMs;
  }

  async #logged(name: keyof Storage, { args, now }: Run): Promise<unknown> {
    const result = await now();
    if (name === 'readAccess' || !READS.has(name)) this.#log({ atMs: this.#scheduler.nowMs, name, args, result });
    const awaiting = this.#awaited.get(name);
    this.#awaited.delete(name);
    awaiting?.();
    return result;
  }
}

/** Of a write that is not committed yet. */
interface Ticket {
  owner: Incarnation;
}

interface Run {
  args: readonly unknown[];
  now(): Promise<unknown>;
}

/** Keeps writes apart, so that no tie changes their order. */
const ORDER_MS = 0.001;
const LOCKED = Symbol('locked');

function unavailable(): RelaygateError {
  return new RelaygateError('storage-unavailable', 'The simulated database does not do it.');
}
