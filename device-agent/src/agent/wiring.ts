import { type Static, Type } from '@relaygate/shared';
import { type BoardSettings, type DeviceSettings, Level, type OutputSettings } from '@relaygate/shared/device';
import { boardWords } from '../boards/board-words';
import type { GuardStatus } from '../guard/protocol';

/** What a proof is about: which line moves which output's relay, and by which level. Names, inputs and modes are not part of it. */
export const Wiring = Type.Object({
  kind: Type.String(),
  /** The chip's label, or a serial board's port and addresses; null: the chip of the Raspberry Pi's header, or none. */
  chip: Type.Union([Type.String(), Type.Null()]),
  /** By the output's number; null: a board without lines of its own to choose. */
  lines: Type.Union([Type.Array(Type.Integer()), Type.Null()]),
  /** By the output's number. */
  activeLevels: Type.Array(Level),
});
export type Wiring = Static<typeof Wiring>;

export function wiringOf(board: BoardSettings, outputs: readonly OutputSettings[]): Wiring {
  const activeLevels = outputs.map(({ activeLevel }) => activeLevel);
  return { kind: board.kind, ...connectionOf(board), activeLevels };
}

function connectionOf(board: BoardSettings): Pick<Wiring, 'chip' | 'lines'> {
  switch (board.kind) {
    case 'simulated':
      return { chip: null, lines: null };
    case 'gpio':
    case 'gpio-sysfs':
      return { chip: board.chip ?? null, lines: board.lines };
    case 'modbus':
    case 'lcus':
      // Its relays have the numbers that are printed beside them.
      return { chip: boardWords(board), lines: null };
    default:
      return board satisfies never;
  }
}

/** What the guard drives; while it is away, what it will drive. */
export function wiringInUse(settings: Pick<DeviceSettings, 'board' | 'outputs'>, status: GuardStatus | null): Wiring {
  const driven = status?.outputs.map((output) => output.settings) ?? settings.outputs;
  return wiringOf(status?.board ?? settings.board, driven);
}

export function isSameWiring(one: Wiring, other: Wiring): boolean {
  return textOf(one) === textOf(other);
}

/** Whatever the order of the members in a file. */
function textOf({ kind, chip, lines, activeLevels }: Wiring): string {
  return JSON.stringify([kind, chip, lines, activeLevels]);
}
