import type { BoardSettings } from '@relaygate/shared/device';
import type { RelayBoard } from './relay-board';

/** By the file of `kinds/` with the kind's name. What a kind alone needs no other guard loads, so none pays for it (I4). */
export function relayBoard(board: BoardSettings): RelayBoard {
  // biome-ignore lint/style/noRestrictedGlobals: loaded where it is needed only.
  const { kind }: { kind(board: BoardSettings): RelayBoard } = require(`./kinds/${board.kind}`);
  return kind(board);
}
