/** Board profiles: the wiring of a relay board, as JSON in hardware/boards. Installers choose a profile by its name. */
import { type Static, Type } from '../json-schema';
import { MAX_BAUD, MAX_HEADER_BCM, MAX_INPUTS, MAX_MODBUS_ADDRESS, MAX_OUTPUTS, MIN_BAUD } from '../limits';
import { NewOutputName } from '../outputs';
import { checkedParser, parserOf } from '../schema';
import { GpioBias, ProfileName } from './board-settings';
import { Level } from './level';
import { Parity } from './serial-settings';

export const ProfileRelay = Type.Object(
  {
    /** What is printed beside the relay. */
    label: NewOutputName,
    /** The BCM number of its line on the Raspberry Pi's 40-pin header, which is the line's offset on the chip. */
    bcm: Type.Integer({ minimum: 0, maximum: MAX_HEADER_BCM }),
  },
  { additionalProperties: false },
);

/** An input of the board; the position is its number. */
const ProfileInput = Type.Object(
  {
    label: NewOutputName,
    bcm: Type.Integer({ minimum: 0, maximum: MAX_HEADER_BCM }),
    bias: Type.Optional(GpioBias),
  },
  { additionalProperties: false },
);

const commonMembers = {
  /** The file's name without `.json`. */
  name: ProfileName,
  title: Type.String({ minLength: 1, maxLength: 80 }),
  /** The document that says how the board is driven. */
  source: Type.String({ minLength: 1, maxLength: 400 }),
  /** True if the source is the maker's own manual or driver; false: try the board before you rely on it. */
  verified: Type.Boolean(),
  /** For installers, a sentence each. */
  notes: Type.Array(Type.String({ minLength: 1, maxLength: 400 })),
};

export const GpioProfile = Type.Object(
  {
    ...commonMembers,
    kind: Type.Literal('gpio'),
    /** The electrical level that energises every relay of the board. */
    activeLevel: Level,
    /** The position is the output's number. */
    relays: Type.Array(ProfileRelay, { minItems: 1, maxItems: MAX_OUTPUTS }),
    inputs: Type.Optional(Type.Array(ProfileInput, { minItems: 1, maxItems: MAX_INPUTS })),
  },
  { additionalProperties: false },
);
export type GpioProfile = Static<typeof GpioProfile>;

const SerialRelays = Type.Array(Type.Object({ label: NewOutputName }, { additionalProperties: false }), {
  minItems: 1,
  maxItems: MAX_OUTPUTS,
});
/** Vendor and product of its USB adapter, as `lsusb` shows them. */
const UsbId = Type.String({ pattern: '^[0-9a-f]{4}:[0-9a-f]{4}$' });

export const ModbusProfile = Type.Object(
  {
    ...commonMembers,
    kind: Type.Literal('modbus'),
    /** As delivered. */
    address: Type.Integer({ minimum: 1, maximum: MAX_MODBUS_ADDRESS }),
    baud: Type.Integer({ minimum: MIN_BAUD, maximum: MAX_BAUD }),
    parity: Parity,
    flashOn: Type.Boolean(),
    /** How many discrete inputs it has. */
    inputs: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_INPUTS })),
    relays: SerialRelays,
  },
  { additionalProperties: false },
);
export const LcusProfile = Type.Object(
  { ...commonMembers, kind: Type.Literal('lcus'), usb: UsbId, relays: SerialRelays },
  { additionalProperties: false },
);
export type SerialProfile = Static<typeof ModbusProfile> | Static<typeof LcusProfile>;

export const BoardProfile = Type.Tagged('kind', [GpioProfile, ModbusProfile, LcusProfile]);
export type BoardProfile = Static<typeof BoardProfile>;

export const parseBoardProfile = checkedParser(parserOf(BoardProfile), profileProblem);

/** A fault that no schema can find, as a phrase; null if there is none. */
export function profileProblem(profile: BoardProfile): string | null {
  if (profile.kind !== 'gpio') return null;
  const bcms = [...profile.relays, ...(profile.inputs ?? [])].map(({ bcm }) => bcm);
  const twice = bcms.find((bcm, n) => bcms.indexOf(bcm) !== n);
  return twice === undefined ? null : `relays${profile.inputs ? ' and inputs' : ''} name BCM ${twice} twice`;
}
