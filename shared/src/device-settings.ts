/** The device's settings file, `settings.json` in its data folder. The guard reads `board` and `outputs` only. */
import { ProfileName } from './board-profile';
import { type Static, Type } from './json-schema';
import { MAX_GPIO_OFFSET, MAX_OUTPUTS } from './limits';
import { OutputSettings } from './output-settings';
import { ProductLogin } from './product-login';
import { checkedParser, parserOf } from './schema';
import { settingsProblem } from './settings-problem';

/** A board in files: its levels and its edge log live in the data folder. */
export const SimulatedBoard = Type.Object(
  {
    kind: Type.Literal('simulated'),
    /** Lines fall back when the process that drives them dies (upstream kernels do so, the Raspberry Pi's do not). */
    releaseOnDeath: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);
const gpioMembers = {
  /** Where chip and lines were taken from, for people; nothing reads the profile again. */
  profile: Type.Optional(ProfileName),
  /** The label of the GPIO chip; without one: that of the Raspberry Pi's 40-pin header, whichever model it is. */
  chip: Type.Optional(Type.String({ pattern: '^[\\x20-\\x7e]{1,31}$' })),
  /** The offset of each output's line on that chip, the BCM number on a Raspberry Pi. */
  lines: Type.Array(Type.Integer({ minimum: 0, maximum: MAX_GPIO_OFFSET }), { minItems: 1, maxItems: MAX_OUTPUTS }),
};
/** Relays on the lines of a GPIO chip, through its character device. */
export const GpioBoard = Type.Object({ kind: Type.Literal('gpio'), ...gpioMembers }, { additionalProperties: false });
/** The same through /sys/class/gpio, for kernels before 5.10. */
export const GpioSysfsBoard = Type.Object(
  { kind: Type.Literal('gpio-sysfs'), ...gpioMembers },
  { additionalProperties: false },
);
/** Either of them. */
export const GpioBoardSettings = Type.Tagged('kind', [GpioBoard, GpioSysfsBoard]);
export type GpioBoardSettings = Static<typeof GpioBoardSettings>;

export const BoardSettings = Type.Tagged('kind', [SimulatedBoard, GpioBoard, GpioSysfsBoard]);
export type BoardSettings = Static<typeof BoardSettings>;

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

export const DeviceSettings = Type.Object({ ...guardMembers, link: LinkSettings }, { additionalProperties: false });
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
