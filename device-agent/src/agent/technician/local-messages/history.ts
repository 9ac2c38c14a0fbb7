/** agent.sock: what people did at this device, and its PIN. */
import { type HistoryEntry, KEPT_HISTORY_ENTRIES, NumOutput, type Static, Type } from '@relaygate/shared';
import { ConsoleLanguage } from '@relaygate/shared/device';
import { CHANGE } from './actor';
import type { ShownFault } from './device';

/** The newest entries before `beforeSeq`; without it the newest of all. */
export const HistoryRequest = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: KEPT_HISTORY_ENTRIES }),
  beforeSeq: Type.Optional(Type.Integer({ minimum: 1 })),
  numOutput: Type.Optional(NumOutput),
  /** The language of `faults`; English if absent. */
  language: Type.Optional(ConsoleLanguage),
});
export type HistoryRequest = Static<typeof HistoryRequest>;

export interface HistoryReply {
  /** Oldest first. Fewer than asked for if more do not fit into one answer: ask again for those before the first one. */
  entries: HistoryEntry[];
  /** What is wrong with the history. */
  faults: ShownFault[];
}

export const NewPinRequest = Type.Object({ ...CHANGE });

/** Shown this once: nobody can read it again. */
export interface NewPinReply {
  pin: string;
}
