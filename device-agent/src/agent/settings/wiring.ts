import { type Static, Type } from '@relaygate/shared';
import { type BoardSettings, type DeviceSettings, Level, type OutputSettings } from '@relaygate/shared/device';
import type { GuardStatus } from '../../guard/protocol';
import { boardFacts } from '../../provisioning/boards/board-facts';

/**
 * What a proof is about: which line moves the relay of which output, and by which level. Names, inputs and modes are not
 * part of it.
 */
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
  const { chip, lines } = boardFacts(board);
  return { kind: board.kind, chip, lines, activeLevels };
}

/** What the guard drives; while it is away, what it will drive. */
export function wiringInUse(settings: Pick<DeviceSettings, 'board' | 'outputs'>, status: GuardStatus | null): Wiring {
  const driven = status?.outputs.map((output) => output.settings) ?? settings.outputs;
  return wiringOf(status?.board ?? settings.board, driven);
}

export function isSameWiring(one: Wiring, other: Wiring): boolean {
  return textOf(one) === textOf(other);
}

/** Text that does not depend on the order of the members in a file. */
function textOf({ kind, chip, lines, activeLevels }: Wiring): string {
  return JSON.stringify([kind, chip, lines, activeLevels]);
}
