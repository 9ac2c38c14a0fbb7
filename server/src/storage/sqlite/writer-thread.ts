import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { WriteAnswer, WriteRequest } from '../group-commit';

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
