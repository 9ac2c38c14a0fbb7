import { BY_MAX_CHARS, plainLine } from '@relaygate/shared';
import { refusalOf } from './authorise';
import type { CommandBudgets } from './command-budgets';
import type { CommandStore } from './command-store';
import type { CommandAnswer, CommandOrder, CommandRouter } from './order';

/**
 * Sets or toggles outputs: authorised on fresh rows (I13), then dispatched where the product's link is. Fails with
 * `too-many-requests` beyond the client's budget, which only commands that it may give can use up.
 */
export function outputDriver(
  store: Pick<CommandStore, 'readAccess'>,
  router: CommandRouter,
  budgets: CommandBudgets,
): (order: CommandOrder) => Promise<CommandAnswer> {
  return async (order) => {
    const access = await store.readAccess(order.clientId, order.productLogin, order.numOutput);
    const code = refusalOf(access);
    if (code) return { kind: 'error', code };
    const by = shownName(access?.clientName ?? '');
    budgets.take(order);
    try {
      const answer = await router.dispatch({
        ...order,
        ...(by === '' ? {} : { by }),
        ...(access?.deviceEnrolled === false ? { noDevice: true } : {}),
      });
      if (isUnrecorded(answer)) budgets.giveBack(order);
      return answer;
    } catch (error) {
      budgets.giveBack(order);
      throw error;
    }
  };
}

/** Or in doubt, as an unanswered write: it costs nothing, and each takes its product's slot for a second. */
function isUnrecorded(answer: CommandAnswer): boolean {
  return answer.kind === 'error' && (answer.isUnrecorded || answer.code === 'request-already-pending');
}

/** The device takes no control characters and at most BY_MAX_CHARS. Names from before that rule may hold some. */
function shownName(name: string): string {
  return [...plainLine(name)].slice(0, BY_MAX_CHARS).join('');
}
