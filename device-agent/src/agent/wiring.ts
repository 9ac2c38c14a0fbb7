import { type BoardSettings, Level, type OutputSettings, type Static, Type } from '@relaygate/shared';

/** What a proof is about: which line moves which output's relay, and by which level. Names, inputs and modes are not part of it. */
export const Wiring = Type.Object({
  kind: Type.String(),
  /** null: the chip of the Raspberry Pi's header, or none. */
  chip: Type.Union([Type.String(), Type.Null()]),
  /** By the output's number; null: a board without lines of its own to choose. */
  lines: Type.Union([Type.Array(Type.Integer()), Type.Null()]),
  /** By the output's number. */
  activeLevels: Type.Array(Level),
});
export type Wiring = Static<typeof Wiring>;

export function wiringOf(board: BoardSettings, outputs: readonly OutputSettings[]): Wiring {
  const isSimulated = board.kind === 'simulated';
  return {
    kind: board.kind,
    chip: isSimulated ? null : (board.chip ?? null),
    lines: isSimulated ? null : board.lines,
    activeLevels: outputs.map(({ activeLevel }) => activeLevel),
  };
}

export function isSameWiring(one: Wiring, other: Wiring): boolean {
  return textOf(one) === textOf(other);
}

/** Whatever the order of the members in a file. */
function textOf({ kind, chip, lines, activeLevels }: Wiring): string {
  return JSON.stringify([kind, chip, lines, activeLevels]);
}
