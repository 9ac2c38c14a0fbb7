import { type Static, Type } from './json-schema';

/**
 * The outcome of a command on the device, in `result` and `resume`.
 * - executed: done; of an impulse output: the pulse has begun, or nothing had to move (state 0, or a pulse runs already)
 * - already-set: an on-off output was in the desired state; nothing moved
 * - refused: the output was not switched, or went off again because its board failed; `reason` says why
 * - unproven: done as far as the guard knows; `reason` says what is missing to be sure
 * - expired: not started, because its execution deadline had passed (I2)
 */
export const DeviceOutcome = Type.Union([
  Type.Literal('executed'),
  Type.Literal('already-set'),
  Type.Literal('refused'),
  Type.Literal('unproven'),
  Type.Literal('expired'),
]);
export type DeviceOutcome = Static<typeof DeviceOutcome>;
