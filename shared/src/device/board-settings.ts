/** The relay board of a device: its kind, its address, and what the guard needs to drive it. */

import { described, type Static, Type } from '../json-schema';
import {
  DEFAULT_BAUD,
  MAX_GPIO_OFFSET,
  MAX_INPUTS,
  MAX_LCUS_RELAYS,
  MAX_MODBUS_ADDRESS,
  MAX_OUTPUTS,
  MODBUS_ANSWER_MAX_MS,
  MODBUS_ANSWER_MIN_MS,
  MODBUS_ANSWER_MS,
  MODBUS_POLL_MAX_MS,
  MODBUS_POLL_MIN_MS,
  MODBUS_POLL_MS,
} from '../limits';
import { Baud, Parity, SerialPath } from './serial-settings';

/** A board in files: its levels and its log of edges are in the data folder. */
export const SimulatedBoard = Type.Object(
  {
    kind: described(Type.Literal('simulated'), 'a board in files'),
    /** Upstream kernels release the lines, the Raspberry Pi's do not. */
    releaseOnDeath: Type.Optional(
      Type.Boolean({
        description: 'its lines fall when the guard is killed; the next guard notices and logs it',
        default: false,
      }),
    ),
  },
  { additionalProperties: false },
);

export const GpioOffset = Type.Integer({ minimum: 0, maximum: MAX_GPIO_OFFSET });

/** The resistor of an input: tens of kilohms to supply or ground, or none. */
export const GpioBias = Type.Union([Type.Literal('pull-up'), Type.Literal('pull-down'), Type.Literal('disabled')], {
  description: "the chip's own resistor; if not named, it stays as it was found",
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

/** Of a board profile (board-profile.ts). */
export const ProfileName = Type.String({ pattern: '^[a-z0-9]+(-[a-z0-9]+)*$', maxLength: 64 });

/** For people only: no program reads the profile again. */
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
const inputLines = {
  maxItems: MAX_INPUTS,
  description:
    "lines that are read, for `inputs`, `feedbackInput` and `web.buttonInput`; the position is the input's number",
};
/** Relays on the lines of a GPIO chip, through its character device. */
export const GpioBoard = Type.Object(
  {
    kind: described(Type.Literal('gpio'), 'relays on a GPIO chip'),
    ...gpioMembers,
    inputs: Type.Optional(Type.Array(GpioInput, inputLines)),
  },
  { additionalProperties: false },
);
/** The same through /sys/class/gpio, for kernels before 5.10. It cannot set resistors. */
export const GpioSysfsBoard = Type.Object(
  {
    kind: described(Type.Literal('gpio-sysfs'), 'the same on kernels before 5.10'),
    ...gpioMembers,
    inputs: Type.Optional(
      Type.Array(
        Type.Object(
          {
            line: described(
              GpioOffset,
              'its offset on the chip, used by nothing else; its resistor is outside of the chip',
            ),
          },
          { additionalProperties: false },
        ),
        inputLines,
      ),
    ),
  },
  { additionalProperties: false },
);

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
    inputs: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_INPUTS,
        description: 'its discrete inputs from 0 on are the next inputs',
        default: 0,
      }),
    ),
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
        description: 'how long a board may take for its answer. A silent board blocks the bus for that long',
        default: MODBUS_ANSWER_MS,
      }),
    ),
    pollMs: Type.Optional(
      Type.Integer({
        minimum: MODBUS_POLL_MIN_MS,
        maximum: MODBUS_POLL_MAX_MS,
        description: 'how often a board is asked for its inputs if one of them has a meaning (`inputs`)',
        default: MODBUS_POLL_MS,
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
const REAL_BOARDS = [GpioBoard, GpioSysfsBoard, ModbusBoard, LcusBoard] as const;
/** Boards with relays. */
export const RealBoardSettings = Type.Tagged('kind', REAL_BOARDS);
export type RealBoardSettings = Static<typeof RealBoardSettings>;

export const BoardSettings = Type.Tagged('kind', [SimulatedBoard, ...REAL_BOARDS]);
export type BoardSettings = Static<typeof BoardSettings>;

/** True if two settings mean the same board, in any order of their members. */
export function isSameBoard(one: BoardSettings, other: BoardSettings): boolean {
  return textOf(one) === textOf(other);
}

function textOf(board: BoardSettings): string {
  return JSON.stringify(Object.entries(board).sort());
}
