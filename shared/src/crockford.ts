/** Crockford's base32 has no I, L, O and U, so that people can read a key aloud and type it. */
export const CROCKFORD_ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const BITS_PER_CHAR = 5;

/** Most significant bit first; the last character is filled up with zero bits. */
export function crockford(bytes: Uint8Array): string {
  let text = '';
  let buffered = 0;
  let bits = 0;
  for (const byte of bytes) {
    buffered = (buffered << 8) | byte;
    bits += 8;
    while (bits >= BITS_PER_CHAR) {
      bits -= BITS_PER_CHAR;
      text += CROCKFORD_ALPHABET[(buffered >> bits) & 31];
    }
    buffered &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + CROCKFORD_ALPHABET[(buffered << (BITS_PER_CHAR - bits)) & 31];
}
