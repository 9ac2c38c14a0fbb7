import { MAX_INPUTS } from '../device-limits';
import type { BoardSettings, GpioInput } from './board-settings';
import type { OutputSettings } from './output-settings';

/** True if the board's driver reads inputs (`readInput`), which feedback inputs and buttons need. */
export const HAS_INPUTS: Readonly<Record<BoardSettings['kind'], boolean>> = {
  simulated: true,
  gpio: true,
  'gpio-sysfs': true,
  modbus: true,
  lcus: false,
};

/** A fault of a board with these outputs that no schema can find, as a phrase that begins with the member; null if there is none. */
export function boardProblem(board: BoardSettings, outputs: readonly OutputSettings[]): string | null {
  switch (board.kind) {
    case 'simulated':
      return null;
    case 'gpio':
    case 'gpio-sysfs':
      return (
        linesProblem(board.lines, board.inputs ?? []) ??
        countProblem('board.lines has', 'lines', board.lines.length, outputs)
      );
    case 'modbus': {
      const twice = firstTwice(board.units.map(({ address }) => address));
      if (twice !== null) return `board.units names address ${twice} twice`;
      const relays = board.units.reduce((sum, unit) => sum + unit.relays, 0);
      const inputs = inputsOf(board);
      if (inputs > MAX_INPUTS) return `board.units have ${inputs} inputs, and at most ${MAX_INPUTS} can be read`;
      return countProblem('board.units have', 'relays', relays, outputs) ?? polarityProblem(outputs);
    }
    case 'lcus':
      return countProblem('board.relays is', 'relays', board.relays, outputs) ?? polarityProblem(outputs);
    default:
      return board satisfies never;
  }
}

function linesProblem(lines: readonly number[], inputs: readonly GpioInput[]): string | null {
  const twice = firstTwice(lines);
  if (twice !== null) return `board.lines names line ${twice} twice`;
  const inputLines = inputs.map(({ line }) => line);
  const taken = inputLines.find((line) => lines.includes(line)) ?? firstTwice(inputLines);
  return taken === null ? null : `board.inputs names line ${taken}, which has another use`;
}

function firstTwice(numbers: readonly number[]): number | null {
  return numbers.find((number, n) => numbers.indexOf(number) !== n) ?? null;
}

function countProblem(what: string, things: string, count: number, outputs: readonly OutputSettings[]): string | null {
  return count === outputs.length ? null : `${what} ${count} ${things} for ${outputs.length} outputs`;
}

/** A serial board gets the order "on", not a level. */
function polarityProblem(outputs: readonly OutputSettings[]): string | null {
  const numOutput = outputs.findIndex(({ activeLevel }) => activeLevel === 'low');
  return numOutput < 0 ? null : `outputs.${numOutput}.activeLevel must be "high" on a serial board`;
}

/** A phrase to follow the member's name if the board does not have this input; null if it has. */
export function inputProblem(board: BoardSettings, input: number): string | null {
  return input < inputsOf(board) ? null : `is ${input}, but the board ${inputsText(board)}`;
}

function inputsText(board: BoardSettings): string {
  if (!HAS_INPUTS[board.kind]) return `of kind ${board.kind} has no inputs`;
  const inputs = inputsOf(board);
  const member = board.kind === 'modbus' ? 'board.units' : 'board.inputs';
  return inputs === 0 ? `has no inputs (${member})` : `has the inputs 0 to ${inputs - 1} (${member})`;
}

/** How many inputs can be read. Inputs of a simulated board are files, so it has the maximum. */
function inputsOf(board: BoardSettings): number {
  if (board.kind === 'gpio' || board.kind === 'gpio-sysfs') return board.inputs?.length ?? 0;
  if (board.kind === 'modbus') return board.units.reduce((sum, unit) => sum + (unit.inputs ?? 0), 0);
  return HAS_INPUTS[board.kind] ? MAX_INPUTS : 0;
}
