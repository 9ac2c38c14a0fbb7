import { NAME_PATTERN, Type } from '@relaygate/shared';

/** Who asks, as they say themselves: `relayctl as NAME`, unverified. In a log it must read as what it is. */
export const Actor = Type.String({ pattern: NAME_PATTERN, maxLength: 100 });
