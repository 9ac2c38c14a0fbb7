import { openSqliteStorage } from '@relaygate/server/storage/sqlite/sqlite-storage';
import type { StartWriterThread } from '@relaygate/server/storage/sqlite/writer-thread';
import type { Storage } from '@relaygate/server/storage/storage';
import { type Clock, RelaygateError, type WallClock } from '@relaygate/shared';
import type { SeededChance } from '../../support/chance/seeded-chance';
import type { Incarnation } from '../machines/incarnation';
import type { Scheduler } from '../scheduler';
import type { AskedWrite, WrittenGroup } from '../witnesses/history';
import type { Connection } from './database/faulty-connection';
import { LockHolder } from './database/lock-holder';
import { Operator } from './database/operator';
import { readOf } from './database/reads';
import type { ServerDisk } from './database/server-disk';
import { ServerWriter } from './database/server-writer';
import type { StoreMode } from './database/store-mode';
import type { StoredCall } from './database/stored-call';
import { Layers } from './layers';

const UNREADABLE: ReadonlySet<StoreMode> = new Set<StoreMode>(['unreadable', 'down']);
/** In these what waits can still be written down. */
const WRITABLE: ReadonlySet<StoreMode> = new Set<StoreMode>([
  ...(['works', 'slow', 'member-fails', 'late-answers', 'thread-dies', 'unreadable'] as const),
]);

const SERVER_WRITER = 'node-1';

export interface StoreParts {
  scheduler: Scheduler;
  chance: SeededChance;
  disk: ServerDisk;
  /** What deliberate faults make of the server's writer thread, and of its connection. */
  thread: (start: StartWriterThread) => StartWriterThread;
  connection: (db: Connection) => Connection;
  /** Of the server's writer. */
  clock: (clock: Clock) => Clock;
  /** Of the server's machine. */
  wallClock: WallClock;
  log: (call: StoredCall) => void;
  asked: (write: AskedWrite) => void;
  written: (group: WrittenGroup) => void;
}

/** The real database, as the server and its operator open it, on a disk and behind a writer thread that fail. */
export class Store {
  readonly #parts: StoreParts;
  readonly faults = new Layers<StoreMode>('works', (mode) => this.#setMode(mode));
  readonly #awaited = new Map<keyof Storage, () => void>();
  readonly #modes: { fromMs: number; mode: StoreMode }[] = [{ fromMs: 0, mode: 'works' }];
  readonly #lock = new LockHolder();
  /** Of names in the audit, whoever writes them. */
  readonly #salts: SeededChance;
  #operator: Operator;
  /** Of the server's latest life. */
  #writer: ServerWriter | null = null;
  #onGroup: ((forMs: number) => void) | null = null;

  constructor(parts: StoreParts) {
    this.#parts = parts;
    this.#salts = parts.chance.fork('salts');
    this.#operator = new Operator(parts.disk.file, this.#salts);
  }

  get mode(): StoreMode {
    return this.#modes.at(-1)?.mode ?? 'works';
  }

  #setMode(mode: StoreMode): void {
    const { scheduler, disk } = this.#parts;
    if (this.mode !== mode) this.#lock.release();
    if (this.mode !== mode && mode === 'locked') this.#lock.lock(disk.file);
    this.#modes.push({ fromMs: scheduler.nowMs, mode });
    this.#writer?.modeChanged();
  }

  get isReadable(): boolean {
    return !UNREADABLE.has(this.mode);
  }

  /** What it did within this time. */
  modesIn(fromMs: number, untilMs: number): StoreMode[] {
    const begun = this.#modes.filter((span) => span.fromMs <= untilMs);
    return begun.filter((_span, n) => (begun[n + 1]?.fromMs ?? untilMs) >= fromMs).map(({ mode }) => mode);
  }

  /** Whether a command might have been allowed and then written down within this time. */
  couldTakeCommand(fromMs: number, untilMs: number): boolean {
    const modes = this.modesIn(fromMs, untilMs);
    const read = modes.findIndex((mode) => !UNREADABLE.has(mode));
    return read !== -1 && modes.slice(read).some((mode) => WRITABLE.has(mode));
  }

  /** Calls `run` as soon as the next write of this name is committed. */
  onNext(name: keyof Storage, run: () => void): void {
    this.#awaited.set(name, run);
  }

  /** Calls `run` when the writer thread has its next group in hand, and with how long that takes. Null: nobody. */
  onNextGroup(run: ((forMs: number) => void) | null): void {
    this.#onGroup = run;
  }

  /** For who reads it by other means than the server's. */
  get file(): string {
    return this.#parts.disk.file;
  }

  /** For the checker and the operator, whose commands are processes of their own. */
  get direct(): Storage {
    const { disk } = this.#parts;
    const none = {} as Storage;
    return asStorage(none, async (name, args) => {
      const run = (): Promise<unknown> => this.#operator.perform(name, args);
      if (readOf(name)) return run();
      const result = await this.#lock.without(disk.file, run);
      disk.sync();
      this.#stored({ atMs: this.#parts.scheduler.nowMs, name, args, result });
      return result;
    });
  }

  /** As a server that starts opens it. Closed with the server's life. */
  async open(owner: Incarnation): Promise<Storage> {
    const { disk, thread, clock, wallClock, scheduler, asked } = this.#parts;
    const storage = await openSqliteStorage({
      file: disk.file,
      writerName: SERVER_WRITER,
      clock: clock(owner),
      wallClock,
      startThread: thread(this.#threadOf(owner)),
      soon: (run) => owner.after(0, run),
    });
    owner.onDeath(() => void storage.close());
    return asStorage(storage, (name, args) => {
      if (name === 'close' || name === 'onCommit') return call(storage, name, args);
      if (readOf(name)) return this.#read(owner, storage, name, args);
      const write: AskedWrite = { name, askedMs: scheduler.nowMs, settledMs: null };
      asked(write);
      const settled = (): void => {
        write.settledMs = scheduler.nowMs;
      };
      const result = call(storage, name, args);
      result.then(settled, settled);
      return result;
    });
  }

  /** Before the server ends of it: what it has not synced may be gone. */
  async cutPower(): Promise<void> {
    this.#lock.release();
    if (this.#writer?.isAlive) await this.#writer.cutPower(() => this.#cutDisk());
    else this.#cutDisk();
  }

  /** Whoever waits for a write hears of it behind this, and finds the disk as it is from here on. */
  #cutDisk(): boolean {
    const { disk } = this.#parts;
    const isThere = disk.cutPower();
    this.#operator.close();
    this.#operator = new Operator(disk.file, this.#salts);
    if (this.mode === 'locked') this.#lock.lock(disk.file);
    return isThere;
  }

  close(): void {
    this.#lock.release();
    this.#operator.close();
    this.#parts.disk.remove();
  }

  #threadOf(owner: Incarnation): StartWriterThread {
    const { scheduler, chance, disk, written, connection, wallClock } = this.#parts;
    return (data, listener) => {
      this.#writer = new ServerWriter(
        data,
        {
          owner,
          scheduler,
          chance,
          salts: this.#salts,
          wallClock,
          disk,
          mode: () => this.mode,
          stored: (stored) => this.#stored(stored),
          written,
          began: (forMs) => this.#began(forMs),
          connection,
        },
        listener,
      );
      return this.#writer;
    };
  }

  #began(forMs: number): void {
    const run = this.#onGroup;
    this.#onGroup = null;
    run?.(forMs);
  }

  #read(owner: Incarnation, storage: Storage, name: keyof Storage, args: readonly unknown[]): Promise<unknown> {
    const { chance, scheduler } = this.#parts;
    // Asked again and again: their ways there and back would be a fifth of all that happens, and of a process's points.
    if ((name === 'revocationCount' || name === 'pendingCommands') && this.mode === 'works' && owner.isAlive)
      return call(storage, name, args);
    return owner.call(
      () => ({
        beforeMs: chance.fraction() * 0.3 + (this.mode === 'slow' ? chance.fraction() * 300 : 0),
        afterMs: 0.02,
      }),
      async () => {
        if (!this.isReadable) throw unavailable();
        const result = await call(storage, name, args);
        if (name === 'readAccess') this.#stored({ atMs: scheduler.nowMs, name, args, result });
        return result;
      },
    );
  }

  #stored(stored: StoredCall): void {
    this.#parts.log(stored);
    const awaiting = this.#awaited.get(stored.name);
    this.#awaited.delete(stored.name);
    awaiting?.();
  }
}

async function call(storage: Storage, name: keyof Storage, args: readonly unknown[]): Promise<unknown> {
  const method: unknown = Reflect.get(storage, name);
  if (typeof method !== 'function') throw new Error(`the storage has no ${name}`);
  return method.apply(storage, args);
}

/** The methods of the port, all of them by one function. `target`: where they can be listed. */
function asStorage<Target extends object>(
  target: Target,
  perform: (name: keyof Storage, args: readonly unknown[]) => Promise<unknown>,
): Target {
  return new Proxy(target, {
    get: (_target, name: keyof Storage | 'then') =>
      // It is no promise.
      name === 'then' ? undefined : (...args: unknown[]) => perform(name, args),
  });
}

function unavailable(): RelaygateError {
  return new RelaygateError('storage-unavailable', 'The simulated database does not do it.');
}
