import { Type } from '@relaygate/shared';

/**
 * On CLOCK_MONOTONIC, which all programs of a machine share; `status` shows it to the page. What changes anything does not begin
 * later: whoever asked may have given up by then. Required, so that no channel forgets it.
 */
export const NotAfterMs = Type.Number();
