import type { BoardSettings } from '@relaygate/shared/device';

/** What agent, relayctl, doctor and setup must know of a board: each kind says it here, once. */
export interface BoardFacts {
  /** Through what this machine drives it; null: it is no hardware. */
  access: 'gpio-chip' | 'gpio-sysfs' | 'serial' | null;
  /** What a proof names beside the lines: the chip's label, or a serial board's port and addresses; null: that of the header, or none. */
  chip: string | null;
  /** The line of each output; null: relays have the numbers that are printed beside them. */
  lines: number[] | null;
  /** null: as many as outputs are named. */
  relays: number | null;
}

/** The words between a board's settings where it is named. */
export type BoardWords = Record<'at' | 'lines' | 'addresses', string>;
const ENGLISH: BoardWords = { at: 'at', lines: 'lines', addresses: 'addresses' };

/** Which board the settings name; in English it stands in a proof. */
export function boardText(board: BoardSettings, { at, lines, addresses }: BoardWords = ENGLISH): string {
  if (board.kind === 'simulated') return board.kind;
  if ('lines' in board) return `${board.kind}, ${lines} ${board.lines.join(', ')}`;
  const text = `${board.kind} ${at} ${board.port}`;
  return 'units' in board ? `${text}, ${addresses} ${board.units.map(({ address }) => address).join(', ')}` : text;
}

export function boardFacts(board: BoardSettings): BoardFacts {
  switch (board.kind) {
    case 'simulated':
      return { access: null, chip: null, lines: null, relays: null };
    case 'gpio':
    case 'gpio-sysfs': {
      const { kind, lines, chip = null } = board;
      return { access: kind === 'gpio' ? 'gpio-chip' : kind, chip, lines, relays: lines.length };
    }
    case 'modbus':
    case 'lcus': {
      const relays = 'units' in board ? board.units.reduce((sum, unit) => sum + unit.relays, 0) : board.relays;
      return { access: 'serial', chip: boardText(board), lines: null, relays };
    }
    default:
      return board satisfies never;
  }
}
