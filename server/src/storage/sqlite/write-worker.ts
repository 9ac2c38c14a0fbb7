/** The writer thread: takes everything that waits, commits it as one group, answers, and again. */
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { monotonicNowMs } from '@relaygate/shared/system';
import { GroupCommit } from '../group-commit';
import type { FromWriter, ToWriter } from '../threaded-writer';
import { closeWithoutLog, openWriteConnection } from './database-file';
import { writeSqlOf } from './sqlite';
import type { WriterThreadData } from './writer-thread';

if (parentPort) serve(parentPort, workerData);

function serve(port: MessagePort, { file, writerName, actor }: WriterThreadData): void {
  const db = openWriteConnection(file);
  const group = new GroupCommit(writeSqlOf(db), writerName, monotonicNowMs, actor);
  let isAtWork = false;
  const inbox: ToWriter[] = [];
  /** Nothing comes any more: the thread ends as soon as nothing is left. */
  let isClosing = false;

  async function work(): Promise<void> {
    isAtWork = true;
    for (;;) {
      for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port)) inbox.push(next.message);
      for (const message of inbox.splice(0)) {
        if (message.kind === 'close') isClosing = true;
        else group.add(message.requests);
      }
      if (group.isIdle) break;
      const answers = await group.run();
      if (answers.length > 0) port.postMessage({ kind: 'answers', answers } satisfies FromWriter);
    }
    isAtWork = false;
    if (!isClosing) return;
    closeWithoutLog(db);
    port.close();
  }

  port.on('message', (message: ToWriter) => {
    inbox.push(message);
    if (!isAtWork) void work();
  });
  port.postMessage({ kind: 'ready' } satisfies FromWriter);
}
