import type { BoardSettings } from '@relaygate/shared/device';
import type { RelayBoard } from './relay-board';

/** The list of kinds. What a kind of board alone needs is loaded here, so that no other guard pays for it (I4). */
export function relayBoard(board: BoardSettings): RelayBoard {
  switch (board.kind) {
    case 'simulated': {
      // biome-ignore lint/style/noRestrictedGlobals: loaded where it is needed only.
      const { simulatedKind }: typeof import('./kinds/simulated') = require('./kinds/simulated');
      return simulatedKind(board);
    }
    case 'gpio': {
      // biome-ignore lint/style/noRestrictedGlobals: loaded where it is needed only.
      const { gpioKind }: typeof import('./kinds/gpio') = require('./kinds/gpio');
      return gpioKind(board);
    }
    case 'gpio-sysfs': {
      // biome-ignore lint/style/noRestrictedGlobals: loaded where it is needed only.
      const { gpioSysfsKind }: typeof import('./kinds/gpio-sysfs') = require('./kinds/gpio-sysfs');
      return gpioSysfsKind(board);
    }
    case 'modbus': {
      // biome-ignore lint/style/noRestrictedGlobals: loaded where it is needed only.
      const { modbusKind }: typeof import('./kinds/modbus') = require('./kinds/modbus');
      return modbusKind(board);
    }
    case 'lcus': {
      // biome-ignore lint/style/noRestrictedGlobals: loaded where it is needed only.
      const { lcusKind }: typeof import('./kinds/lcus') = require('./kinds/lcus');
      return lcusKind(board);
    }
    default:
      return board satisfies never;
  }
}
