import { scrypt } from 'node:crypto';
import type { HashPin } from '../files/hash-pin';

const HASH_BYTES = 32;
/** 16 MB and some hundred milliseconds on a small Pi, for each try. */
const COST = { N: 16_384, r: 8, p: 1 };

export const scryptPin: HashPin = (pin, salt) =>
  new Promise((resolve, reject) => {
    scrypt(pin, salt, HASH_BYTES, COST, (error, hash) => (error ? reject(error) : resolve(hash)));
  });
