import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, lstat, mkdir, rename, unlink } from 'node:fs/promises';
import { createConnection, createServer, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { MAX_SOCKET_PATH_BYTES } from '@relaygate/shared/device-limits';
import { RelaygateError } from '@relaygate/shared/relaygate-error';
import { type LineEvents, MAX_REQUEST_BYTES, type ServeLines } from '../ipc/line-connection';
import { codeOf, problemOf } from '../runtime/problem';
import { type FileLock, lockFile } from './file-lock';
import { streamLines } from './line-stream';

const SOCKET_MODE = 0o660;
const MAX_CLIENTS = 32;

type LinesThrough = (socket: Socket, events: LineEvents) => LineEvents;

export interface ClaimedSocket {
  /** Serves clients from now on, also those that came earlier; `through`: see serveClient. */
  serve(serve: ServeLines, through?: LinesThrough): void;
  /** Gives the path up and hangs up on every client. */
  close(): Promise<void>;
}

/**
 * Takes the socket path for this process, or fails with `already-running` when another one answers there. A socket
 * that nobody listens to is replaced. The socket appears at its path listening and with its mode, in one step, so
 * two starting at once cannot both have it.
 */
export async function claimSocket(path: string, owner: string): Promise<ClaimedSocket> {
  // Node would cut a longer path without a word.
  if (Buffer.byteLength(path) > MAX_SOCKET_PATH_BYTES) {
    throw new RelaygateError(
      'socket-unusable',
      `The socket path ${path} is over ${MAX_SOCKET_PATH_BYTES} bytes; choose a shorter --run.`,
    );
  }
  // Made ready under a name that is not longer than the real one, then moved there.
  const temporary = join(dirname(path), `.${randomBytes(4).toString('hex')}`);
  const waiting: Socket[] = [];
  const clients = new Set<Socket>();
  let take = (socket: Socket): void => void waiting.push(socket);
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    if (clients.size >= MAX_CLIENTS) {
      socket.destroy();
      return;
    }
    clients.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => clients.delete(socket));
    take(socket);
  });
  let lock: FileLock | null = null;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o750 });
    // If many find the same stale socket, only one may replace it.
    lock = await lockFile(`${path}.lock`);
    if (!lock) throw alreadyRunning(path, owner);
    server.listen(temporary);
    await once(server, 'listening');
    await chmod(temporary, SOCKET_MODE);
    await publish(temporary, path, owner);
  } catch (error) {
    server.close();
    await unlink(temporary).catch(() => {});
    await lock?.release();
    if (error instanceof RelaygateError) throw error;
    throw new RelaygateError('socket-unusable', `The socket ${path} cannot be made: ${problemOf(error)}.`, {
      cause: error,
    });
  }
  return {
    serve(serve, through) {
      take = (socket) => serveClient(socket, serve, through);
      for (const socket of waiting.splice(0)) if (!socket.destroyed) take(socket);
    },
    async close() {
      await unlink(path).catch(() => {});
      for (const socket of clients) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await lock?.release();
    },
  };
}

/** `through`: what a client's lines go through before they are served; absent: nothing. */
export function serveClient(socket: Socket, serve: ServeLines, through?: LinesThrough): void {
  const connection = streamLines(socket, MAX_REQUEST_BYTES, {
    line: (text) => events.line(text),
    closed: (problem) => events.closed(problem),
  });
  const served = serve(connection);
  const events = through ? through(socket, served) : served;
  socket.resume();
}

/** The lock's owner is alone here; if something listens there all the same, it is another program. */
async function publish(temporary: string, path: string, owner: string): Promise<void> {
  try {
    if (!(await lstat(path)).isSocket())
      throw new RelaygateError('socket-unusable', `${path} is there and is no socket; move it away.`);
    if (await answers(path)) throw alreadyRunning(path, owner);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  await rename(temporary, path);
}

function alreadyRunning(path: string, owner: string): RelaygateError {
  return new RelaygateError('already-running', `Another ${owner} listens at ${path}; stop it first.`);
}

/** Whether somebody listens; a socket of another user (EACCES) counts as taken. */
function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createConnection({ path });
    probe.once('connect', () => {
      probe.destroy();
      resolve(true);
    });
    probe.once('error', (error) => resolve(!['ECONNREFUSED', 'ENOENT', 'ENOTSOCK'].includes(codeOf(error))));
  });
}
