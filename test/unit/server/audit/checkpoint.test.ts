import { createSecretKey } from 'node:crypto';
import { expect, test } from '@jest/globals';
import {
  checkpointEntry,
  checkpointIn,
  checkpointText,
  headText,
  macVerdict,
  parseCheckpoint,
  parseHead,
  signCheckpoint,
} from '@relaygate/server/audit/checkpoint';

const KEY = createSecretKey(Buffer.alloc(32, 1));
const OTHER_KEY = createSecretKey(Buffer.alloc(32, 2));
const head = (writer: string, seq: number) => ({ writer, seq, hash: `${seq % 10}`.repeat(64) });
const HEADS = [head('node-1', 12), head('@writers', 2)];

test('is the same in a record and in a file, whatever order its heads came in', () => {
  const checkpoint = signCheckpoint(KEY, 1_700_000_000_123, HEADS);
  expect(signCheckpoint(KEY, 1_700_000_000_123, [...HEADS].reverse())).toEqual(checkpoint);
  const { atMs, details = {} } = checkpointEntry(checkpoint);
  expect(checkpointIn(atMs, details)).toEqual(checkpoint);
  expect(parseCheckpoint(checkpointText(checkpoint))).toEqual(checkpoint);
});

test('holds for the key that made it only, and for all that it says', () => {
  const made = signCheckpoint(KEY, 5, HEADS);
  expect(macVerdict(KEY, made)).toBe('good');
  expect(macVerdict(OTHER_KEY, made)).toBe('other-key');
  expect(macVerdict(KEY, { ...made, atMs: 6 })).toBe('bad');
  expect(macVerdict(KEY, { ...made, heads: made.heads.slice(1) })).toBe('bad');
  expect(macVerdict(KEY, { ...made, heads: made.heads.map((one) => ({ ...one, seq: one.seq + 1 })) })).toBe('bad');
  expect(macVerdict(KEY, { ...made, mac: made.mac.slice(1) })).toBe('bad');
});

test('says nothing of its key', () => {
  const text = checkpointText(signCheckpoint(KEY, 5, HEADS));
  for (const encoding of ['hex', 'base64', 'base64url'] as const)
    expect(text).not.toContain(KEY.export().toString(encoding));
});

test.each([
  ['no JSON', 'heads'],
  ['another file', '{"heads":[]}'],
  ['a list', '[]'],
  ['a head that is none', checkpointText(signCheckpoint(KEY, 5, HEADS)).replace('node-1:12:', 'node-1:')],
  ['no time', checkpointText(signCheckpoint(KEY, 5, HEADS)).replace('1970-', 'x')],
  ['no MAC', checkpointText(signCheckpoint(KEY, 5, HEADS)).replace('"mac"', '"mic"')],
])('%s is no file of a checkpoint', (_, text) => {
  expect(parseCheckpoint(text)).toBeUndefined();
});

test('a head is read as it is printed', () => {
  for (const one of HEADS) expect(parseHead(headText(one))).toEqual(one);
  for (const text of ['', 'cli:1', `cli:01:${'0'.repeat(64)}`, `:1:${'0'.repeat(64)}`, `cli:1:${'0'.repeat(63)}`])
    expect(parseHead(text)).toBeUndefined();
});
