import type { BoardSettings, DeviceSettings } from '@relaygate/shared/device';

type GpioBoard = Extract<BoardSettings, { lines: number[] }>;
type ModbusBoard = Extract<BoardSettings, { kind: 'modbus' }>;

/**
 * The board with those inputs of the former one that are the same on both, unless it names its own: inputs of a GPIO chip
 * go by their lines, those of Modbus boards by their address.
 */
export function withInputsOf(before: BoardSettings, board: BoardSettings): BoardSettings {
  if ('lines' in before && 'lines' in board) return withLinesOf(before, board);
  if (before.kind === 'modbus' && board.kind === 'modbus') return withUnitsOf(before, board);
  return board;
}

/** The inputs of `before` that `after` does not have, or has elsewhere. Nothing is wired to those of a simulated board. */
export function lostInputs(before: BoardSettings, after: BoardSettings): number[] {
  const now = inputsOf(after);
  return inputsOf(before).flatMap((input, n) => (input === now[n] ? [] : [n]));
}

/** The lost inputs that are in use: as a feedback input, with a meaning, or to switch the page on. */
export function usedInputsLost(before: DeviceSettings, after: DeviceSettings): number[] {
  const { inputs = [], outputs, web } = after;
  const used = [
    ...inputs.map(({ numInput }) => numInput),
    ...outputs.map(({ feedbackInput }) => feedbackInput),
    web?.buttonInput,
  ];
  return lostInputs(before.board, after.board).filter((n) => used.includes(n));
}

function withLinesOf(before: GpioBoard, board: GpioBoard): BoardSettings {
  const { inputs } = before;
  const given = board.inputs ?? [];
  if (inputs === undefined || before.chip !== board.chip || given.some(({ line }, n) => inputs[n]?.line !== line))
    return board;
  if (inputs.some(({ line }) => board.lines.includes(line))) return board;
  if (board.kind === 'gpio') return { ...board, inputs };
  // Through sysfs no resistor can be chosen.
  return inputs.some((input) => 'bias' in input) ? board : { ...board, inputs };
}

function withUnitsOf(before: ModbusBoard, board: ModbusBoard): BoardSettings {
  const units = board.units.map((unit) => {
    const { inputs = 0 } = before.units.find(({ address }) => address === unit.address) ?? {};
    return unit.inputs === undefined && inputs > 0 ? { ...unit, inputs } : unit;
  });
  return { ...board, units };
}

/** Each input by its place on the board. */
function inputsOf(board: BoardSettings): string[] {
  if ('lines' in board) return (board.inputs ?? []).map(({ line }) => `${board.chip ?? ''} ${line}`);
  if (board.kind !== 'modbus') return [];
  return board.units.flatMap(({ address, inputs = 0 }) => Array.from({ length: inputs }, (_, n) => `${address} ${n}`));
}
