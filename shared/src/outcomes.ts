import { DeviceOutcome } from './device-outcome';
import { type Static, Type } from './json-schema';

/**
 * Every reason of `refused` and `unproven` that a device uses. `moved`: `no` if certainly no output moved for the command and nobody
 * has decided against it since, so that it may run anew; else `maybe`.
 */
export const DEVICE_REASONS = {
  'no-such-output': { outcome: 'refused', moved: 'no', meaning: 'the device has no output of this number' },
  'not-an-impulse-output': { outcome: 'refused', moved: 'no', meaning: 'an on-off output cannot be pulsed' },
  'bad-command': { outcome: 'refused', moved: 'no', meaning: 'a `set` without `state`' },
  'no-time-sync': { outcome: 'refused', moved: 'no', meaning: 'the device does not know the time of the server' },
  locked: {
    outcome: 'refused',
    moved: 'no',
    meaning: 'a technician has locked the output, or one that its interlock would switch off',
  },
  busy: { outcome: 'refused', moved: 'no', meaning: 'too many commands wait' },
  superseded: { outcome: 'refused', moved: 'no', meaning: 'a newer link of the device came before it could begin' },
  overtaken: { outcome: 'refused', moved: 'maybe', meaning: 'a later command that switches off came before its edge' },
  stopped: {
    outcome: 'refused',
    moved: 'maybe',
    meaning: "somebody at the device ended the output's pulse and the commands that waited behind it",
  },
  'other-pulse': {
    outcome: 'refused',
    moved: 'no',
    meaning: 'the pulse that `relayctl stop` was to end is over, and another one runs',
  },
  'board-failed': {
    outcome: 'refused',
    moved: 'maybe',
    meaning: 'the relay board did not do it; the output is driven off',
  },
  'board-away': { outcome: 'refused', moved: 'no', meaning: 'the relay board is away; nothing was sent to it' },
  'journal-failed': { outcome: 'refused', moved: 'no', meaning: 'its beginning could not be recorded' },
  'guard-unreachable': { outcome: 'refused', moved: 'no', meaning: 'the process that holds the relays does not run' },
  'guard-refused': { outcome: 'refused', moved: 'no', meaning: 'the process that holds the relays did not accept it' },
  'not-proven': {
    outcome: 'refused',
    moved: 'no',
    meaning: 'nobody has proven the wiring, or somebody is about to (`relayctl prove`)',
  },
  'guard-stopping': { outcome: 'refused', moved: 'no', meaning: 'the process that holds the relays is stopping' },
  'switched-too-soon': { outcome: 'refused', moved: 'no', meaning: '`minSwitchIntervalMs` is not over' },
  'policy-off': {
    outcome: 'refused',
    moved: 'maybe',
    meaning: 'a policy switched the output off before the command could',
  },
  interlocked: { outcome: 'refused', moved: 'no', meaning: 'another output of its interlock pulses, or may be on' },
  'interlock-delay': { outcome: 'refused', moved: 'no', meaning: "the interlock's delay would end after the deadline" },
  'interlock-unread': {
    outcome: 'refused',
    moved: 'no',
    meaning: 'another output of its interlock cannot be read back (its board does not answer), so it may be on',
  },
  'interlock-broken': {
    outcome: 'refused',
    moved: 'maybe',
    meaning: 'the output did not go on, but another one went off for it',
  },
  'state-not-saved': { outcome: 'unproven', moved: 'maybe', meaning: 'switched, and a power cut may undo it' },
  'feedback-missing': {
    outcome: 'unproven',
    moved: 'maybe',
    meaning: 'switched, and the feedback input does not show it',
  },
  'feedback-stuck': {
    outcome: 'unproven',
    moved: 'maybe',
    meaning: 'switched, and the feedback input showed the new state already before',
  },
  'ended-by-stop': {
    outcome: 'unproven',
    moved: 'maybe',
    meaning: 'a pulse that somebody at the device ended before it was shown',
  },
  'ended-by-policy': {
    outcome: 'unproven',
    moved: 'maybe',
    meaning: 'switched, and ended by a policy before its input showed it',
  },
} as const satisfies Record<string, { outcome: 'refused' | 'unproven'; moved: 'no' | 'maybe'; meaning: string }>;
export type DeviceReason = keyof typeof DEVICE_REASONS;

/** The same for the reasons of `refused` that the server gives. */
export const SERVER_REASONS = {
  'not-allowed-any-more': { moved: 'no', meaning: 'the permission was revoked before the command was sent' },
  'authorisation-unreadable': { moved: 'no', meaning: 'the permission could not be read again, so it was not sent' },
  'boot-not-recorded': { moved: 'no', meaning: 'the device had started again, which could not be recorded; not sent' },
  'toggle-already-set': { moved: 'maybe', meaning: 'the device said of a toggle that nothing had to move' },
} as const satisfies Record<string, { moved: 'no' | 'maybe'; meaning: string }>;
export type ServerReason = keyof typeof SERVER_REASONS;

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
