/** agent.sock: choosing a relay board. */
import { MAX_OUTPUTS, NewOutputName, type Static, Type } from '@relaygate/shared';
import { type BoardProfile, Level, RealBoardSettings } from '@relaygate/shared/device';
import { CHANGE } from './actor';

export type { ChangedBoard as BoardReply } from '../../settings/settings-keeper';

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
