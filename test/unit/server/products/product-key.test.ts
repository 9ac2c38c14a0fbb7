import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { newEnrolmentCode } from '@relaygate/server/devices/enrolment-code';
import { hashProductKey, newProductKey } from '@relaygate/server/products/product-key';
import { newProductLogin } from '@relaygate/server/products/product-login';
import type { Randomness } from '@relaygate/shared';
import { crockford, isProductLogin } from '@relaygate/shared';
import { assert, property, uint8Array } from 'fast-check';

function bytesOf(text: string): Randomness {
  return { bytes: (size) => Buffer.from(text, 'hex').subarray(0, size), fraction: () => 0 };
}

describe('Crockford base32', () => {
  test.each([
    ['', ''],
    ['00', '00'],
    ['ff', 'ZW'],
    ['0123456789', '04HMASW9'],
    ['ffffffffff', 'ZZZZZZZZ'],
  ])('of the bytes %p is %p', (hex, text) => {
    expect(crockford(Buffer.from(hex, 'hex'))).toBe(text);
  });

  test('says the same as counting in 32s', async () => {
    await assert(
      property(uint8Array({ minLength: 5, maxLength: 40 }), (bytes) => {
        const whole = bytes.subarray(0, bytes.length - (bytes.length % 5));
        const value = BigInt(`0x${Buffer.from(whole).toString('hex')}`);
        const digits = value.toString(32).padStart((whole.length / 5) * 8, '0');
        const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
        expect(crockford(whole)).toBe([...digits].map((digit) => alphabet[Number.parseInt(digit, 32)]).join(''));
      }),
    );
  });
});

describe('product keys and enrolment codes', () => {
  const HEX = 'ffeeddccbbaa99887766554433221100';

  test('hold 128 bits, and differ by their letter and their groups', () => {
    const bits = crockford(Buffer.from(HEX, 'hex'));
    const key = newProductKey(bytesOf(HEX));
    expect(key).toMatch(/^P[0-9A-HJKMNP-TV-Z]{3}(-[0-9A-HJKMNP-TV-Z]{4}){6}$/);
    expect(key.replaceAll('-', '')).toMatch(`P${bits}`);
    const code = newEnrolmentCode(bytesOf(HEX));
    expect(code).toMatch(/^E[0-9A-HJKMNP-TV-Z]{6}(-[0-9A-HJKMNP-TV-Z]{7}){3}$/);
    expect(code.replaceAll('-', '')).toMatch(`E${bits}`);
  });

  test.each([
    ['in small letters', (key: string) => key.toLowerCase()],
    ['without hyphens', (key: string) => key.replaceAll('-', '')],
    ['with hyphens elsewhere', (key: string) => `-${key}--`],
    ['with I, L and O for the digits', (key: string) => key.replace('1', 'I').replace('1', 'l').replaceAll('0', 'o')],
  ])('are the same key %s', (_, written) => {
    const key = newProductKey(bytesOf('08421084210842108421084210842108'));
    expect(key).toMatch(/1.*1/);
    expect(key).toContain('0');
    expect(hashProductKey(written(key))).toBe(hashProductKey(key));
  });

  test('made before there were letters and checks stay the same key', () => {
    const old = '7ZZQ-0M4R-2C9D-XKQ3-V8BN-5T1H-6G';
    expect(hashProductKey(old)).toBe(createHash('sha256').update(old.replaceAll('-', '')).digest('hex'));
  });

  test('one character more, less or changed is another key', () => {
    const key = newProductKey(bytesOf(HEX));
    for (const wrong of [`${key}0`, key.slice(0, -1), `0${key.slice(1)}`, ` ${key}`]) {
      expect(hashProductKey(wrong)).not.toBe(hashProductKey(key));
    }
  });

  test('any text has a hash', () => {
    for (const text of ['', 'ıİß-o', '\u0000', 'x'.repeat(1000), '-']) {
      expect(hashProductKey(text)).toMatch(/^[0-9a-f]{64}$/);
    }
  });
});

describe('product logins', () => {
  test('a made one is valid', () => {
    expect(newProductLogin(bytesOf('0123456789'))).toBe('gate-04hmasw9');
    expect(isProductLogin(newProductLogin(bytesOf('ffffffffff')))).toBe(true);
  });

  test.each(['a', 'A.b_c-9', 'x'.repeat(64), '..'])('%p is one', (text) => {
    expect(isProductLogin(text)).toBe(true);
  });

  test.each(['', 'x'.repeat(65), 'a b', 'a/b', 'é', 'a\n', '*'])('%p is none', (text) => {
    expect(isProductLogin(text)).toBe(false);
  });
});
