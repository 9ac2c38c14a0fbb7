import type { Cancel } from '@relaygate/shared';
import { boardRefused } from '../runtime/board-refused';
import { causeOf } from '../runtime/problem';

interface EpollModule {
  Epoll: (new (
    ready: (error: Error | null, fd: number) => void,
  ) => Epoll) & {
    EPOLLIN: number;
    EPOLLPRI: number;
  };
}
interface Epoll {
  add(fd: number, events: number): Epoll;
  remove(fd: number): Epoll;
}

const readers = new Map<number, () => void>();
/** One object for all files, kept for ever: its garbage collection ends the process (epoll 4 on Node 20). */
let epoll: Epoll | null = null;

/**
 * Calls `ready` while the file has something to read, or has an error to tell: once a turn of the event loop, in turn
 * with other files. A file of sysfs can be read all the time: there `EPOLLPRI` says that it has changed since it was read.
 * Throws `board-unusable` where epoll is not there: it is compiled at its installation.
 */
export function whileReadable(fd: number, ready: () => void, events: 'EPOLLIN' | 'EPOLLPRI' = 'EPOLLIN'): Cancel {
  const { Epoll } = loadEpoll();
  epoll ??= new Epoll((_error, readable) => readers.get(readable)?.());
  epoll.add(fd, Epoll[events]);
  readers.set(fd, ready);
  return () => {
    readers.delete(fd);
    epoll?.remove(fd);
  };
}

function loadEpoll(): EpollModule {
  try {
    // biome-ignore lint/style/noRestrictedGlobals: loaded where it is needed only.
    return require('epoll');
  } catch (error) {
    throw boardRefused('board-unusable', 'epoll-missing', { problem: causeOf(error) }, { cause: error });
  }
}
