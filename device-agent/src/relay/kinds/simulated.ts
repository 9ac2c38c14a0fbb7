import type { BoardSettings } from '@relaygate/shared/device';
import { boardFiles } from '../board-files';
import type { RelayBoard } from '../relay-board';
import { SimulatedBoard } from '../simulated-board';

export function simulatedKind(board: Extract<BoardSettings, { kind: 'simulated' }>): RelayBoard {
  return {
    driver: ({ clock, dataDir }, outputs) =>
      new SimulatedBoard({
        store: boardFiles(dataDir),
        clock,
        wiring: outputs.map(({ activeLevel }) => activeLevel),
        releaseOnDeath: board.releaseOnDeath ?? false,
      }),
    offOrders: () => '',
  };
}
