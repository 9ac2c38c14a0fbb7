import { describe, expect, test } from '@jest/globals';
import { type AuditRecord, chainFault, GENESIS_HEAD, nextRecord } from '@relaygate/server/audit/audit-record';

function chainOf(length: number): AuditRecord[] {
  const chain: AuditRecord[] = [];
  for (let n = 0; n < length; n += 1)
    chain.push(nextRecord('node-1', chain.at(-1), { kind: 'associated', atMs: n, clientId: `c${n}` }));
  return chain;
}

/** The seq of each record that does not continue the chain, and how. */
function faults(chain: readonly AuditRecord[]): [number, string][] {
  return chain.flatMap((record, index) => {
    const fault = chainFault(chain[index - 1] ?? GENESIS_HEAD, record);
    return fault ? [[record.seq, fault]] : [];
  });
}

describe('the audit chain of a writer', () => {
  test('is sound as it was written', () => {
    expect(faults(chainOf(5))).toEqual([]);
  });

  test.each<[string, (chain: AuditRecord[]) => AuditRecord[], [number, string][]]>([
    [
      'a changed record',
      (chain) =>
        chain.map((record) => (record.seq === 3 ? { ...record, body: record.body.replace('c2', 'c9') } : record)),
      [[3, 'changed']],
    ],
    ['a removed record', (chain) => chain.filter((record) => record.seq !== 2), [[3, 'missing']]],
    ['a removed first record', (chain) => chain.slice(1), [[2, 'missing']]],
    [
      'two records that changed places, with their numbers',
      ([a, b, c, ...rest]) => (a && b && c ? [a, { ...c, seq: 2 }, { ...b, seq: 3 }, ...rest] : []),
      [
        [2, 'does-not-follow'],
        [3, 'does-not-follow'],
        [4, 'does-not-follow'],
      ],
    ],
    [
      'a record changed together with its own hash',
      (chain) =>
        chain.map((record) =>
          record.seq === 2 ? { ...nextRecord('node-1', chain[0], { kind: 'dissociated', atMs: 1 }) } : record,
        ),
      [[3, 'does-not-follow']],
    ],
  ])('shows %s', (_name, tamper, expected) => {
    expect(faults(tamper(chainOf(5)))).toEqual(expected);
  });
});
