import { type AuditRecord, type ChainHead, chainFault, GENESIS_HEAD } from '@relaygate/server/audit/audit-record';

/** The seq of the first record that does not continue this chain from its start; undefined for a sound one. */
export function firstFault(chain: readonly AuditRecord[]): number | undefined {
  return chain.find((record, index) => {
    const last: ChainHead = chain[index - 1] ?? GENESIS_HEAD;
    return chainFault(last, record) !== undefined;
  })?.seq;
}
