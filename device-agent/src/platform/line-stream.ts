import type { Socket } from 'node:net';
import type { LineConnection, LineEvents } from '../ipc/line-connection';
import { LineSplitter } from '../ipc/line-splitter';

/** How many bytes may wait for a side that does not read; beyond, it is cut off. I15. */
const MAX_QUEUED_BYTES = 256 * 1024;

/** Lines over a stream socket. The caller listens to `error`. */
export function streamLines(socket: Socket, maxLineBytes: number, events: LineEvents): LineConnection {
  const splitter = new LineSplitter(maxLineBytes);
  let tooLong = false;
  socket.on('data', (chunk) => {
    const lines = splitter.push(chunk);
    if (!lines) {
      tooLong = true;
      socket.destroy();
      return;
    }
    for (const line of lines) if (!socket.destroyed) events.line(line);
  });
  socket.on('close', () => events.closed(tooLong ? { code: 'line-too-long', message: 'a line is too long' } : null));
  return {
    send(line) {
      if (socket.destroyed || !socket.writable) return;
      socket.write(`${line}\n`);
      if (socket.writableLength > MAX_QUEUED_BYTES) socket.destroy();
    },
    close: () => void socket.destroy(),
  };
}
