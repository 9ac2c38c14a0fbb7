import type { Cancel } from '@relaygate/shared';
import { RelaygateError } from '@relaygate/shared/relaygate-error';
import { problemOf } from '../runtime/problem';

interface EpollModule {
  Epoll: (new (ready: () => void) => Epoll) & { EPOLLIN: number };
}
interface Epoll {
  add(fd: number, events: number): Epoll;
  remove(fd: number): Epoll;
}

/**
 * Calls `ready` while the file has something to read, or has an error to tell: once a turn of the event loop, in turn
 * with other files. Throws `board-unusable` where epoll is not there: it is compiled at its installation.
 */
export function whileReadable(fd: number, ready: () => void): Cancel {
  const { Epoll } = loadEpoll();
  const epoll = new Epoll(ready).add(fd, Epoll.EPOLLIN);
  return () => void epoll.remove(fd);
}

function loadEpoll(): EpollModule {
  try {
    // biome-ignore lint/style/noRestrictedGlobals: loaded where it is needed only.
    return require('epoll');
  } catch (error) {
    throw new RelaygateError(
      'board-unusable',
      `Inputs that are watched need the package epoll, which does not load (${problemOf(error)}): install a compiler and ` +
        'run "npm rebuild epoll".',
      { cause: error },
    );
  }
}
