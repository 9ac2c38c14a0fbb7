/** The writer thread: takes everything that waits, commits it as one group, answers, and again. */
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { monotonicNowMs } from '@relaygate/shared/system';
import { closeWithoutLog, openWriteConnection } from './connections';
import { GroupCommit, type WriteRequest } from './group-commit';
import type { FromWriter, ToWriter, WriterThreadData } from './writer-messages';

if (parentPort) serve(parentPort, workerData);

function serve(port: MessagePort, { file, writerName, actor }: WriterThreadData): void {
  const db = openWriteConnection(file);
  const group = new GroupCommit(db, writerName, monotonicNowMs, actor);
  let closing = false;

  const take = (message: ToWriter): WriteRequest[] => {
    if (message.kind === 'close') {
      closing = true;
      return [];
    }
    return message.requests;
  };
  const takeAllThatWait = (): WriteRequest[] => {
    const taken: WriteRequest[] = [];
    for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port))
      taken.push(...take(next.message));
    return taken;
  };
  const send = (message: FromWriter): void => port.postMessage(message);

  port.on('message', (message: ToWriter) => {
    let waiting = take(message);
    for (;;) {
      // First in, first out: what the lock held back stays ahead of what came since.
      waiting = [...waiting, ...takeAllThatWait()];
      if (waiting.length === 0) break;
      const { answers, left } = group.run(waiting);
      if (answers.length > 0) send({ kind: 'answers', answers });
      waiting = left;
    }
    if (!closing) return;
    closeWithoutLog(db);
    port.close();
  });
  send({ kind: 'ready' });
}
