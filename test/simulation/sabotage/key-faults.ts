/** Deliberate faults of keys that stand for commands. */
import type { KeyedCommand } from '@relaygate/server/commands/command-store';
import type { Storage } from '@relaygate/server/storage/storage';
import { faultyConnection } from '../ports/database/faulty-connection';
import type { Sabotage } from './sabotage';

/** The key is not in the record that is durable before the sending, but is written with the outcome. */
export function storesKeysAfterSending(): Sabotage {
  return {
    writerConnection: (db) => {
      const waiting = new Map<unknown, () => unknown>();
      return faultyConnection(db, (sql, args, run) => {
        if (sql.startsWith('UPDATE commands SET idempotency_key = ?')) return waiting.set(args.at(-1), run);
        if (sql.startsWith('UPDATE commands SET outcome = ?'))
          for (const commandId of args) {
            waiting.get(commandId)?.();
            waiting.delete(commandId);
          }
        return run();
      });
    },
  };
}

/** A key is looked for whoever has given it. */
export function scopesKeysWithoutClient(): Sabotage {
  return {
    storage: (storage) => ({
      ...storage,
      async findKeyed(clientId, key) {
        for (const one of [clientId, 'client-0', 'client-1', 'client-2']) {
          const found = await storage.findKeyed(one, key);
          if (found) return found;
        }
        return undefined;
      },
    }),
  };
}

/** What nobody confirmed counts as what did not happen. */
export function runsUnknownAnew(): Sabotage {
  return {
    storage: (storage) => ({
      ...storage,
      ...finding(storage, (found) => (found.outcome === 'unknown' ? { ...found, outcome: 'expired' } : found)),
    }),
    writerConnection: (db) => {
      const free = `UPDATE commands SET idempotency_key = NULL
        WHERE actor_id = ? AND idempotency_key = ? AND command_id = ? RETURNING key_since_ms`;
      return faultyConnection(db, (sql, args, run) => {
        const isFreed = sql.includes('RETURNING key_since_ms');
        return (
          run() ??
          (isFreed
            ? db
                .prepare(free)
                .raw()
                .get(...args)
            : undefined)
        );
      });
    },
  };
}

/** What its board refused counts as what did not move. */
export function runsFailedBoardsAnew(): Sabotage {
  return {
    storage: (storage) => ({
      ...storage,
      ...finding(storage, (found) => (found.reason === 'board-failed' ? { ...found, reason: 'board-away' } : found)),
    }),
  };
}

/** Whoever asks again gets the answer of the first, and the command is given once more. */
export function replaysAndExecutes(): Sabotage {
  return {
    actions: (actions) => ({
      ...actions,
      async drive(order) {
        const answer = await actions.drive(order);
        const { idempotency: _key, ...again } = order;
        if (answer.isReplayed) await actions.drive(again);
        return answer;
      },
    }),
  };
}

function finding(storage: Storage, make: (found: KeyedCommand) => KeyedCommand): Pick<Storage, 'findKeyed'> {
  return {
    async findKeyed(clientId, key) {
      const found = await storage.findKeyed(clientId, key);
      return found && make(found);
    },
  };
}
