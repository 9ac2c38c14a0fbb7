import { createHash } from 'node:crypto';
import type { Randomness } from '@relaygate/shared';

const TOKEN_BYTES = 32;

/** What a browser shows to be known again; nobody guesses it. */
export function drawToken(randomness: Randomness): string {
  return Buffer.from(randomness.bytes(TOKEN_BYTES)).toString('base64url');
}

/** Looking a token up by its hash shows nothing by the time that it takes. */
export function hashOfToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
