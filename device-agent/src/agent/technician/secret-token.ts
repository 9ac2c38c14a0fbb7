import { createHash } from 'node:crypto';
import type { Randomness } from '@relaygate/shared';

const TOKEN_BYTES = 32;

/** A secret by which a browser is known again; nobody guesses it. */
export function drawToken(randomness: Randomness): string {
  return Buffer.from(randomness.bytes(TOKEN_BYTES)).toString('base64url');
}

/** The time that looking up a hash takes tells nothing about the token. */
export function hashOfToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
