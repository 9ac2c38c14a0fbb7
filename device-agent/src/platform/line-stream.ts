import type { Socket } from 'node:net';
import type { LineConnection, LineEvents } from '../ipc/line-connection';
import { LineSplitter } from '../ipc/line-splitter';

/** How many bytes may wait for a side that does not read; beyond, it is cut off. I15. */
const MAX_QUEUED_BYTES = 256 * 1024;

/** The end of a stream is read one turn of the event loop after its last line, and reported with the next. */
const READ_TURNS = 2;

export interface LineStreamOptions {
  maxLineBytes: number;
  /** Drops lines of a side that has hung up right after them: nobody waits for what they ask for. */
  dropLastWords?: boolean;
}

/** Lines over a stream socket. The caller listens to `error`. */
export function streamLines(
  socket: Socket,
  { maxLineBytes, dropLastWords = false }: LineStreamOptions,
  events: LineEvents,
): LineConnection {
  const splitter = new LineSplitter(maxLineBytes);
  let tooLong = false;
  let hasEnded = false;
  socket.once('end', () => {
    hasEnded = true;
  });
  const deliver = (lines: readonly string[]): void => {
    for (const line of lines) if (!socket.destroyed) events.line(line);
  };
  const deliverLater = (lines: readonly string[], turns: number): void => {
    if (turns > 0) setImmediate(deliverLater, lines, turns - 1);
    else if (!hasEnded) deliver(lines);
  };
  socket.on('data', (chunk) => {
    const lines = splitter.push(chunk);
    if (!lines) {
      tooLong = true;
      socket.destroy();
      return;
    }
    if (dropLastWords) deliverLater(lines, READ_TURNS);
    else deliver(lines);
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
