import type { BoardSettings } from '@relaygate/shared/device';
import type { RelayBoard } from './relay-board';

/** Loads the file of `kinds/` with the kind's name; a guard with another kind does not load it (I4). */
export function relayBoard(board: BoardSettings): RelayBoard {
  // biome-ignore lint/style/noRestrictedGlobals: loaded where it is needed only.
  const { kind }: { kind(board: BoardSettings): RelayBoard } = require(`./kinds/${board.kind}`);
  return kind(board);
}
