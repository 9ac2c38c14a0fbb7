/** agent.sock: making this device a new one. */
import { type Static, Type } from '@relaygate/shared';
import { Actor } from './actor';
import { NotAfterMs } from './not-after';

/** The login is that of this device, so that nobody wipes another one by mistake. */
export const ResetRequest = Type.Object({ productLogin: Type.String(), notAfterMs: NotAfterMs, actor: Actor });
export type ResetRequest = Static<typeof ResetRequest>;

/** Guard and agent end after it. */
export interface ResetReply {
  productLogin: string;
}
