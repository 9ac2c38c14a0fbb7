/** The device's settings file, `settings.json` in its data folder. The guard reads `board` and `outputs` only. */
import { ProfileName } from './board-profile';
import { described, type Static, Type } from './json-schema';
import { Level } from './level';
import {
  CONSOLE_BAUD,
  DEFAULT_BAUD,
  MAX_BAUD,
  MAX_FEEDBACK_INPUT,
  MAX_GPIO_OFFSET,
  MAX_INPUTS,
  MAX_LCUS_RELAYS,
  MAX_MODBUS_ADDRESS,
  MAX_OUTPUTS,
  MIN_BAUD,
  MODBUS_ANSWER_MAX_MS,
  MODBUS_ANSWER_MIN_MS,
  MODBUS_ANSWER_MS,
  WEB_PORT,
} from './limits';
import { outputProblem } from './output-problem';
import { OutputSettings } from './output-settings';
import { Parity } from './parity';
import { ProductLogin } from './product-login';
import { checkedParser, parserOf } from './schema';

/** A board in files: its levels and its edge log live in the data folder. */
export const SimulatedBoard = Type.Object(
  {
    kind: described(Type.Literal('simulated'), 'a board in files'),
    /** Upstream kernels do so, the Raspberry Pi's do not. */
    releaseOnDeath: Type.Optional(
      Type.Boolean({
        description: 'its lines fall when the guard is killed; noticed, and logged, when the guard starts again',
        default: false,
      }),
    ),
  },
  { additionalProperties: false },
);
const Baud = Type.Integer({ minimum: MIN_BAUD, maximum: MAX_BAUD });
export const GpioOffset = Type.Integer({ minimum: 0, maximum: MAX_GPIO_OFFSET });

/** At an input: tens of kilohms to supply or ground, or none. */
export const GpioBias = Type.Union([Type.Literal('pull-up'), Type.Literal('pull-down'), Type.Literal('disabled')], {
  description: "the chip's own resistor; without one it stays as it was found",
});
export type GpioBias = Static<typeof GpioBias>;

/** A line that is read. */
export const GpioInput = Type.Object(
  {
    line: described(GpioOffset, 'its offset on the chip, used by nothing else'),
    bias: Type.Optional(GpioBias),
  },
  { additionalProperties: false },
);
export type GpioInput = Static<typeof GpioInput>;

/** Nothing reads the profile again. */
const Profile = Type.Optional(
  described(ProfileName, "a profile's name: where lines and polarity were taken from; for people only"),
);

const gpioMembers = {
  profile: Profile,
  chip: Type.Optional(
    Type.String({
      pattern: '^[\\x20-\\x7e]{1,31}$',
      description:
        "the chip's label as `gpiodetect` shows it, 1 to 31 printable characters; without one: the chip of a Raspberry " +
        "Pi's header, whichever model it is (`pinctrl-bcm2835`, `-bcm2711`, `-rp1`)",
    }),
  ),
  lines: Type.Array(GpioOffset, {
    minItems: 1,
    maxItems: MAX_OUTPUTS,
    description:
      "distinct, as many as there are outputs: the offset of each output's line on its chip; on a Raspberry Pi's " +
      'header that is the BCM number, not the pin',
  }),
};
/** Relays on the lines of a GPIO chip, through its character device. */
export const GpioBoard = Type.Object(
  {
    kind: described(Type.Literal('gpio'), 'relays on a GPIO chip'),
    ...gpioMembers,
    inputs: Type.Optional(
      Type.Array(GpioInput, {
        maxItems: MAX_INPUTS,
        description:
          "lines that are read, for `feedbackInput` and `web.buttonInput`; the position is the input's number. Which level " +
          'means "on" is `feedbackActiveLevel`',
      }),
    ),
  },
  { additionalProperties: false },
);
/** The same through /sys/class/gpio, for kernels before 5.10; without inputs, for it knows no resistors. */
export const GpioSysfsBoard = Type.Object(
  { kind: described(Type.Literal('gpio-sysfs'), 'the same on kernels before 5.10'), ...gpioMembers },
  { additionalProperties: false },
);

/** A link of /dev/serial/by-id names the adapter and not the order in which it was found. */
export const SerialPath = Type.String({ pattern: '^/[\\x21-\\x7e]{1,199}$' });
const BoardPort = described(
  SerialPath,
  'a path: the adapter, best a link of `/dev/serial/by-id` or, where it has no number of its own, `/dev/serial/by-path`; ' +
    '`relayctl board ports` says which',
);
export const ModbusAddress = Type.Integer({ minimum: 1, maximum: MAX_MODBUS_ADDRESS });
export const ModbusUnit = Type.Object(
  {
    address: described(ModbusAddress, 'on the bus, each once'),
    relays: Type.Integer({ minimum: 1, maximum: MAX_OUTPUTS, description: 'its coils from 0 on are the next outputs' }),
    /** Coils 0x0200 and up. */
    flashOn: Type.Optional(
      Type.Boolean({ description: "the board times pulses by itself, as Waveshare's do", default: false }),
    ),
  },
  { additionalProperties: false },
);
/** Relays on boards that speak Modbus RTU, one or several on a bus. */
export const ModbusBoard = Type.Object(
  {
    kind: described(Type.Literal('modbus'), 'boards that speak Modbus RTU'),
    profile: Profile,
    port: BoardPort,
    baud: Type.Optional(described(Baud, 'as the boards are set; 8 data bits, one stop bit', { default: DEFAULT_BAUD })),
    parity: Type.Optional(described(Parity, 'as the boards are set', { default: 'none' })),
    answerMs: Type.Optional(
      Type.Integer({
        minimum: MODBUS_ANSWER_MIN_MS,
        maximum: MODBUS_ANSWER_MAX_MS,
        description:
          'how long a board may take for its answer. A silent one keeps the bus from the others for that long',
        default: MODBUS_ANSWER_MS,
      }),
    ),
    units: Type.Array(ModbusUnit, {
      minItems: 1,
      maxItems: MAX_OUTPUTS,
      description: 'the boards on the bus; their relays, in this order, are the outputs',
    }),
  },
  { additionalProperties: false },
);
/** Relays of an LCUS board on USB. */
export const LcusBoard = Type.Object(
  {
    kind: described(Type.Literal('lcus'), 'an LCUS board on USB'),
    profile: Profile,
    port: BoardPort,
    relays: Type.Integer({ minimum: 1, maximum: MAX_LCUS_RELAYS, description: 'how many it has' }),
  },
  { additionalProperties: false },
);
/** All that are made of relays. */
export const RealBoardSettings = Type.Tagged('kind', [GpioBoard, GpioSysfsBoard, ModbusBoard, LcusBoard]);
export type RealBoardSettings = Static<typeof RealBoardSettings>;

export const BoardSettings = Type.Tagged('kind', [SimulatedBoard, GpioBoard, GpioSysfsBoard, ModbusBoard, LcusBoard]);
export type BoardSettings = Static<typeof BoardSettings>;

/** Whether the driver of that kind of board reads inputs (`readInput`): without, no output can be shown by one. */
export const HAS_INPUTS: Readonly<Record<BoardSettings['kind'], boolean>> = {
  simulated: true,
  gpio: true,
  'gpio-sysfs': false,
  modbus: false,
  lcus: false,
};

const guardMembers = {
  board: BoardSettings,
  outputs: Type.Array(OutputSettings, {
    minItems: 1,
    maxItems: MAX_OUTPUTS,
    description: "the position is the output's number",
  }),
};

export const LinkSettings = Type.Object(
  {
    serverUrl: Type.String({
      pattern: '^wss?://[^\\s]+$',
      maxLength: 512,
      description: '`wss://host[:port]`; `ws://` to this machine only; no user, path, query or fragment',
    }),
    serverName: Type.String({
      pattern: '^[\\x21-\\x7e]{1,128}$',
      description:
        "the server's `RELAYGATE_SERVER_NAME`, 1 to 128 printable characters without spaces: part of what the device signs",
    }),
    serverCaFile: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 512,
        description: "path of a PEM file, trusted instead of the system's authorities",
      }),
    ),
    productLogin: described(ProductLogin, 'the product this device is: 1 to 64 of `A-Za-z0-9._-`'),
  },
  { additionalProperties: false },
);
export type LinkSettings = Static<typeof LinkSettings>;

export const ConsoleLanguage = Type.Union([Type.Literal('fr'), Type.Literal('en')]);
export type ConsoleLanguage = Static<typeof ConsoleLanguage>;

/** The serial port at which a technician's terminal program finds the menu: 8 data bits, no parity, one stop bit. */
export const ConsoleSettings = Type.Object(
  {
    port: described(
      SerialPath,
      "a path: a technician's terminal program finds the menu there. Not the port of the relay board",
    ),
    baud: Type.Optional(described(Baud, '8 data bits, no parity, one stop bit', { default: CONSOLE_BAUD })),
    language: Type.Optional(described(ConsoleLanguage, 'that of the first prompt', { default: 'fr' })),
  },
  { additionalProperties: false },
);
export type ConsoleSettings = Static<typeof ConsoleSettings>;

/** The technician's page; it is off until somebody switches it on. */
export const WebSettings = Type.Object(
  {
    port: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 65_535,
        description: "where the [technician's page](#the-web-page) listens while it is on",
        default: WEB_PORT,
      }),
    ),
    address: Type.Optional(
      Type.String({
        pattern: '^[0-9A-Fa-f.:]{2,45}$',
        description: 'the IP address of this device at which it listens; without one: all of them',
      }),
    ),
    buttonInput: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_FEEDBACK_INPUT,
        description:
          'an input of the board: a button that switches the page on when it is held for 5 s. Not the feedback input of an output',
      }),
    ),
    buttonActiveLevel: Type.Optional(
      described(Level, 'what the input shows while it is pressed; `low` is a button to ground', { default: 'low' }),
    ),
    hotspotSsid: Type.Optional(
      Type.String({
        pattern: '^[\\x21-\\x7e]([\\x20-\\x7e]{0,30}[\\x21-\\x7e])?$',
        description:
          "the name of the device's own Wi-Fi, 1 to 32 printable ASCII characters; without one: `Relaygate` and the product login",
      }),
    ),
  },
  { additionalProperties: false },
);
export type WebSettings = Static<typeof WebSettings>;

export const GuardSettings = Type.Object(guardMembers);
export type GuardSettings = Static<typeof GuardSettings>;

export const DeviceSettings = Type.Object(
  {
    ...guardMembers,
    link: LinkSettings,
    requireProof: Type.Optional(
      Type.Boolean({
        description:
          'remote commands are refused (`not-proven`) until somebody has proven the board and lines in use with `relayctl prove`',
        default: false,
      }),
    ),
    console: Type.Optional(described(ConsoleSettings, 'the serial console; without it there is none')),
    web: Type.Optional(WebSettings),
  },
  { additionalProperties: false },
);
export type DeviceSettings = Static<typeof DeviceSettings>;

export const parseDeviceSettings = checkedParser(parserOf(DeviceSettings), deviceProblem);
export const parseGuardSettings = checkedParser(parserOf(GuardSettings), settingsProblem);

/** Whether two settings mean the same board, whatever the order of their members. */
export function isSameBoard(one: BoardSettings, other: BoardSettings): boolean {
  return textOf(one) === textOf(other);
}

function textOf(board: BoardSettings): string {
  return JSON.stringify(Object.entries(board).sort());
}

function deviceProblem(settings: DeviceSettings): string | null {
  return settingsProblem(settings) ?? consoleProblem(settings) ?? buttonProblem(settings);
}

/** Who opens a port has it alone: the console would keep the guard from its relays. */
function consoleProblem({ board, console }: DeviceSettings): string | null {
  const isTaken = console !== undefined && 'port' in board && board.port === console.port;
  return isTaken ? 'console.port is the port of the relay board' : null;
}

/** A relay that moves must not switch the page on. */
function buttonProblem({ board, outputs, web }: DeviceSettings): string | null {
  const input = web?.buttonInput;
  if (input === undefined) return null;
  if (input >= inputsOf(board)) return `web.buttonInput is ${input}, but the board ${inputsInWords(board)}`;
  const shown = outputs.findIndex(({ feedbackInput }) => feedbackInput === input);
  return shown < 0 ? null : `web.buttonInput: input ${input} shows output ${shown} already`;
}

/** What no schema can say of a device's settings, in a phrase that begins with the member; null: all is well. */
function settingsProblem({ board, outputs }: GuardSettings): string | null {
  return boardProblem(board, outputs) ?? outputsProblem(board, outputs);
}

function boardProblem(board: BoardSettings, outputs: readonly OutputSettings[]): string | null {
  switch (board.kind) {
    case 'simulated':
      return null;
    case 'gpio':
    case 'gpio-sysfs':
      return (
        linesProblem(board.lines, board.kind === 'gpio' ? (board.inputs ?? []) : []) ??
        countProblem('board.lines has', 'lines', board.lines.length, outputs)
      );
    case 'modbus': {
      const twice = firstTwice(board.units.map(({ address }) => address));
      if (twice !== null) return `board.units names address ${twice} twice`;
      const relays = board.units.reduce((sum, unit) => sum + unit.relays, 0);
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

/** Such a board is told "on", not a level. */
function polarityProblem(outputs: readonly OutputSettings[]): string | null {
  const numOutput = outputs.findIndex(({ activeLevel }) => activeLevel === 'low');
  return numOutput < 0 ? null : `outputs.${numOutput}.activeLevel must be "high" on a serial board`;
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
