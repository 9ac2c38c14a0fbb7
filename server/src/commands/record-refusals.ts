import { type ErrorCode, RelaygateError } from '@relaygate/shared';
import type { Log } from '../log/log';
import type { NodeMembership } from '../nodes/membership';
import type { NodeStore } from '../nodes/node-store';
import type { SlotEvent } from './command-slot';
import type { CommandStore } from './command-store';
import { refusalOf } from './drive-output';
import { type CommandOrder, ELSEWHERE, SLOT_TAKEN } from './order';

export interface RecordRefusalsDeps {
  store: Pick<CommandStore, 'readAccess'> & Pick<NodeStore, 'productOwner'>;
  node: NodeMembership;
  nodeName: string;
  log: Log;
}

/** Why a command has got no record. Where that can be found out, its client is told it instead of the usual 500. */
export class RecordRefusals {
  readonly #deps: RecordRefusalsDeps;

  constructor(deps: RecordRefusalsDeps) {
    this.#deps = deps;
  }

  /** As `refusalOf`, on fresh rows. Rejects with the storage's error. */
  async accessRefusal({ clientId, productLogin, numOutput }: CommandOrder): Promise<ErrorCode | undefined> {
    return refusalOf(await this.#deps.store.readAccess(clientId, productLogin, numOutput));
  }

  /** The storage wrote none: the client may not give the command any more, or its key stands for another one. */
  async whyNotWritten(commandId: string, order: CommandOrder): Promise<SlotEvent> {
    const { node, log } = this.#deps;
    // On one node the record checks no authorisation.
    if (node.instance === undefined) return { kind: 'record-failed', answer: SLOT_TAKEN };
    try {
      const code = await this.accessRefusal(order);
      if (code) return { kind: 'record-failed', answer: { kind: 'error', code, isUnrecorded: true } };
      // Without a key, the client has got its right back meanwhile.
      return { kind: 'record-failed', ...(order.idempotency && { answer: SLOT_TAKEN }) };
    } catch (err) {
      log.error({ commandId, err }, 'why the command was not recorded is not readable');
      return { kind: 'record-failed' };
    }
  }

  /** The write ended with `error`. */
  async whyFailed(commandId: string, order: CommandOrder, error: unknown): Promise<SlotEvent> {
    const { store, node, nodeName, log } = this.#deps;
    const code = error instanceof RelaygateError ? error.code : null;
    if (code === 'storage-unanswered') return { kind: 'record-unanswered' };
    if (node.instance === undefined) return { kind: 'record-failed' };
    try {
      const owner = await store.productOwner(order.productLogin, node.instance);
      if (owner?.nodeName !== nodeName) return { kind: 'record-failed', answer: ELSEWHERE };
      if (owner.isSlotTaken) return { kind: 'record-failed', answer: SLOT_TAKEN };
      // Whoever was in the way has gone meanwhile, so a further attempt may succeed.
      return { kind: 'record-failed', ...(code !== 'storage-unavailable' && { answer: ELSEWHERE }) };
    } catch (err) {
      log.error({ commandId, err }, 'owner of the product not readable');
      return { kind: 'record-failed' };
    }
  }
}
