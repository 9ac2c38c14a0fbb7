import { boardFiles } from '../board-files';
import type { BoardKind } from '../relay-board';
import { SimulatedBoard } from '../simulated-board';

export const kind: BoardKind<'simulated'> = (board) => {
  return {
    driver: ({ slackClock, dataDir }, outputs, watched = []) =>
      new SimulatedBoard({
        store: boardFiles(dataDir),
        clock: slackClock,
        wiring: outputs.map(({ activeLevel }) => activeLevel),
        releaseOnDeath: board.releaseOnDeath ?? false,
        watched,
      }),
    offOrders: () => '',
  };
};
