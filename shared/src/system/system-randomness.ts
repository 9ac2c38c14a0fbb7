import { randomBytes } from 'node:crypto';
import type { Randomness } from '../randomness';

export const systemRandomness: Randomness = {
  bytes: (size) => randomBytes(size),
  fraction: () => randomBytes(6).readUIntBE(0, 6) / 2 ** 48,
};
