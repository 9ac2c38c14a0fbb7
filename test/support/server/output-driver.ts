import type { CommandStore } from '@relaygate/server/commands/command-store';
import { countedAtOwner, type OutputDriverDeps, outputDriver } from '@relaygate/server/commands/drive-output';
import type { CommandAnswer, CommandOrder } from '@relaygate/server/commands/order';
import { VirtualClock } from '../time/virtual-clock';

type Driver = ReturnType<typeof outputDriver>;

/** A driver of commands without a key, on one of several nodes. */
export function driverOf(
  readAccess: CommandStore['readAccess'],
  router: OutputDriverDeps['router'],
  budgets: OutputDriverDeps['budgets'],
): Driver {
  const store = { readAccess, findKeyed: async () => undefined };
  return outputDriver({ store, router, budgets, outcomes: { latest: () => undefined }, clock: new VirtualClock() });
}

/** The same on the node that has all products; `dispatch` runs there. */
export function keylessDriver(
  readAccess: CommandStore['readAccess'],
  dispatch: (order: CommandOrder) => Promise<CommandAnswer>,
  budgets: OutputDriverDeps['budgets'],
): Driver {
  return driverOf(readAccess, { dispatch: countedAtOwner(budgets.products, dispatch) }, budgets);
}
