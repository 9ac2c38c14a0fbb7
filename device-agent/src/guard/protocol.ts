/**
 * What is spoken on guard.sock: JSON lines, requests with an id (requests.ts) and answers, and `changed` events pushed to every
 * client. The guard makes the answers and never reads one, so it loads no more of them than their types.
 */
import type { CommandConfirmation } from '@relaygate/shared';
import { BoardSettings } from '@relaygate/shared/board-settings';
import { LAST_COMMANDS, MAX_INPUTS } from '@relaygate/shared/device-limits';
import { DeviceOutcome } from '@relaygate/shared/device-outcome';
import { MAX_OUTPUTS } from '@relaygate/shared/device-ranges';
import { InputSettings } from '@relaygate/shared/input-settings';
import { Level } from '@relaygate/shared/level';
import { OutputSettings } from '@relaygate/shared/output-settings';
import { NumOutput, OutputState } from '@relaygate/shared/outputs';
import { parserOf, type Static, Type } from '@relaygate/shared/schema';
import { CommandId, CommandNote, Confirmation, type GuardConfirmation, PolicyOff, PressSeq } from './requests';

export * from './requests';

export const LastCommand = Type.Object({
  ...CommandNote.properties,
  commandId: CommandId,
  numOutput: NumOutput,
  outcome: DeviceOutcome,
  reason: Type.Optional(Type.String()),
  ignored: Type.Optional(Type.Literal(true)),
});
export type LastCommand = Static<typeof LastCommand>;

export const GuardStatus = Type.Object({
  bootId: Type.String({ minLength: 1, maxLength: 64 }),
  /** The newest link epoch that the guard knows; 0: none in this boot. */
  epoch: Type.Integer({ minimum: 0 }),
  outputs: Type.Array(
    Type.Object({
      settings: OutputSettings,
      state: Type.Union([OutputState, Type.Null()]),
      /** Switched, and its feedback input did not show it. */
      unproven: Type.Optional(Type.Literal(true)),
      /** The board cannot be read, so the state is what was written to it. */
      confirmedBy: Type.Optional(Type.Literal('write')),
      /** The board ended the last pulse by itself. */
      pulseEndedBy: Type.Optional(Type.Literal('board')),
      endedBy: Type.Optional(PolicyOff),
      endedAtMs: Type.Optional(Type.Number()),
      /** When the pulse that runs began, which names it. */
      pulseSinceMs: Type.Optional(Type.Number()),
      pulseEndsMs: Type.Optional(Type.Number()),
      /** A technician works at it until then: no remote command moves it. */
      lockedUntilMs: Type.Optional(Type.Number()),
    }),
    { maxItems: MAX_OUTPUTS },
  ),
  /** Absent: none means anything. */
  inputs: Type.Optional(
    Type.Array(
      Type.Object({
        settings: InputSettings,
        /** Closed or pressed; null: nobody knows. */
        isActive: Type.Union([Type.Boolean(), Type.Null()]),
        /** Since when, on the guard's clock. */
        sinceMs: Type.Optional(Type.Number()),
        /** Since the start of the guard; absent: of a guard that does not say. */
        hasChanged: Type.Optional(Type.Boolean()),
      }),
      { maxItems: MAX_INPUTS },
    ),
  ),
  /** runtime/fault.ts has their codes and values. */
  faults: Type.Array(
    Type.Object({
      code: Type.String(),
      values: Type.Record('^', Type.Union([Type.String(), Type.Number()])),
      /** A cause of another version may have another shape. */
      causes: Type.Optional(Type.Record('^', Type.Object({}))),
    }),
  ),
  /** The last ones of this boot that are through, the newest last. */
  lastCommands: Type.Optional(Type.Array(LastCommand, { maxItems: LAST_COMMANDS })),
  /** Of the last press that is through; absent: all are in the history. */
  lastPressSeq: Type.Optional(PressSeq),
  /** The board it has opened: settings.json may name another by now. */
  board: Type.Optional(BoardSettings),
});
export type GuardStatus = Static<typeof GuardStatus>;

/** That a pulse was ignored is for people on site: the link protocol has no word for it. */
export function forServer({ ignored: _ignored, ...confirmation }: GuardConfirmation): CommandConfirmation {
  return confirmation;
}

/** null: the command was started before the guard restarted, and what became of it is not known. */
export const ExecuteReply = Type.Union([Confirmation, Type.Null()]);
export type ExecuteReply = Static<typeof ExecuteReply>;
export const EpochReply = Type.Object({ epoch: Type.Integer({ minimum: 0 }) });
/** A command of a button that is through. */
export const Press = Type.Object({ ...LastCommand.properties, pressSeq: PressSeq });
export type Press = Static<typeof Press>;
/** The presses behind `entered` up to `upTo` that the guard remembers, the oldest first. */
export const PressesReply = Type.Object({ entered: PressSeq, upTo: PressSeq, presses: Type.Array(Press) });
export type PressesReply = Static<typeof PressesReply>;
/** null: it cannot be read. */
export const InputReply = Type.Object({ level: Type.Union([Level, Type.Null()]) });
/** Outputs that the board kept from going off. */
export const EndReply = Type.Object({ stuck: Type.Array(NumOutput) });
export const OutcomesReply = Type.Object({
  outcomes: Type.Array(Confirmation),
  notStarted: Type.Array(CommandId),
});
export type OutcomesReply = Static<typeof OutcomesReply>;

export const parseGuardStatus = parserOf(GuardStatus);
export const parseExecuteReply = parserOf(ExecuteReply);
export const parseEpochReply = parserOf(EpochReply);
export const parseInputReply = parserOf(InputReply);
export const parsePressesReply = parserOf(PressesReply);
export const parseEndReply = parserOf(EndReply);
export const parseOutcomesReply = parserOf(OutcomesReply);
