import { Type } from '@relaygate/shared';

/**
 * A sign that may stand in a name. Neither controls nor what ends a line or turns the writing around (U+2028, U+2029, Unicode's
 * bidi controls): in a log or a history they would show another text than the one that is there.
 */
export const NAME_SIGN = '[^\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]';

/** Who asks, as they say themselves: `relayctl as NAME`, unverified. */
export const Actor = Type.String({ pattern: `^${NAME_SIGN}+$`, maxLength: 100 });
