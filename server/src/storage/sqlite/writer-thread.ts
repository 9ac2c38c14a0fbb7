import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { GroupCommit, WriteAnswer, WriteRequest } from '../group-commit';

/** What passes between the threads. */
export type ToWriter = { kind: 'writes'; requests: WriteRequest[] } | { kind: 'close' };
export type FromWriter = { kind: 'ready' } | { kind: 'answers'; answers: WriteAnswer[] };

export interface WriterThreadData {
  file: string;
  writerName: string;
  /** Whom its audit records name. */
  actor?: string | undefined;
}

const THREAD_FILE = join(__dirname, 'write-worker.js');

/** The thread that writes, as it is met from outside; a Worker is one. */
export interface WriterThread {
  postMessage(message: ToWriter): void;
  /** Ends it, whatever it has in hand. */
  terminate(): unknown;
}

export interface WriterThreadListener {
  message(message: FromWriter): void;
  /** It throws; `ended` follows. */
  failed(error: Error): void;
  ended(): void;
}

/** The first message says that it is ready. */
export type StartWriterThread = (data: WriterThreadData, listener: WriterThreadListener) => WriterThread;

/** A thread of this process. `threadFile`: the program that it runs, if not the shipped one. */
export function workerThread(threadFile = THREAD_FILE): StartWriterThread {
  return (workerData, listener) => {
    const worker = new Worker(threadFile, { workerData });
    worker.on('message', (message: FromWriter) => listener.message(message));
    worker.on('error', (error) => listener.failed(error instanceof Error ? error : new Error(String(error))));
    worker.on('exit', () => listener.ended());
    return worker;
  };
}

/** What the writer thread has before it: all that waits is one group. First in, first out. */
export class WriteQueue {
  readonly #group: GroupCommit;
  #waiting: WriteRequest[] = [];
  #isClosing = false;

  constructor(group: GroupCommit) {
    this.#group = group;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Nothing comes any more: with nothing left the thread ends. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  take(message: ToWriter): void {
    if (message.kind === 'close') this.#isClosing = true;
    else this.#waiting.push(...message.requests);
  }

  /** One try at all that waits. What the lock holds back stays ahead of what comes since. */
  async runGroup(): Promise<WriteAnswer[]> {
    const requests = this.#waiting;
    this.#waiting = [];
    const { answers, left } = await this.#group.run(requests);
    this.#waiting = [...left, ...this.#waiting];
    return answers;
  }
}
