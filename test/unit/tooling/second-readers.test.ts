/** The second readers of audit, history and settings find what the first ones are there for. */
import { describe, expect, test } from '@jest/globals';
import { factsOfSettings } from '@relaygate/device-agent/agent/history/facts';
import { textOfHead, textOfLines } from '@relaygate/device-agent/agent/history/history-text';
import { nextRecord } from '@relaygate/server/audit/audit-record';
import type { HistoryEntry } from '@relaygate/shared';
import { parseDeviceSettings } from '@relaygate/shared/device';
import { type ChainRow, chainProblems } from '../../support/audit-chain';
import { writtenHistory } from '../../support/device/written-history';
import { writtenSettings } from '../../support/device/written-settings';

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

describe('the settings', () => {
  const named = { name: 'Gate', mode: 'impulse', pulseMs: 500, activeLevel: 'low', powerOn: 'off' };
  const settings = {
    board: { kind: 'simulated' },
    outputs: [
      named,
      { ...named, mode: 'on-off', interlock: 'pair', maxOnMs: 700, feedbackInput: 1, onLinkLoss: 'off' },
    ],
    link: { serverUrl: 'wss://relaygate.example', serverName: 'relaygate.example', productLogin: 'gate' },
    requireProof: true,
  };

  test('are what the device makes of them, with every default', () => {
    const parsed = parseDeviceSettings(settings);
    if (!parsed.ok) throw new Error(parsed.problem);
    expect(writtenSettings(JSON.stringify(settings))?.facts).toEqual(factsOfSettings(parsed.value));
  });

  test('with a mode that there is not are none', () => {
    expect(writtenSettings(JSON.stringify(settings).replace('on-off', 'sometimes'))).toBeNull();
  });
});

function none(): never {
  throw new Error('there is none');
}
