import { NAME_PATTERN, Type } from '@relaygate/shared';

/** Who asks, as they say themselves: `relayctl as NAME`, unverified. In a log it must read as what it is. */
export const Actor = Type.String({ pattern: NAME_PATTERN, maxLength: 100 });

/** The members of each request that changes anything. */
export const CHANGE = {
  /**
   * On CLOCK_MONOTONIC, which all programs of a machine share; `status` shows it to the page. A change does not begin
   * later, because whoever asked may have given up by then. Required, so that no channel forgets it.
   */
  notAfterMs: Type.Number(),
  actor: Actor,
};
