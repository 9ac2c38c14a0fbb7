import type { CommandStore } from '@relaygate/server/commands/command-store';
import { type OutputDriverDeps, outputDriver } from '@relaygate/server/commands/drive-output';
import { VirtualClock } from '../time/virtual-clock';

/** A driver of commands without a key. */
export function keylessDriver(
  readAccess: CommandStore['readAccess'],
  router: OutputDriverDeps['router'],
  budgets: OutputDriverDeps['budgets'],
): ReturnType<typeof outputDriver> {
  const store = { readAccess, findKeyed: async () => undefined };
  return outputDriver({ store, router, budgets, outcomes: { latest: () => undefined }, clock: new VirtualClock() });
}
