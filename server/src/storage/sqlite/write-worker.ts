/** The writer thread: takes everything that waits, commits it as one group, answers, and again. */
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { monotonicNowMs } from '@relaygate/shared/system';
import { GroupCommit } from '../group-commit';
import { closeWithoutLog, openWriteConnection } from './database-file';
import { writeSqlOf } from './statements';
import { type FromWriter, type ToWriter, WriteQueue, type WriterThreadData } from './writer-thread';

if (parentPort) serve(parentPort, workerData);

function serve(port: MessagePort, { file, writerName, actor }: WriterThreadData): void {
  const db = openWriteConnection(file);
  const queue = new WriteQueue(new GroupCommit(writeSqlOf(db), writerName, monotonicNowMs, actor));
  let isAtWork = false;

  async function work(): Promise<void> {
    isAtWork = true;
    for (;;) {
      for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port)) queue.take(next.message);
      if (queue.isEmpty) break;
      const answers = await queue.runGroup();
      if (answers.length > 0) port.postMessage({ kind: 'answers', answers } satisfies FromWriter);
    }
    isAtWork = false;
    if (!queue.isClosing) return;
    closeWithoutLog(db);
    port.close();
  }

  port.on('message', (message: ToWriter) => {
    queue.take(message);
    if (!isAtWork) void work();
  });
  port.postMessage({ kind: 'ready' } satisfies FromWriter);
}
