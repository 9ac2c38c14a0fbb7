import { boardFiles } from '../board-files';
import type { BoardKind } from '../relay-board';
import { SimulatedBoard } from '../simulated-board';

export const kind: BoardKind<'simulated'> = (board) => {
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
};
