import type { Randomness } from '@relaygate/shared';

const BYTES = 12;

/** The id of a command that comes from this device itself. */
export function localCommandId(randomness: Randomness): string {
  return `local-${Buffer.from(randomness.bytes(BYTES)).toString('hex')}`;
}
