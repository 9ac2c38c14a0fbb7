import type { Call } from '../witnesses/history';
import type { Facts } from './facts';

/** The last state of a product that the last client was told; undefined: none. */
export function lastStateOf(facts: Facts, productLogin: string): Call | undefined {
  return facts.history.calls.findLast(
    ({ client, request, answer }) =>
      client === 'client-last' &&
      request.kind === 'state' &&
      request.productLogin === productLogin &&
      answer?.code === 'ok',
  );
}
