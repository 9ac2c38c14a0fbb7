import { PLAIN_CHAR, Type } from '@relaygate/shared';

/** Who asks, as they say themselves: `relayctl as NAME`, unverified. In a log it must read as what it is. */
export const Actor = Type.String({ pattern: `^${PLAIN_CHAR}+$`, maxLength: 100 });
