/** Board profiles: what a relay board is wired to, as JSON in hardware/boards. Installers choose one by its name. */
import { type Static, Type } from '../json-schema';
import { MAX_BAUD, MAX_HEADER_BCM, MAX_MODBUS_ADDRESS, MAX_OUTPUTS, MIN_BAUD } from '../limits';
import { NewOutputName } from '../outputs';
import { checkedParser, parserOf } from '../schema';
import { Level } from './level';
import { Parity } from './parity';

export const ProfileName = Type.String({ pattern: '^[a-z0-9]+(-[a-z0-9]+)*$', maxLength: 64 });

export const ProfileRelay = Type.Object(
  {
    /** What is printed beside the relay. */
    label: NewOutputName,
    /** The BCM number of its line on the Raspberry Pi's 40-pin header, which is the line's offset on the chip. */
    bcm: Type.Integer({ minimum: 0, maximum: MAX_HEADER_BCM }),
  },
  { additionalProperties: false },
);

const commonMembers = {
  /** The file's name without `.json`. */
  name: ProfileName,
  title: Type.String({ minLength: 1, maxLength: 80 }),
  /** Where it was read how the board is driven. */
  source: Type.String({ minLength: 1, maxLength: 400 }),
  /** It was read in the maker's own manual or driver; false: hearsay, to be tried before it is relied on. */
  verified: Type.Boolean(),
  /** What an installer should know, a sentence each. */
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
  },
  { additionalProperties: false },
);
export type GpioProfile = Static<typeof GpioProfile>;

const SerialRelays = Type.Array(Type.Object({ label: NewOutputName }, { additionalProperties: false }), {
  minItems: 1,
  maxItems: MAX_OUTPUTS,
});
/** What its adapter says of itself on USB, as `lsusb` shows it: vendor and product. */
const UsbId = Type.String({ pattern: '^[0-9a-f]{4}:[0-9a-f]{4}$' });

export const ModbusProfile = Type.Object(
  {
    ...commonMembers,
    kind: Type.Literal('modbus'),
    /** As it comes out of the box. */
    address: Type.Integer({ minimum: 1, maximum: MAX_MODBUS_ADDRESS }),
    baud: Type.Integer({ minimum: MIN_BAUD, maximum: MAX_BAUD }),
    parity: Parity,
    flashOn: Type.Boolean(),
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

/** What no schema can say, in a phrase; null: nothing. */
export function profileProblem(profile: BoardProfile): string | null {
  if (profile.kind !== 'gpio') return null;
  const bcms = profile.relays.map(({ bcm }) => bcm);
  const twice = bcms.find((bcm, n) => bcms.indexOf(bcm) !== n);
  return twice === undefined ? null : `relays name BCM ${twice} twice`;
}
