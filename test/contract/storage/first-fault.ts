import { type ReadAudit, verifyAudit } from '@relaygate/server/audit/verify-audit';

/** Of all chains; undefined if they are sound. */
export async function firstFault(store: ReadAudit): Promise<string | undefined> {
  return (await verifyAudit(store)).findings[0]?.text;
}
