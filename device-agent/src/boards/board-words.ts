import type { BoardSettings } from '@relaygate/shared/device';

/** Which board the settings name, in a few words. */
export function boardWords(board: BoardSettings): string {
  switch (board.kind) {
    case 'simulated':
      return 'simulated';
    case 'gpio':
    case 'gpio-sysfs':
      return `${board.kind}, lines ${board.lines.join(', ')}`;
    case 'modbus':
      return `modbus at ${board.port}, addresses ${board.units.map(({ address }) => address).join(', ')}`;
    case 'lcus':
      return `lcus at ${board.port}`;
    default:
      return board satisfies never;
  }
}
