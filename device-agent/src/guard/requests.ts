/**
 * What the guard is asked on guard.sock, as schemas. Times are on CLOCK_MONOTONIC, which both processes share. The guard
 * loads no schema of it, only the validators that the build makes of it (request-parsers.ts).
 */
import { DeviceOutcome } from '@relaygate/shared/device-outcome';
import { MAX_FEEDBACK_INPUT, MAX_OUTPUTS, MAX_UNRESOLVED_PER_WELCOME } from '@relaygate/shared/limits';
import { OutputSettings } from '@relaygate/shared/output-settings';
import { NumOutput, OutputState } from '@relaygate/shared/outputs';
import { type Static, Type } from '@relaygate/shared/schema';

export const CommandId = Type.String({ pattern: '^[A-Za-z0-9-]{1,64}$' });
const Epoch = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
const StopCommand = Type.Object({
  action: Type.Literal('stop'),
  /** The pulse to be ended, by its `pulseSinceMs` in the status; null: none was seen, only what waits is not to begin. */
  pulseSinceMs: Type.Union([Type.Number(), Type.Null()]),
});
export type StopCommand = Static<typeof StopCommand>;

export const OutputCommand = Type.Union([
  Type.Object({ action: Type.Literal('set'), state: OutputState }),
  Type.Object({ action: Type.Literal('toggle') }),
  /** As `set` to 1, but refused on an on-off output. */
  Type.Object({ action: Type.Literal('pulse') }),
  StopCommand,
]);
export type OutputCommand = Static<typeof OutputCommand>;
/** A command that waits for its turn and is recorded before its edge. */
export type QueuedCommand = Exclude<OutputCommand, StopCommand>;

/** Who gave a command, for people. */
const By = Type.String({ pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]+$', maxLength: 100 });
/** Counts the presses of this boot up. */
export const PressSeq = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
/** What was asked for, by whom, and when it was through. */
export const CommandNote = Type.Object({
  command: OutputCommand,
  by: Type.Optional(By),
  atMs: Type.Number(),
  /** Only commands of buttons have one. */
  pressSeq: Type.Optional(PressSeq),
});
export type CommandNote = Static<typeof CommandNote>;

/** I2: what moves anything begins before that or never: a guard that was stopped finds old requests in its socket. */
const StartBeforeMs = Type.Number();

export const StatusRequest = Type.Object({});
export const ExecuteRequest = Type.Object({
  commandId: CommandId,
  numOutput: NumOutput,
  command: OutputCommand,
  startBeforeMs: StartBeforeMs,
  /** null: a command of this device itself. */
  epoch: Type.Union([Epoch, Type.Null()]),
  by: Type.Optional(By),
});
export const EpochRequest = Type.Object({
  epoch: Epoch,
  /** The link's device was enrolled with a code: what is known of epochs is another server's, so they begin anew. */
  isNewEnrolment: Type.Optional(Type.Boolean()),
});
export type EpochRequest = Static<typeof EpochRequest>;
const OutputLock = Type.Object({ numOutput: NumOutput, untilMs: Type.Number() });
/** A technician works at this output until then: no command with an epoch moves it. */
export type OutputLock = Static<typeof OutputLock>;
/** All maintenance locks; a lock that is not named ends. */
export const LocksRequest = Type.Object({ locks: Type.Array(OutputLock, { maxItems: MAX_OUTPUTS }) });
/** The agent's heartbeat. */
export const HeartbeatRequest = Type.Object({ linkIsUp: Type.Boolean() });
/** All presses up to `entered` are in the history for good, or counted there as missing. */
export const PressesRequest = Type.Object({ entered: PressSeq });
export type PressesRequest = Static<typeof PressesRequest>;
export const OutcomesRequest = Type.Object({
  commandIds: Type.Array(CommandId, { maxItems: MAX_UNRESOLVED_PER_WELCOME }),
});
const OutputChange = Type.Object({
  numOutput: NumOutput,
  settings: OutputSettings,
  /** The output clicks for somebody who watches, until then or the next change: no button moves any output meanwhile. */
  clicksUntilMs: Type.Optional(Type.Number()),
});
export type OutputChange = Static<typeof OutputChange>;
export const ConfigureRequest = Type.Object({
  changes: Type.Array(OutputChange, { maxItems: MAX_OUTPUTS }),
  force: Type.Boolean(),
  startBeforeMs: StartBeforeMs,
});
/** What an input of the board shows now; nothing is moved, and nothing that moves waits for it. */
export const InputRequest = Type.Object({ input: Type.Integer({ minimum: 0, maximum: MAX_FEEDBACK_INPUT }) });
/** Switch everything off for good; the guard ends when the connection does that asked for it. */
export const EndRequest = Type.Object({ startBeforeMs: StartBeforeMs });
export type ExecuteRequest = Static<typeof ExecuteRequest>;

/** The policy that switched an output off since it was on last. */
export const PolicyOff = Type.Union([
  Type.Literal('max-on'),
  Type.Literal('link-loss'),
  Type.Literal('agent-loss'),
  Type.Literal('interlock'),
]);
export type PolicyOff = Static<typeof PolicyOff>;

export const Confirmation = Type.Object({
  commandId: CommandId,
  outcome: DeviceOutcome,
  reason: Type.Optional(Type.String()),
  numOutput: Type.Optional(NumOutput),
  state: Type.Optional(OutputState),
  /** Executed by moving nothing: a pulse runs already. */
  ignored: Type.Optional(Type.Literal(true)),
});
export type GuardConfirmation = Static<typeof Confirmation>;
