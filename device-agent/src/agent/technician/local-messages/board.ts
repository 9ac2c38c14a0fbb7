/** agent.sock: choosing a relay board. */
import { MAX_OUTPUTS, NewOutputName, type Static, Type } from '@relaygate/shared';
import { type BoardProfile, type BoardSettings, Level, RealBoardSettings } from '@relaygate/shared/device';
import { CHANGE } from './actor';

/** A board to be used from the next start of guard and agent on. */
export const BoardRequest = Type.Object({
  board: RealBoardSettings,
  /** What each relay is called on the board. */
  relays: Type.Array(NewOutputName, { minItems: 1, maxItems: MAX_OUTPUTS }),
  activeLevel: Level,
  ...CHANGE,
});
export type BoardRequest = Static<typeof BoardRequest>;

/** The profile that came with the device's card. */
export const SiteProfileRequest = Type.Object({});

export interface SiteProfileReply {
  /** null: the card's board was one of the program's own profiles, or none. */
  profile: BoardProfile | null;
}

export interface BoardReply {
  before: BoardSettings;
  after: BoardSettings;
  /** By the output's number. `kept`: with its name and mode; its polarity is the board's. */
  outputs: ('kept' | 'new' | 'removed')[];
  /** Inputs of the board before that nothing used, and that this one does not have. */
  lostInputs?: number[];
  /** Nothing is in force before: guard and agent must be restarted. */
  mustRestart: boolean;
}
