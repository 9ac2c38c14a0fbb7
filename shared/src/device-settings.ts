/** The device's settings file, `settings.json` in its data folder. The guard reads `board` and `outputs` only. */
import { ProfileName } from './board-profile';
import { type Static, Type } from './json-schema';
import { MAX_GPIO_OFFSET, MAX_INPUTS, MAX_OUTPUTS } from './limits';
import { outputProblem } from './output-problem';
import { OutputSettings } from './output-settings';
import { ProductLogin } from './product-login';
import { checkedParser, parserOf } from './schema';

/** A board in files: its levels and its edge log live in the data folder. */
export const SimulatedBoard = Type.Object(
  {
    kind: Type.Literal('simulated'),
    /** Lines fall back when the process that drives them dies (upstream kernels do so, the Raspberry Pi's do not). */
    releaseOnDeath: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);
const GpioOffset = Type.Integer({ minimum: 0, maximum: MAX_GPIO_OFFSET });

/** The chip's own resistor at an input: tens of kilohms to supply or ground, or none. */
export const GpioBias = Type.Union([Type.Literal('pull-up'), Type.Literal('pull-down'), Type.Literal('disabled')]);
export type GpioBias = Static<typeof GpioBias>;

/** A line that is read. Which of its levels means "on" is said by the output that it shows. */
export const GpioInput = Type.Object(
  {
    /** Its offset on the chip. */
    line: GpioOffset,
    /** Without one the resistor stays as it was found. */
    bias: Type.Optional(GpioBias),
  },
  { additionalProperties: false },
);
export type GpioInput = Static<typeof GpioInput>;

const gpioMembers = {
  /** Where chip and lines were taken from, for people; nothing reads the profile again. */
  profile: Type.Optional(ProfileName),
  /** The label of the GPIO chip; without one: that of the Raspberry Pi's 40-pin header, whichever model it is. */
  chip: Type.Optional(Type.String({ pattern: '^[\\x20-\\x7e]{1,31}$' })),
  /** The offset of each output's line on that chip, the BCM number on a Raspberry Pi. */
  lines: Type.Array(GpioOffset, { minItems: 1, maxItems: MAX_OUTPUTS }),
};
/** Relays on the lines of a GPIO chip, through its character device. */
export const GpioBoard = Type.Object(
  {
    kind: Type.Literal('gpio'),
    ...gpioMembers,
    /** The position is the input's number. */
    inputs: Type.Optional(Type.Array(GpioInput, { maxItems: MAX_INPUTS })),
  },
  { additionalProperties: false },
);
/** The same through /sys/class/gpio, for kernels before 5.10; without inputs, for it knows no resistors. */
export const GpioSysfsBoard = Type.Object(
  { kind: Type.Literal('gpio-sysfs'), ...gpioMembers },
  { additionalProperties: false },
);
/** Either of them. */
export const GpioBoardSettings = Type.Tagged('kind', [GpioBoard, GpioSysfsBoard]);
export type GpioBoardSettings = Static<typeof GpioBoardSettings>;

export const BoardSettings = Type.Tagged('kind', [SimulatedBoard, GpioBoard, GpioSysfsBoard]);
export type BoardSettings = Static<typeof BoardSettings>;

/** Whether the driver of that kind of board reads inputs (`readInput`): without, no output can be shown by one. */
export const HAS_INPUTS: Readonly<Record<BoardSettings['kind'], boolean>> = {
  simulated: true,
  gpio: true,
  'gpio-sysfs': false,
};

const guardMembers = {
  board: BoardSettings,
  /** The position is the output's number. */
  outputs: Type.Array(OutputSettings, { minItems: 1, maxItems: MAX_OUTPUTS }),
};

export const LinkSettings = Type.Object(
  {
    /** `wss://host[:port]`; `ws://` to loopback only. */
    serverUrl: Type.String({ pattern: '^wss?://[^\\s]+$', maxLength: 512 }),
    /** The name in the server's RELAYGATE_SERVER_NAME: part of what the device signs. */
    serverName: Type.String({ pattern: '^[\\x21-\\x7e]{1,128}$' }),
    serverCaFile: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
    productLogin: ProductLogin,
  },
  { additionalProperties: false },
);
export type LinkSettings = Static<typeof LinkSettings>;

export const GuardSettings = Type.Object(guardMembers);
export type GuardSettings = Static<typeof GuardSettings>;

export const DeviceSettings = Type.Object(
  {
    ...guardMembers,
    link: LinkSettings,
    /** Remote commands only once somebody has proven the wiring (`relayctl prove`); without it: false. */
    requireProof: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);
export type DeviceSettings = Static<typeof DeviceSettings>;

export const parseDeviceSettings = checkedParser(parserOf(DeviceSettings), settingsProblem);
export const parseGuardSettings = checkedParser(parserOf(GuardSettings), settingsProblem);

/** Whether two settings mean the same board, whatever the order of their members. */
export function isSameBoard(one: BoardSettings, other: BoardSettings): boolean {
  return textOf(one) === textOf(other);
}

function textOf(board: BoardSettings): string {
  return JSON.stringify(Object.entries(board).sort());
}

/** What no schema can say of a device's settings, in a phrase that begins with the member; null: all is well. */
function settingsProblem({ board, outputs }: GuardSettings): string | null {
  return boardProblem(board, outputs.length) ?? outputsProblem(board, outputs);
}

function boardProblem(board: BoardSettings, outputs: number): string | null {
  if (board.kind === 'simulated') return null;
  const { lines } = board;
  const inputs = board.kind === 'gpio' ? (board.inputs ?? []) : [];
  const twice = lines.find((line, n) => lines.indexOf(line) !== n);
  if (twice !== undefined) return `board.lines names line ${twice} twice`;
  const inputLines = inputs.map(({ line }) => line);
  const taken = inputLines.find((line, n) => inputLines.indexOf(line) !== n || lines.includes(line));
  if (taken !== undefined) return `board.inputs names line ${taken}, which has another use`;
  if (lines.length === outputs) return null;
  return `board.lines has ${lines.length} lines for ${outputs} outputs`;
}

function outputsProblem(board: BoardSettings, outputs: readonly OutputSettings[]): string | null {
  const inputs = outputs.map((output) => output.feedbackInput ?? null);
  for (const [numOutput, output] of outputs.entries()) {
    const member = `outputs.${numOutput}`;
    const problem = outputProblem(output);
    if (problem !== null) return `${member}: ${problem}`;
    const input = inputs[numOutput] ?? null;
    if (input === null) continue;
    if (input >= inputsOf(board)) return `${member}.feedbackInput is ${input}, but the board ${inputsInWords(board)}`;
    const first = inputs.indexOf(input);
    if (first < numOutput) return `${member}.feedbackInput: input ${input} shows output ${first} already`;
  }
  return null;
}

function inputsInWords(board: BoardSettings): string {
  if (!HAS_INPUTS[board.kind]) return `of kind ${board.kind} has no inputs`;
  const inputs = inputsOf(board);
  return inputs === 0 ? 'has no inputs (board.inputs)' : `has the inputs 0 to ${inputs - 1} (board.inputs)`;
}

/** How many inputs can be read: those of a simulated board are files, as many as there may be. */
function inputsOf(board: BoardSettings): number {
  if (board.kind === 'gpio') return board.inputs?.length ?? 0;
  return HAS_INPUTS[board.kind] ? MAX_INPUTS : 0;
}
