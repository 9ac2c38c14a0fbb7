/** agent.sock: maintenance locks. */
import { LOCK_MAX_MS, LOCK_MIN_MS, NumOutput, type Static, Type } from '@relaygate/shared';
import type { Cause } from '../../../runtime/cause';
import { CHANGE } from './actor';

export const LockRequest = Type.Object({
  numOutput: NumOutput,
  forMs: Type.Integer({ minimum: LOCK_MIN_MS, maximum: LOCK_MAX_MS }),
  ...CHANGE,
});
export type LockRequest = Static<typeof LockRequest>;
export const UnlockRequest = Type.Object({ numOutput: NumOutput, ...CHANGE });
export type UnlockRequest = Static<typeof UnlockRequest>;

/** In force in the guard. */
export interface LockReply {
  numOutput: number;
  forMs: number;
  /**
   * Why the lock is not durable: it ends with a restart of the agent or the power, unless it can be saved before. Absent:
   * it is durable.
   */
  unsaved?: Cause;
}

export interface UnlockReply {
  numOutput: number;
  wasLocked: boolean;
}
