/** agent.sock: making this device a new one. */
import { type Static, Type } from '@relaygate/shared';
import { CHANGE } from './actor';

/** The device's own login, so that nobody wipes another one by mistake. */
export const ResetRequest = Type.Object({ productLogin: Type.String(), ...CHANGE });
export type ResetRequest = Static<typeof ResetRequest>;

/** Guard and agent end after it. */
export interface ResetReply {
  productLogin: string;
}
