import { refusalOf } from './authorise';
import type { CommandStore } from './command-store';
import type { CommandAnswer, CommandOrder, CommandRouter } from './order';

/** Set or toggle an output: authorised on fresh rows (I13), then dispatched where the product's link is. */
export async function driveOutput(
  store: CommandStore,
  router: CommandRouter,
  order: CommandOrder,
): Promise<CommandAnswer> {
  const access = await store.readAccess(order.clientId, order.productLogin, order.numOutput);
  const code = refusalOf(access);
  return code ? { kind: 'error', code } : router.dispatch(order);
}
