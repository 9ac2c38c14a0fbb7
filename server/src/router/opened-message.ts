import type { KeyObject } from 'node:crypto';
import { MAX_NODE_MESSAGE_BYTES } from '@relaygate/shared';
import type { RefusalLog } from '../log/refusal-log';
import type { BusMessage } from './message-bus';
import { type Unsealed, unseal } from './seal';

export interface OpeningDeps {
  /** Of messages (seal.ts). */
  key: KeyObject;
  refusals: Pick<RefusalLog, 'note'>;
}

/**
 * Opens a message that is no answer. Undefined, and noted as from `source`: it is too large, or no node of this installation has
 * sealed it for its subject.
 */
export function openMessage(
  { key, refusals }: OpeningDeps,
  { subject, data }: BusMessage,
  { source = subject, maxBytes = MAX_NODE_MESSAGE_BYTES } = {},
): Unsealed | undefined {
  if (data.length > maxBytes) return void refusals.note('message-too-large', source);
  const unsealed = unseal(key, { direction: 'request', subject, boundTo: new Uint8Array() }, data);
  return unsealed ?? void refusals.note('message-forged', source);
}
