import type { CommandOrder } from '../commands/order';
import type { CommandQuestion } from './messages';

type RoutedOrder = CommandQuestion['order'];

/** What another node is told of an order. A command with a key has an action of its own, which no node takes that does not know keys. */
export function routedOrder({ clientId, productLogin, numOutput, by, action, idempotency }: CommandOrder): RoutedOrder {
  const output = { clientId, productLogin, numOutput, ...(by !== undefined && { by }) };
  if (!idempotency) return { ...output, ...action };
  const { key, requestHash, insteadOf } = idempotency;
  const ofKey = { key, requestHash, ...(insteadOf === null ? {} : { insteadOf }) };
  if (action.action === 'toggle') return { ...output, action: 'toggle-once', ...ofKey };
  return { ...output, action: 'set-once', state: action.state, ...ofKey };
}

/** The order that another node has told of. */
export function orderOf(routed: RoutedOrder): CommandOrder {
  const { clientId, productLogin, numOutput, by } = routed;
  const output = { clientId, productLogin, numOutput, ...(by !== undefined && { by }) };
  switch (routed.action) {
    case 'set':
      return { ...output, action: { action: 'set', state: routed.state } };
    case 'toggle':
      return { ...output, action: { action: 'toggle' } };
    case 'set-once':
      return { ...output, action: { action: 'set', state: routed.state }, idempotency: keyOf(routed) };
    case 'toggle-once':
      return { ...output, action: { action: 'toggle' }, idempotency: keyOf(routed) };
    default:
      return routed satisfies never;
  }
}

function keyOf(routed: Extract<RoutedOrder, { key: string }>): NonNullable<CommandOrder['idempotency']> {
  const { key, requestHash, insteadOf = null } = routed;
  return { key, requestHash, insteadOf };
}
