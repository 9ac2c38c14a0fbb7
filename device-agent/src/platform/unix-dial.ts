import { createConnection } from 'node:net';
import type { ConnectionProblem, DialEvents, DialLines, LineConnection } from '../ipc/line-connection';
import { MAX_REPLY_BYTES } from '../ipc/line-connection';
import { codeOf } from '../runtime/problem';
import { streamLines } from './line-stream';

/** Dials a unix socket. */
export function unixDial(path: string): DialLines {
  return (events: DialEvents): LineConnection => {
    const socket = createConnection({ path });
    let problem: ConnectionProblem | null = null;
    socket.once('connect', events.opened);
    socket.on('error', (error) => {
      problem = { code: codeOf(error), message: error.message };
    });
    return streamLines(socket, MAX_REPLY_BYTES, {
      line: events.line,
      closed: (why) => events.closed(problem ?? why),
    });
  };
}
