/** The second readers of audit and history find what the first ones are there for. */
import { describe, expect, test } from '@jest/globals';
import { textOfHead, textOfLines } from '@relaygate/device-agent/agent/history/history-text';
import { nextRecord } from '@relaygate/server/audit/audit-record';
import type { HistoryEntry } from '@relaygate/shared';
import { type ChainRow, chainProblems } from '../../support/audit-chain';
import { writtenHistory } from '../../support/device/written-history';

describe('the audit', () => {
  /** Three records of one writer, and one of another between them, as the server makes them. */
  function rows(): ChainRow[] {
    const ends = new Map<string, ChainRow>();
    return ['a', 'a', 'b', 'a'].map((writer, n) => {
      const row = { id: n + 1, ...nextRecord(writer, ends.get(writer), { kind: 'associated', atMs: n }) };
      ends.set(writer, row);
      return row;
    });
  }

  test('as the server writes it is whole', () => {
    expect(chainProblems(rows())).toEqual([]);
  });

  test.each<[string, (all: ChainRow[]) => ChainRow[], RegExp]>([
    [
      'a text that was changed',
      ([a = none(), ...all]) => [{ ...a, body: a.body.replace('0', '9') }, ...all],
      /changed/,
    ],
    ['a record that is gone', ([a = none(), , ...all]) => [a, ...all], /it follows 1/],
    [
      'two that have changed places',
      ([a = none(), b = none(), ...all]) => [{ ...b, id: 1 }, { ...a, id: 2 }, ...all],
      /follows 0/,
    ],
    ['one that another writer claims', ([a = none(), ...all]) => [{ ...a, writer: 'b' }, ...all], /another place/],
    [
      'one after another record',
      ([a = none(), ...all]) => [{ ...a, previousHash: 'f'.repeat(64) }, ...all],
      /made after another/,
    ],
  ])('finds %s', (_what, spoil, words) => {
    expect(chainProblems(spoil(rows())).join('\n')).toMatch(words);
  });
});

describe('the history', () => {
  const entry = (seq: number, changes: HistoryEntry['changes'] = []): HistoryEntry => ({
    seq,
    actor: 'a',
    kind: 'output',
    changes,
    atMs: null,
    bootId: 'b',
    bootMs: 0,
  });
  const head = textOfHead({ historyId: 'a'.repeat(16), base: new Map([['outputs.0.name', 'Gate']]) });
  const named = entry(1, [{ member: 'outputs.0.name', from: 'Gate', to: 'Door' }]);
  const pin = entry(2, [{ member: 'pin.id', from: null, to: 'x' }]);

  test('as the device writes it is read whole, with what it makes of the settings', () => {
    expect(writtenHistory(head + textOfLines([[named, pin], [entry(3)]]))).toEqual({
      entries: [named, pin, entry(3)],
      facts: new Map([['outputs.0.name', 'Door']]),
    });
  });

  test('a line that was cut short is not there', () => {
    const text = head + textOfLines([[named], [pin]]);
    expect(writtenHistory(text.slice(0, -1))?.entries).toEqual([named]);
    expect(writtenHistory(head.slice(0, -1))).toBeNull();
  });

  test.each([
    ['a torn line in the middle', `${head}{"entr\n${textOfLines([[named]])}`],
    ['entries that changed places', head + textOfLines([[pin], [named]])],
  ])('%s is told', (_what, text) => {
    expect(() => writtenHistory(text)).toThrow();
  });
});

function none(): never {
  throw new Error('there is none');
}
