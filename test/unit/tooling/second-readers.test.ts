/** The second readers of audit, history and settings find what the first ones are there for. */
import { createSecretKey } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { factsOfSettings } from '@relaygate/device-agent/agent/history/facts';
import { textOfHead, textOfLines } from '@relaygate/device-agent/agent/history/history-text';
import { checkpointEntry, signCheckpoint } from '@relaygate/server/audit/checkpoint';
import type { HistoryEntry } from '@relaygate/shared';
import { parseDeviceSettings } from '@relaygate/shared/device';
import { writtenHistory } from '../../support/device/written-history';
import { writtenSettings } from '../../support/device/written-settings';
import { type ChainRow, chainProblems } from '../../support/server/audit-chain';
import { AuditMaker } from '../../support/server/audit-maker';

describe('the audit', () => {
  const KEY = createSecretKey(Buffer.alloc(32, 1));

  /** As the server makes them: 1 to 3 begin the registry and `a`, 4 and 5 begin `b`, 6 is a checkpoint of `a`, 7 and 8 are `b`'s. */
  function rows(): ChainRow[] {
    const audit = new AuditMaker().add('a').add('b');
    audit
      .add('a', checkpointEntry(signCheckpoint(KEY, 1, audit.heads())))
      .add('b', { kind: 'database-restored' })
      .add('b');
    return audit.records.flatMap((record) => (record.format === 2 ? [record] : []));
  }

  test('as the server writes it is whole', () => {
    expect(chainProblems(rows())).toEqual([]);
  });

  /** Changes the row of this id. */
  const change = (id: number, changes: Partial<ChainRow>) => (all: ChainRow[]) =>
    all.map((row) => (row.id === id ? { ...row, ...changes } : row));

  test.each<[string, (all: ChainRow[]) => ChainRow[], RegExp]>([
    ['a text that was changed', change(3, { body: '{"details":{}}' }), /changed/],
    ['a kind that was changed', change(3, { kind: 'command' }), /changed/],
    ['a time that was changed', change(3, { atMs: 77 }), /changed/],
    ['a record that is gone', (all) => all.filter(({ id }) => id !== 5), /record 7 .*it follows 0/],
    [
      'two that have changed places',
      (all) => all.map((row) => ({ ...row, id: row.id === 7 ? 8 : row.id === 8 ? 7 : row.id })),
      /it follows 1/,
    ],
    ['one that another writer claims', change(5, { writer: 2 }), /follows/],
    ['one of a writer that nobody added', change(5, { writer: 9 }), /no record has added its writer/],
    ['heads that are not those of the chains', (all) => all.filter(({ id }) => id !== 3), /its heads are not those/],
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
    inputs: [
      { kind: 'tamper', numInput: 3, name: 'Lid', activeLevel: 'low' },
      { kind: 'contact', numInput: 0, name: 'Gate closed' },
    ],
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
