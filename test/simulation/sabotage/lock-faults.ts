/** Deliberate faults of maintenance locks. */
import type { Sabotage } from './sabotage';

/** The locks are on the card, and no guard that starts hears of them. */
export function tellsNoGuardOfLocks(): Sabotage {
  return {
    toGuard(line) {
      const request = JSON.parse(line);
      return request.type === 'locks' ? JSON.stringify({ ...request, locks: [] }) : line;
    },
  };
}

/** What a technician was told is kept in memory only: an agent that dies forgets it. */
export function keepsLocksInMemory(): Sabotage {
  return {
    agentFiles: (files) => ({
      ...files,
      read: async (path) => (path.endsWith('locks.json') ? null : files.read(path)),
    }),
  };
}
