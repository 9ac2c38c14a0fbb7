import { createHash } from 'node:crypto';
import { RelaygateError } from '@relaygate/shared';
import type { Request } from 'express';
import type { Idempotency } from '../commands/command-store';
import type { CommandOrder } from '../commands/order';
import { IDEMPOTENCY_KEY_PATTERN } from '../commands/same-key';

const KEY = new RegExp(IDEMPOTENCY_KEY_PATTERN);

/** The request's `Idempotency-Key` as it came, quotes included. Undefined: it has none. Fails with `invalid-params` for a key of another form, and for two. */
export function idempotencyKeyOf(request: Request): string | undefined {
  const given = request.headers['idempotency-key'];
  if (given === undefined) return undefined;
  const [key, second] = request.headersDistinct['idempotency-key'] ?? [];
  if (key !== undefined && second === undefined && KEY.test(key)) return key;
  throw new RelaygateError('invalid-params', 'the Idempotency-Key is not one of 1 to 255 printable characters');
}

/** The order under that key. */
export function underKey(order: CommandOrder, key: string | undefined): CommandOrder {
  return key === undefined ? order : { ...order, idempotency: idempotencyOf(order, key) };
}

function idempotencyOf({ productLogin, numOutput, action }: CommandOrder, key: string): Idempotency {
  const request = JSON.stringify([
    productLogin,
    numOutput,
    action.action,
    action.action === 'set' ? action.state : null,
  ]);
  return { key, requestHash: createHash('sha256').update(request).digest('base64url'), insteadOf: null };
}
