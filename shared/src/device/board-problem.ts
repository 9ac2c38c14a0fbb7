import { MAX_INPUTS } from '../device-limits';
import type { BoardSettings, GpioInput } from './board-settings';
import type { OutputSettings } from './output-settings';
import { type Fault, settingsFault } from './settings-fault';

type CountCode = 'lines-count' | 'units-count' | 'relays-count';

/** True if the board's driver reads inputs (`readInput`), which feedback inputs and buttons need. */
export const HAS_INPUTS: Readonly<Record<BoardSettings['kind'], boolean>> = {
  simulated: true,
  gpio: true,
  'gpio-sysfs': true,
  modbus: true,
  lcus: false,
};

/** A fault of a board with these outputs that no schema can find; null if there is none. */
export function boardProblem(board: BoardSettings, outputs: readonly OutputSettings[]): Fault | null {
  switch (board.kind) {
    case 'simulated':
      return null;
    case 'gpio':
    case 'gpio-sysfs':
      return linesProblem(board.lines, board.inputs ?? []) ?? countProblem('lines-count', board.lines.length, outputs);
    case 'modbus': {
      const twice = firstTwice(board.units.map(({ address }) => address));
      if (twice !== null) return settingsFault('address-twice', { address: twice });
      const relays = board.units.reduce((sum, unit) => sum + unit.relays, 0);
      const inputs = inputCountOf(board);
      if (inputs > MAX_INPUTS) return settingsFault('too-many-inputs', { inputs, most: MAX_INPUTS });
      return countProblem('units-count', relays, outputs) ?? polarityProblem(outputs);
    }
    case 'lcus':
      return countProblem('relays-count', board.relays, outputs) ?? polarityProblem(outputs);
    default:
      return board satisfies never;
  }
}

function linesProblem(lines: readonly number[], inputs: readonly GpioInput[]): Fault | null {
  const twice = firstTwice(lines);
  if (twice !== null) return settingsFault('line-twice', { line: twice });
  const inputLines = inputs.map(({ line }) => line);
  const taken = inputLines.find((line) => lines.includes(line)) ?? firstTwice(inputLines);
  return taken === null ? null : settingsFault('line-taken', { line: taken });
}

function firstTwice(numbers: readonly number[]): number | null {
  return numbers.find((number, n) => numbers.indexOf(number) !== n) ?? null;
}

function countProblem(code: CountCode, count: number, outputs: readonly OutputSettings[]): Fault | null {
  return count === outputs.length ? null : settingsFault(code, { count, outputs: outputs.length });
}

/** A serial board gets the order "on", not a level. */
function polarityProblem(outputs: readonly OutputSettings[]): Fault | null {
  const numOutput = outputs.findIndex(({ activeLevel }) => activeLevel === 'low');
  return numOutput < 0 ? null : settingsFault('serial-polarity', { numOutput });
}

/** How many inputs can be read. Inputs of a simulated board are files, so it has the maximum. */
export function inputCountOf(board: BoardSettings): number {
  if (board.kind === 'gpio' || board.kind === 'gpio-sysfs') return board.inputs?.length ?? 0;
  if (board.kind === 'modbus') return board.units.reduce((sum, unit) => sum + (unit.inputs ?? 0), 0);
  return HAS_INPUTS[board.kind] ? MAX_INPUTS : 0;
}
