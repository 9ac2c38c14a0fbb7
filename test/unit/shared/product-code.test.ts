import { describe, expect, test } from '@jest/globals';
import { isProductCodeLike, productCode, productCodeProblem } from '@relaygate/shared';
import { assert, constantFrom, nat, property, uint8Array } from 'fast-check';

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const OLD = '7ZZQ-0M4R-2C9D-XKQ3-V8BN-5T1H-6G';
const KINDS = ['product key', 'enrolment code'] as const;

const anyKind = constantFrom(...KINDS);
const anyBytes = uint8Array({ minLength: 16, maxLength: 16 });
const plain = (code: string): string => code.replaceAll('-', '');
const without = (text: string, at: number): string => text.slice(0, at) + text.slice(at + 1);

describe('a code that is typed', () => {
  test('is taken as it was printed, however it is written', async () => {
    await assert(
      property(anyKind, anyBytes, (kind, bytes) => {
        const code = productCode(kind, bytes);
        const misread = plain(code).toLowerCase().replaceAll('0', 'o').replaceAll('1', 'l');
        for (const written of [code, plain(code), misread]) {
          expect(productCodeProblem(written, kind)).toBeNull();
          expect(isProductCodeLike(written)).toBe(true);
        }
      }),
    );
  });

  test('is refused with any one character changed', async () => {
    await assert(
      property(anyKind, anyBytes, nat(27), constantFrom(...ALPHABET), (kind, bytes, at, char) => {
        const code = plain(productCode(kind, bytes));
        const changed = code.slice(0, at) + char + code.slice(at + 1);
        expect(productCodeProblem(changed, kind) === null).toBe(changed === code);
      }),
    );
  });

  test('is refused with two neighbours in the wrong order, but for few pairs', () => {
    const swapped = Array.from({ length: 200 }, (_, n) => {
      const code = plain(
        productCode(
          'product key',
          Uint8Array.from({ length: 16 }, (_, byte) => (n * 31 + byte * 97) % 256),
        ),
      );
      return Array.from(
        { length: 27 },
        (_, at) => code.slice(0, at) + code[at + 1] + code[at] + code.slice(at + 2),
      ).filter((text) => text !== code);
    }).flat();
    const taken = swapped.filter((text) => productCodeProblem(text, 'product key') === null);
    expect(taken.length / swapped.length).toBeLessThan(0.01);
  });

  test.each([0, 5, 27])('is refused without its character %i, with one more, and cut short', (at) => {
    const code = plain(productCode('enrolment code', new Uint8Array(16).fill(7)));
    for (const wrong of [without(code, at), `${code}0`, code.slice(0, 12), ''])
      expect(productCodeProblem(wrong, 'enrolment code')).toMatch(/^has \d+ characters without its hyphens, .* has 28/);
  });

  test.each([
    [
      'enrolment code',
      'product key',
      /^is the product key of a product, which begins with P; its enrolment code begins with E$/,
    ],
    [
      'product key',
      'enrolment code',
      /^is the enrolment code of a product, which begins with E; its product key begins with P$/,
    ],
  ] as const)('is no %s where it is a %s', (wanted, given, problem) => {
    expect(productCodeProblem(productCode(given, new Uint8Array(16)), wanted)).toMatch(problem);
  });

  test('of before is mistyped where its last character is, which is no check character', () => {
    expect(productCodeProblem(`${OLD.slice(0, -1)}1`, 'product key')).toBe(
      'is mistyped. Compare it with the code that the server printed',
    );
  });

  test('is refused with a sign that none has, and that sign alone is repeated', () => {
    expect(productCodeProblem(`${OLD.slice(0, -1)}U`, 'product key')).toBe(
      'holds the character "U", which is in no product key',
    );
  });

  test.each(KINDS)('may be an old %s, without letter and check', (kind) => {
    expect(productCodeProblem(OLD, kind)).toBeNull();
    // The last two of its bits are zero.
    expect(productCodeProblem(`${OLD.slice(0, -1)}H`, kind)).toMatch(/^is mistyped/);
  });
});

test.each(['gate-04hmasw9', 'ABCD-EFGH', 'x'.repeat(64)])('%s is no secret', (text) => {
  expect(isProductCodeLike(text)).toBe(false);
});
