import type { Dispatcher } from '../commands/dispatcher';
import type { CommandRouter } from '../commands/order';

/** One node holds every link, so the owner is always this process. */
export function localRouter(dispatcher: Dispatcher): CommandRouter {
  return { dispatch: (order) => dispatcher.dispatch(order) };
}
