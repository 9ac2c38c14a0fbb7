import type { BoardSettings } from '@relaygate/shared/device';

/** What agent, relayctl, doctor and setup have to know of a board: whoever adds a kind says it here, once. */
export interface BoardFacts {
  /** Which board the settings name. */
  words: string;
  /** Through what this machine drives it; null: it is no hardware. */
  access: 'gpio-chip' | 'gpio-sysfs' | 'serial' | null;
  /** What a proof names beside the lines: the chip's label, or a serial board's port and addresses; null: that of the header, or none. */
  chip: string | null;
  /** The line of each output; null: relays have the numbers that are printed beside them. */
  lines: number[] | null;
  /** null: as many as outputs are named. */
  relays: number | null;
}

export function boardFacts(board: BoardSettings): BoardFacts {
  switch (board.kind) {
    case 'simulated':
      return { words: 'simulated', access: null, chip: null, lines: null, relays: null };
    case 'gpio':
    case 'gpio-sysfs': {
      const { kind, lines, chip = null } = board;
      const words = `${kind}, lines ${lines.join(', ')}`;
      return { words, access: kind === 'gpio' ? 'gpio-chip' : kind, chip, lines, relays: lines.length };
    }
    case 'modbus': {
      const addresses = board.units.map(({ address }) => address).join(', ');
      const relays = board.units.reduce((sum, unit) => sum + unit.relays, 0);
      return serialFacts(`modbus at ${board.port}, addresses ${addresses}`, relays);
    }
    case 'lcus':
      return serialFacts(`lcus at ${board.port}`, board.relays);
    default:
      return board satisfies never;
  }
}

function serialFacts(words: string, relays: number): BoardFacts {
  return { words, access: 'serial', chip: words, lines: null, relays };
}
