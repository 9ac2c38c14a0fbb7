import { type Cancel, type Clock, RelaygateError } from '@relaygate/shared';
import { messageOf } from '../foreign-error';
import type { WriteAnswer, WriteRequest } from './group-commit';
import type { Storage, StorageWrite, WriteName, Writer } from './storage';

/** Writes that the thread may have before it at once; more are refused (I15). Some 50 MB at worst. */
const MAX_UNANSWERED_WRITES = 20_000;
/**
 * After a write's deadline. A thread that has not answered by then hangs in the disk, and may commit the write later. Only
 * then, and if the thread has died, may a refused write be committed.
 */
const HANGING_AFTER_MS = 4_000;
/** A thread that dies again and again is not started more often than this. */
const RESTART_AFTER_MS = 1_000;

/**
 * Under load, the writes of this time are committed together, because a commit costs more than the writes in it. A write that
 * comes alone does not wait.
 */
export const GROUP_EVERY_MS = 5;
/** A deferrable write is sent with the next one that is not deferrable, at the latest after this time. */
export const DEFERRABLE_MS = 20;
const DEFERRABLE: ReadonlySet<WriteName> = new Set(['recordOutcome', 'saveReport', 'closeLink']);

/** Runs something behind what this turn of the event loop still brings. */
export type Soon = (run: () => void) => unknown;

interface WaitingWrite {
  resolve(value: unknown): void;
  reject(error: RelaygateError): void;
  deadlineMs: number;
}

export interface ThreadedWriterDeps {
  clock: Clock;
  writeTimeoutMs: number;
  startThread: StartWriter;
  soon?: Soon | undefined;
  /** Runs after each group that the thread has answered. */
  committed?: () => void;
}

/**
 * Writes through one thread, so that a slow or locked database never stalls the event loop. Writes that come close
 * together travel together. INVARIANTS: every write is settled exactly once; the thread sees writes in the order of `execute`.
 */
export class ThreadedWriter implements Writer {
  readonly #deps: ThreadedWriterDeps;
  readonly #waiting = new Map<number, WaitingWrite>();
  #unsent: WriteRequest[] = [];
  /** When the unsent ones go to the thread, all of them as one group. */
  #dueMs = Number.POSITIVE_INFINITY;
  #cancelDue: Cancel = () => {};
  #lastGroupMs = Number.NEGATIVE_INFINITY;
  /** Writes that the thread has before it. A refused one counts until the thread answers: if it hangs, it keeps what it was sent. */
  #sent = 0;
  #lastId = 0;
  #thread: WriterThread | undefined;
  #onEnd = (): void => {};
  #startAgainAtMs = 0;
  #cancelWatch: Cancel | undefined;
  #closed = false;

  private constructor(deps: ThreadedWriterDeps) {
    this.#deps = deps;
  }

  /** Resolves when the thread can write. */
  static async start(deps: ThreadedWriterDeps): Promise<ThreadedWriter> {
    const writer = new ThreadedWriter(deps);
    await new Promise<void>((resolve, reject) => {
      writer.#startThread({
        message: () => resolve(),
        failed: reject,
        ended: () => reject(unavailable('has no writer thread: it ended at its start')),
      });
    });
    return writer;
  }

  execute<Name extends WriteName>(name: Name, ...args: Parameters<Storage[Name]>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#closed) throw unavailable('is closed');
      if (this.#sent + this.#unsent.length >= MAX_UNANSWERED_WRITES) throw unavailable('has too many writes waiting');
      this.#lastId += 1;
      const id = this.#lastId;
      const nowMs = this.#deps.clock.nowMs();
      const deadlineMs = nowMs + this.#deps.writeTimeoutMs;
      this.#waiting.set(id, { resolve, reject, deadlineMs });
      this.#unsent.push({ id, write: { name, args } as StorageWrite, deadlineMs });
      const dueMs = DEFERRABLE.has(name) ? nowMs + DEFERRABLE_MS : Math.max(nowMs, this.#lastGroupMs + GROUP_EVERY_MS);
      if (dueMs < this.#dueMs) {
        this.#cancelDue();
        this.#dueMs = dueMs;
        if (dueMs > nowMs) this.#cancelDue = this.#deps.clock.after(dueMs - nowMs, this.#sendAll);
        else (this.#deps.soon ?? setImmediate)(this.#sendAll);
      }
      if (!this.#cancelWatch) this.#watch();
    });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#sendAll();
    const thread = this.#thread;
    if (thread) {
      const ended = new Promise<void>((resolve) => {
        this.#onEnd = resolve;
      });
      thread.postMessage({ kind: 'close' });
      // Hanging in the disk: what waits has been refused by then.
      const cancel = this.#deps.clock.after(this.#deps.writeTimeoutMs + HANGING_AFTER_MS, () => thread.terminate());
      await ended;
      cancel();
    }
    this.#cancelWatch?.();
  }

  /** Without `this`: timers call it. */
  readonly #sendAll = (): void => {
    this.#cancelDue();
    this.#dueMs = Number.POSITIVE_INFINITY;
    if (this.#unsent.length === 0) return;
    const requests = this.#unsent;
    this.#unsent = [];
    this.#lastGroupMs = this.#deps.clock.nowMs();
    if (!this.#thread && this.#lastGroupMs < this.#startAgainAtMs) {
      this.#refuse(
        requests.map(({ id }) => id),
        unavailable('has lost its writer thread, which starts again soon'),
      );
      return;
    }
    const thread = this.#thread ?? this.#startThread();
    thread.postMessage({ kind: 'writes', requests });
    this.#sent += requests.length;
  };

  /** `starting`: a second listener, for the start. */
  #startThread(starting?: WriterThreadListener): WriterThread {
    const { clock, startThread } = this.#deps;
    let failure = 'it ended';
    const thread: WriterThread = startThread({
      message: (message) => {
        starting?.message(message);
        if (message.kind !== 'answers') return;
        this.#sent -= message.answers.length;
        this.#settle(message.answers);
        this.#deps.committed?.();
      },
      failed: (error) => {
        failure = messageOf(error);
        starting?.failed(error);
      },
      ended: () => {
        starting?.ended();
        this.#onEnd();
        if (this.#thread !== thread) return;
        this.#thread = undefined;
        this.#sent = 0;
        this.#startAgainAtMs = clock.nowMs() + RESTART_AFTER_MS;
        const unsent = new Set(this.#unsent.map(({ id }) => id));
        const sent = [...this.#waiting.keys()].filter((id) => !unsent.has(id));
        this.#refuse(sent, unanswered(`has lost its writer thread (${failure})`));
      },
    });
    this.#thread = thread;
    return thread;
  }

  #settle(answers: readonly WriteAnswer[]): void {
    for (const answer of answers) {
      const waiting = this.#waiting.get(answer.id);
      this.#waiting.delete(answer.id);
      if (answer.ok) waiting?.resolve(answer.value);
      else waiting?.reject(new RelaygateError(answer.code, answer.message));
    }
  }

  #refuse(ids: readonly number[], { code, message }: RelaygateError): void {
    this.#settle(ids.map((id) => ({ id, ok: false, code, message })));
  }

  /** While writes wait: refuses each on which the thread hangs, at its time. */
  #watch(): void {
    const [oldest] = this.#waiting.values();
    if (!oldest) return;
    const { clock } = this.#deps;
    this.#cancelWatch = clock.after(oldest.deadlineMs + HANGING_AFTER_MS - clock.nowMs(), () => {
      this.#cancelWatch = undefined;
      const hangingSinceMs = clock.nowMs() - HANGING_AFTER_MS;
      const hanging = [...this.#waiting].filter(([, { deadlineMs }]) => deadlineMs <= hangingSinceMs);
      this.#refuse(
        hanging.map(([id]) => id),
        unanswered('does not answer'),
      );
      this.#watch();
    });
  }
}

function unanswered(why: string): RelaygateError {
  return new RelaygateError('storage-unanswered', `The database ${why}.`);
}

function unavailable(why: string): RelaygateError {
  return new RelaygateError('storage-unavailable', `The database ${why}.`);
}

/** What passes between the threads. */
export type ToWriter = { kind: 'writes'; requests: WriteRequest[] } | { kind: 'close' };
export type FromWriter = { kind: 'ready' } | { kind: 'answers'; answers: WriteAnswer[] };

/** The thread that writes, as the main thread sees it; a Worker is one. */
export interface WriterThread {
  postMessage(message: ToWriter): void;
  /** Ends it at once, even while it writes. */
  terminate(): unknown;
}

export interface WriterThreadListener {
  message(message: FromWriter): void;
  /** It has thrown an error; `ended` follows. */
  failed(error: Error): void;
  ended(): void;
}

/** The first message says that it is ready. */
export type StartWriter = (listener: WriterThreadListener) => WriterThread;
