/** What the guard keeps in its files, as schemas: the lines of its journal, and state.json. */
import { NumOutput } from '@relaygate/shared/outputs';
import { type Static, Type } from '@relaygate/shared/schema';
import { CommandId, CommandNote, Confirmation } from './requests';

export const JournalHeader = Type.Object({ bootId: Type.String(), complete: Type.Boolean() });
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
  /** Commands of buttons, see JournalMemory. A guard that knows no presses takes this line for an empty list of traces. */
  Type.Object({
    forgotten: Type.Array(Type.String(), { maxItems: 0 }),
    presses: Type.Object({
      forgotten: Type.Optional(Type.Integer({ minimum: 0 })),
      enteredMs: Type.Number(),
      enteredForgotten: Type.Integer({ minimum: 0 }),
    }),
  }),
  Type.Object({
    presence: Type.Object({ agentMs: Type.Number(), linkMs: Type.Number(), linkIsUp: Type.Boolean() }),
  }),
]);
export type JournalRecord = Static<typeof JournalRecord>;

export const GuardState = Type.Object({
  bootId: Type.Union([Type.String(), Type.Null()]),
  /** The states of `restore` outputs, by output number. */
  active: Type.Record('^[0-9]{1,3}$', Type.Boolean()),
});
export type GuardState = Static<typeof GuardState>;
