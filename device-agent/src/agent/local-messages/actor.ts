import { Type } from '@relaygate/shared';

/** Who asks, as they say themselves: `relayctl as NAME`, unverified. */
export const Actor = Type.String({ pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]+$', maxLength: 100 });
