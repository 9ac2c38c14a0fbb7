import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { FromWriter, ToWriter, WriterThreadData } from './writer-messages';

const THREAD_FILE = join(__dirname, 'write-worker.js');

/** The thread that writes, as it is met from outside. */
export interface WriterThread {
  post(message: ToWriter): void;
  /** Ends it, whatever it has in hand. */
  terminate(): void;
}

export interface WriterThreadListener {
  message(message: FromWriter): void;
  /** It throws; `ended` follows. */
  failed(error: Error): void;
  ended(): void;
}

/** The first message says that it is ready. */
export type StartWriterThread = (data: WriterThreadData, listener: WriterThreadListener) => WriterThread;

/** A thread of this process. `threadFile`: another program for it. */
export function workerThread(threadFile = THREAD_FILE): StartWriterThread {
  return (workerData, listener) => {
    const worker = new Worker(threadFile, { workerData });
    worker.on('message', (message: FromWriter) => listener.message(message));
    worker.on('error', (error) => listener.failed(error instanceof Error ? error : new Error(String(error))));
    worker.on('exit', () => listener.ended());
    return {
      post: (message) => worker.postMessage(message),
      terminate: () => void worker.terminate(),
    };
  };
}
