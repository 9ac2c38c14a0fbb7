/** What the guard keeps in its files, as schemas: the lines of its journal, and state.json. */
import { NumOutput } from '@relaygate/shared/outputs';
import { type Static, Type } from '@relaygate/shared/schema';
import { CommandId, CommandNote, Confirmation, PressSeq } from './requests';

const PressNumbers = Type.Object({ entered: PressSeq, last: PressSeq });
/** The last press that is in the history, and the last one that is through. */
export type PressNumbers = Static<typeof PressNumbers>;
export const JournalHeader = Type.Object({
  bootId: Type.String(),
  complete: Type.Boolean(),
  /** Absent: the file is of a guard that does not number presses. */
  presses: Type.Optional(PressNumbers),
});
const StartBeforeMs = Type.Number();
/** Commands come with their execution deadline, on CLOCK_MONOTONIC. */
export const JournalRecord = Type.Union([
  Type.Object({ started: CommandId, startBeforeMs: StartBeforeMs }),
  Type.Object({ outcome: Confirmation, startBeforeMs: StartBeforeMs, note: Type.Optional(CommandNote) }),
  /** 0: they begin anew. */
  Type.Object({ epoch: Type.Integer({ minimum: 0 }) }),
  /** A `restore` output is on since then, or not any more. */
  Type.Object({ output: NumOutput, onSinceMs: Type.Union([Type.Number(), Type.Null()]) }),
  /** Traces of commands whose outcome is no longer kept, the oldest first. */
  Type.Object({ forgotten: Type.Array(Type.String({ minLength: 1, maxLength: 64 })) }),
  /** Presses up to this one are in the history. A guard that does not number them takes this for an empty list of traces. */
  Type.Object({ forgotten: Type.Array(Type.String(), { maxItems: 0 }), enteredPress: PressSeq }),
  Type.Object({
    presence: Type.Object({ agentMs: Type.Number(), linkMs: Type.Number(), linkIsUp: Type.Boolean() }),
  }),
]);
export type JournalRecord = Static<typeof JournalRecord>;

export const GuardState = Type.Object({
  bootId: Type.Union([Type.String(), Type.Null()]),
  /** The states of `restore` outputs, by output number. A number has one name: "01" would stand beside the "1" of a later save. */
  active: Type.Record('^(0|[1-9][0-9]{0,2})$', Type.Boolean(), { additionalProperties: false }),
});
export type GuardState = Static<typeof GuardState>;
