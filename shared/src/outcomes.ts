import { DeviceOutcome } from './device-outcome';
import { type Static, Type } from './json-schema';

/** Every reason of `refused` and `unproven` that a device uses. */
export const DEVICE_REASONS = {
  'no-such-output': { outcome: 'refused', meaning: 'the device has no output of this number' },
  'not-an-impulse-output': { outcome: 'refused', meaning: 'an on-off output cannot be pulsed' },
  'bad-command': { outcome: 'refused', meaning: 'a `set` without `state`' },
  'no-time-sync': { outcome: 'refused', meaning: 'the device does not know the time of the server' },
  locked: {
    outcome: 'refused',
    meaning: 'a technician has locked the output, or one that its interlock would switch off',
  },
  busy: { outcome: 'refused', meaning: 'too many commands wait' },
  superseded: { outcome: 'refused', meaning: 'a newer link of the device came before it could begin' },
  overtaken: { outcome: 'refused', meaning: 'a later command that switches off came before its edge' },
  stopped: {
    outcome: 'refused',
    meaning: "somebody at the device ended the output's pulse and the commands that waited behind it",
  },
  'other-pulse': {
    outcome: 'refused',
    meaning: 'the pulse that `relayctl stop` was to end is over, and another one runs',
  },
  'board-failed': { outcome: 'refused', meaning: 'the relay board did not do it; the output is driven off' },
  'board-away': { outcome: 'refused', meaning: 'the relay board is away; nothing was sent to it' },
  'journal-failed': { outcome: 'refused', meaning: 'its beginning could not be recorded' },
  'guard-unreachable': { outcome: 'refused', meaning: 'the process that holds the relays does not run' },
  'guard-refused': { outcome: 'refused', meaning: 'the process that holds the relays did not accept it' },
  'not-proven': {
    outcome: 'refused',
    meaning: 'nobody has proven the wiring, or somebody is about to (`relayctl prove`)',
  },
  'guard-stopping': { outcome: 'refused', meaning: 'the process that holds the relays is stopping' },
  'switched-too-soon': { outcome: 'refused', meaning: '`minSwitchIntervalMs` is not over' },
  'policy-off': { outcome: 'refused', meaning: 'a policy switched the output off before the command could' },
  interlocked: { outcome: 'refused', meaning: 'another output of its interlock pulses, or may be on' },
  'interlock-delay': { outcome: 'refused', meaning: "the interlock's delay would end after the deadline" },
  'interlock-unread': {
    outcome: 'refused',
    meaning: 'another output of its interlock cannot be read back (its board does not answer), so it may be on',
  },
  'interlock-broken': { outcome: 'refused', meaning: 'the output did not go on, but another one went off for it' },
  'state-not-saved': { outcome: 'unproven', meaning: 'switched, and a power cut may undo it' },
  'feedback-missing': { outcome: 'unproven', meaning: 'switched, and the feedback input does not show it' },
  'feedback-stuck': {
    outcome: 'unproven',
    meaning: 'switched, and the feedback input showed the new state already before',
  },
  'ended-by-stop': { outcome: 'unproven', meaning: 'a pulse that somebody at the device ended before it was shown' },
  'ended-by-policy': { outcome: 'unproven', meaning: 'switched, and ended by a policy before its input showed it' },
} as const satisfies Record<string, { outcome: 'refused' | 'unproven'; meaning: string }>;
export type DeviceReason = keyof typeof DEVICE_REASONS;

/**
 * Outcomes in the audit and in `GET /api/v1/commands/{id}`. In addition to the device's own: `pending` while in flight,
 * `confirmed-late` if the device confirmed after the answer, `unknown` if it has not confirmed (it may have executed).
 */
export const CommandOutcome = Type.Union([
  Type.Literal('pending'),
  DeviceOutcome,
  Type.Literal('confirmed-late'),
  Type.Literal('unknown'),
]);
export type CommandOutcome = Static<typeof CommandOutcome>;
