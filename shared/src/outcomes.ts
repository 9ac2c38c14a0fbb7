import { type Static, Type } from './json-schema';

/**
 * What became of a command on the device: the words of `result` and `resume`.
 * - executed: done, or an impulse output's leading edge is out, or its state 0 that moves nothing
 * - already-set: an on-off output was in the desired state, nothing moved
 * - refused: nothing moved, `reason` says why
 * - unproven: switched as commanded, but the feedback input did not follow
 * - expired: not started, its execution deadline had passed (I2)
 */
export const DeviceOutcome = Type.Union([
  Type.Literal('executed'),
  Type.Literal('already-set'),
  Type.Literal('refused'),
  Type.Literal('unproven'),
  Type.Literal('expired'),
]);
export type DeviceOutcome = Static<typeof DeviceOutcome>;

/**
 * What the audit and `GET /api/v1/commands/{id}` say. Beyond the device's words: `pending` while in flight,
 * `confirmed-late` when the device's yes came after the answer, `unknown` when none has come (it may have executed).
 */
export const CommandOutcome = Type.Union([
  Type.Literal('pending'),
  DeviceOutcome,
  Type.Literal('confirmed-late'),
  Type.Literal('unknown'),
]);
export type CommandOutcome = Static<typeof CommandOutcome>;
