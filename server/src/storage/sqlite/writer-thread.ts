import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { FromWriter, WriterThread, WriterThreadListener } from '../threaded-writer';

export interface WriterThreadData {
  file: string;
  writerName: string;
  /** Whom its audit records name. */
  actor?: string | undefined;
}

const THREAD_FILE = join(__dirname, 'write-worker.js');

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
