/** What the agent shows of the device. */

import type { DeviceStatus, IdentityReply } from '../agent/technician/local-messages/device';
import type { ActionName, Reply, Request } from '../agent/technician/local-messages/local-actions';
import type { ProofReply } from '../agent/technician/local-messages/proof';

export interface AgentView {
  status: DeviceStatus;
  identity: Pick<IdentityReply, 'fingerprint' | 'webFingerprint'>;
  proof: Pick<ProofReply, 'isProven' | 'isRequired'>;
  /** The addresses of the technician's page; none while it is off. */
  urls: readonly string[];
}

/** Asks the agent one thing. Rejects with RelaygateError. */
export type Ask = <Name extends ActionName>(type: Name, body: Request<Name>) => Promise<Reply<Name>>;

/** null: it does not answer. */
export async function lookAtAgent(ask: Ask): Promise<AgentView | null> {
  try {
    const { urls } = await ask('web-status', {});
    return {
      status: await ask('status', {}),
      identity: await ask('identity', {}),
      proof: await ask('proof', {}),
      urls,
    };
  } catch {
    return null;
  }
}
