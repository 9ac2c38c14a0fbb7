import { BY_MAX_CHARS, plainLine } from '@relaygate/shared';
import { refusalOf } from './authorise';
import type { CommandStore } from './command-store';
import type { CommandAnswer, CommandOrder, CommandRouter } from './order';

/** Sets or toggles outputs: authorised on fresh rows (I13), then dispatched where the product's link is. */
export function outputDriver(
  store: Pick<CommandStore, 'readAccess'>,
  router: CommandRouter,
): (order: CommandOrder) => Promise<CommandAnswer> {
  return async (order) => {
    const access = await store.readAccess(order.clientId, order.productLogin, order.numOutput);
    const code = refusalOf(access);
    if (code) return { kind: 'error', code };
    const by = shownName(access?.clientName ?? '');
    return router.dispatch({
      ...order,
      ...(by === '' ? {} : { by }),
      ...(access?.deviceEnrolled === false ? { noDevice: true } : {}),
    });
  };
}

/** The device takes no control characters and at most BY_MAX_CHARS. Names from before that rule may hold some. */
function shownName(name: string): string {
  return [...plainLine(name)].slice(0, BY_MAX_CHARS).join('');
}
