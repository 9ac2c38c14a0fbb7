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
