/** What the agent shows of the device. */
import type { DeviceStatus, IdentityReply } from '../agent/technician/local-messages/device';
import type { ProofReply } from '../agent/technician/local-messages/proof';
import type { WebStatus } from '../agent/technician/local-messages/web';

export interface AgentView {
  status: DeviceStatus;
  identity: Pick<IdentityReply, 'fingerprint' | 'webFingerprint'>;
  proof: Pick<ProofReply, 'isProven' | 'isRequired'>;
  /** Of the technician's page; none while it is off. */
  urls: readonly string[];
}

/** Asks the agent one thing. Rejects with RelaygateError. */
export type Ask = <Reply>(type: string, body: object) => Promise<Reply>;

/** null: it does not answer. */
export async function lookAtAgent(ask: Ask): Promise<AgentView | null> {
  try {
    const { urls } = await ask<WebStatus>('web-status', {});
    return {
      status: await ask<DeviceStatus>('status', {}),
      identity: await ask<IdentityReply>('identity', {}),
      proof: await ask<ProofReply>('proof', {}),
      urls,
    };
  } catch {
    return null;
  }
}
