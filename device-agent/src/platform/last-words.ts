import type { Socket } from 'node:net';
import type { LineEvents } from '../ipc/line-connection';

/** The end of a stream is read one turn of the event loop after its last line, and reported with the next. */
const READ_TURNS = 2;

/**
 * Drops lines of a side that has hung up right after them: nobody waits for what they ask for. So a program that was stopped
 * does nothing for those who gave up meanwhile.
 */
export function withoutLastWords(socket: Socket, events: LineEvents): LineEvents {
  let hasEnded = false;
  socket.once('end', () => {
    hasEnded = true;
  });
  const deliverLater = (text: string, turns: number): void => {
    if (turns > 0) setImmediate(deliverLater, text, turns - 1);
    else if (!hasEnded && !socket.destroyed) events.line(text);
  };
  return { line: (text) => deliverLater(text, READ_TURNS), closed: (problem) => events.closed(problem) };
}
