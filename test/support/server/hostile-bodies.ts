/** Bodies that nobody should send, as bytes: what the JSON parser, the schemas and the limits have to stand (T20). */
import fc from 'fast-check';

/** What a hostile client knows and may use among what it makes up. */
export interface Known {
  readonly productLogin: string;
  readonly productKey: string;
  readonly clientKey: string;
}

const NUMBERS = [
  '0',
  '1',
  '2',
  '4',
  '999',
  '1000',
  '-1',
  '-0',
  '1.5',
  '1e400',
  '1e-7',
  '0.0',
  '"0"',
  '"1"',
  '9007199254740993',
];
const ODD = ['true', 'false', 'null', '[]', '{}', '[0]', '[[]]', '""', '"\\u0000"', '"\\ud800"', '"__proto__"'];
const NAMES = ['productLogin', 'productKey', 'numOutput', 'state', 'clientKey', 'refreshToken'];
const POISON = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'toJSON', 'length', ''];
const MAX_DEPTH = 5_000;
/** A little below and above the 16 KiB that the server takes. */
const SIZES = { min: 16_000, max: 40_000 };

export function hostileBodies({ productLogin, productKey, clientKey }: Known): fc.Arbitrary<Uint8Array> {
  const known = [productLogin, productKey, clientKey].map((text) => JSON.stringify(text));
  const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 40 }), fc.constantFrom('..%2f', '*', '>', '\r\nX: y'));
  const value = fc.oneof(
    { arbitrary: fc.constantFrom(...known, ...NUMBERS), weight: 4 },
    fc.constantFrom(...ODD),
    text.map((content) => JSON.stringify(content)),
    fc.json({ maxDepth: 3 }),
  );
  const name = fc.oneof(
    { arbitrary: fc.constantFrom(...NAMES), weight: 6 },
    fc.constantFrom(...POISON),
    fc.string({ maxLength: 8 }),
  );
  // Names may come twice, which no serializer would write.
  const object = fc
    .array(fc.tuple(name, value), { maxLength: 8 })
    .map((members) => `{${members.map(([key, content]) => `${JSON.stringify(key)}:${content}`).join(',')}}`);
  const plausible = fc
    .record({
      productLogin: fc.constantFrom(...known),
      productKey: fc.constantFrom(...known),
      clientKey: fc.constantFrom(...known),
      refreshToken: value,
      numOutput: fc.constantFrom('0', '1', '2', '3', '4'),
      state: fc.constantFrom('0', '1', '2', 'true'),
    })
    .map(
      (members) =>
        `{${Object.entries(members)
          .map(([key, content]) => `"${key}":${content}`)
          .join(',')}}`,
    );
  const deep = fc
    .tuple(fc.constantFrom('[', '{"a":'), fc.integer({ min: 1, max: MAX_DEPTH }))
    .map(([open, depth]) => open.repeat(depth) + (open === '[' ? ']'.repeat(depth) : `1${'}'.repeat(depth)}`));
  const oversize = fc.integer(SIZES).map((size) => `{"productLogin":"${'x'.repeat(size)}"}`);
  const json = fc.oneof(
    { arbitrary: object, weight: 5 },
    { arbitrary: plausible, weight: 3 },
    value,
    deep,
    oversize,
    fc.string(),
  );
  const bytes = json.map((content) => new TextEncoder().encode(content));
  const broken = fc
    .tuple(bytes, fc.nat(), fc.uint8Array({ minLength: 1, maxLength: 4 }))
    .map(([whole, at, garbage]) => spliced(whole, at % (whole.length + 1), garbage));
  return fc.oneof({ arbitrary: bytes, weight: 5 }, broken, fc.uint8Array({ maxLength: 64 }));
}

function spliced(whole: Uint8Array, at: number, garbage: Uint8Array): Uint8Array {
  return Uint8Array.from([...whole.subarray(0, at), ...garbage, ...whole.subarray(at + garbage.length)]);
}
