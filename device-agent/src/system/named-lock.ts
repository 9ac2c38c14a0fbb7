import { createHash } from 'node:crypto';
import { createServer } from 'node:net';
import { codeOf } from '../program/problem';

export interface NamedLock {
  release(): Promise<void>;
}

/**
 * A lock that one process of this machine has at a time: a listening socket in Linux's abstract name space, which ends
 * with its process and leaves nothing behind. `subject` tells what is locked. Null: somebody else has it.
 */
export function takeLock(subject: string): Promise<NamedLock | null> {
  const name = `relaygate-${createHash('sha256').update(subject).digest('hex').slice(0, 32)}`;
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve, reject) => {
    server.once('error', (error) => (codeOf(error) === 'EADDRINUSE' ? resolve(null) : reject(error)));
    server.listen(`\0${name}`, () =>
      resolve({ release: () => new Promise<void>((released) => server.close(() => released())) }),
    );
  });
}
