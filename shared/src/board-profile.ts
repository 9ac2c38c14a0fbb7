/** Board profiles: what a relay board is wired to, as JSON in hardware/boards. Installers choose one by its name. */
import { type Static, Type } from './json-schema';
import { Level } from './level';
import { MAX_HEADER_BCM, MAX_OUTPUTS, OUTPUT_NAME_MAX_CHARS } from './limits';
import { checkedParser, parserOf } from './schema';

export const ProfileName = Type.String({ pattern: '^[a-z0-9]+(-[a-z0-9]+)*$', maxLength: 64 });

export const ProfileRelay = Type.Object(
  {
    /** What is printed beside the relay. */
    label: Type.String({ minLength: 1, maxLength: OUTPUT_NAME_MAX_CHARS }),
    /** The BCM number of its line on the Raspberry Pi's 40-pin header, which is the line's offset on the chip. */
    bcm: Type.Integer({ minimum: 0, maximum: MAX_HEADER_BCM }),
  },
  { additionalProperties: false },
);

export const BoardProfile = Type.Object(
  {
    /** The file's name without `.json`. */
    name: ProfileName,
    title: Type.String({ minLength: 1, maxLength: 80 }),
    kind: Type.Literal('gpio'),
    /** The electrical level that energises every relay of the board. */
    activeLevel: Level,
    /** The position is the output's number. */
    relays: Type.Array(ProfileRelay, { minItems: 1, maxItems: MAX_OUTPUTS }),
    /** Where lines and level were read. */
    source: Type.String({ minLength: 1, maxLength: 400 }),
    /** Lines and level were read in the maker's own manual or driver; false: hearsay, to be tried before it is relied on. */
    verified: Type.Boolean(),
    /** What an installer should know, a sentence each. */
    notes: Type.Array(Type.String({ minLength: 1, maxLength: 400 })),
  },
  { additionalProperties: false },
);
export type BoardProfile = Static<typeof BoardProfile>;

export const parseBoardProfile = checkedParser(parserOf(BoardProfile), ({ relays }) => {
  const bcms = relays.map(({ bcm }) => bcm);
  const twice = bcms.find((bcm, n) => bcms.indexOf(bcm) !== n);
  return twice === undefined ? null : `relays name BCM ${twice} twice`;
});
