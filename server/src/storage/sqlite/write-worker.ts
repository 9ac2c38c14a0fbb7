/** The writer thread: takes everything that waits, commits it as one group, answers, and again. */
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { monotonicNowMs } from '@relaygate/shared/system';
import { GroupCommit } from '../group-commit';
import { closeWithoutLog, openWriteConnection } from './connections';
import { WriteQueue } from './write-queue';
import type { FromWriter, ToWriter, WriterThreadData } from './writer-messages';

if (parentPort) serve(parentPort, workerData);

function serve(port: MessagePort, { file, writerName, actor }: WriterThreadData): void {
  const db = openWriteConnection(file);
  const queue = new WriteQueue(new GroupCommit(db, writerName, monotonicNowMs, actor));
  const takeAllThatWait = (): void => {
    for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port)) queue.take(next.message);
  };
  const send = (message: FromWriter): void => port.postMessage(message);

  port.on('message', (message: ToWriter) => {
    queue.take(message);
    for (takeAllThatWait(); !queue.isEmpty; takeAllThatWait()) {
      const answers = queue.runGroup();
      if (answers.length > 0) send({ kind: 'answers', answers });
    }
    if (!queue.isClosing) return;
    closeWithoutLog(db);
    port.close();
  });
  send({ kind: 'ready' });
}
