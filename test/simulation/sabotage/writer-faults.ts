/** Deliberate faults of the server's writer, its thread, and what stands on its disk. */
import type { Storage } from '@relaygate/server/storage/storage';
import { RelaygateError } from '@relaygate/shared';
import { faultyConnection } from '../ports/database/faulty-connection';
import type { Sabotage } from './sabotage';

/** The disk is told of no commit. */
export function syncsNothing(): Sabotage {
  return {
    writerConnection: (db) => {
      db.pragma('synchronous = OFF');
      return db;
    },
  };
}

/** Commands are acknowledged when the thread has them, and not the disk. */
export function answersBeforeCommits(): Sabotage {
  return {
    writerThread: (start) => (data, listener) => {
      const thread = start(data, listener);
      return {
        terminate: () => thread.terminate(),
        postMessage(message) {
          thread.postMessage(message);
          if (message.kind === 'close') return;
          const commands = message.requests.filter(({ write }) => write.name === 'recordCommand');
          const answers = commands.map(({ id }) => ({ id, ok: true as const, value: true }));
          if (answers.length > 0) listener.message({ kind: 'answers', answers });
        },
      };
    },
  };
}

/** A thread that has died is not noticed. */
export function missesDeaths(): Sabotage {
  return { writerThread: (start) => (data, listener) => start(data, { ...listener, ended: () => {} }) };
}

/** Far above the writer's other timers, and below those that look for what hangs. */
const LONG_MS = 3_000;

/** Nobody looks for writes that hang. */
export function waitsForEver(): Sabotage {
  return {
    writerClock: (clock) => ({
      nowMs: () => clock.nowMs(),
      after: (delayMs, run) => (delayMs > LONG_MS ? () => {} : clock.after(delayMs, run)),
    }),
  };
}

/** What nobody knows of a write counts as "nothing was changed". */
export function takesUnansweredForUndone(): Sabotage {
  return {
    storage: (storage) => ({
      ...storage,
      recordCommand: (record) =>
        storage.recordCommand(record).catch((error) => {
          const isUnanswered = error instanceof RelaygateError && error.code === 'storage-unanswered';
          throw isUnanswered ? new RelaygateError('storage-unavailable', 'It is not there.') : error;
        }),
    }),
  };
}

/** Whatever a write fails of counts as a fault of the whole database. */
export function failsWholeGroups(): Sabotage {
  return {
    writerConnection: (db) =>
      faultyConnection(db, (_sql, _args, run) => {
        try {
          return run();
        } catch (error) {
          throw Object.assign(new Error(String(error)), { code: 'SQLITE_IOERR' });
        }
      }),
  };
}

/** A write that was refused leaves there what it had done. */
export function keepsHalves(): Sabotage {
  return {
    writerConnection: (db) =>
      faultyConnection(db, (sql, _args, run) => (sql.startsWith('ROLLBACK TO ') ? { changes: 0 } : run())),
  };
}

/** A group whose commit fails counts as done. */
export function callsFailedGroupsDone(): Sabotage {
  const done = <Name extends 'associate' | 'dissociate'>(storage: Storage, name: Name) =>
    ((clientId: string, productLogin: string, atMs: number) =>
      storage[name](clientId, productLogin, atMs).catch(() => true)) satisfies Storage[Name];
  return {
    storage: (storage) => ({
      ...storage,
      associate: done(storage, 'associate'),
      dissociate: done(storage, 'dissociate'),
    }),
  };
}

/** What cannot be read of a right is no right. */
export function takesUnreadableForMissing(): Sabotage {
  return {
    storage: (storage) => ({
      ...storage,
      isKeyActive: (...args) => storage.isKeyActive(...args).catch(() => true),
      readAccess: (...args) => storage.readAccess(...args).catch(() => undefined),
    }),
  };
}
