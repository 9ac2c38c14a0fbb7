import { describe, expect, test } from '@jest/globals';
import { nextRecord, type WriterHead } from '@relaygate/server/audit/audit-record';
import type { AuditTotals, StoredAuditRecord } from '@relaygate/server/audit/audit-store';
import { type AuditReport, verifyAudit } from '@relaygate/server/audit/verify-audit';

/** Records of several writers in turn, as a store keeps them. */
function recordsOf(...writers: string[]): StoredAuditRecord[] {
  const records: StoredAuditRecord[] = [];
  for (const [index, writer] of writers.entries()) {
    const last = records.findLast((record) => record.writer === writer);
    const entry = { kind: 'command', atMs: index, commandId: `c${index}` } as const;
    records.push({ ...nextRecord(writer, last, entry), id: index + 1, kind: 'command', commandId: entry.commandId });
  }
  return records;
}

const CREATED = { clients: 0, clientsCreated: 0, products: 0, productsCreated: 0 };
const AGREED = { ...CREATED, openCommandsWithoutRecord: 0 };

function verify(
  records: readonly StoredAuditRecord[],
  {
    expected = [],
    kept,
    keptLater = kept,
    totals = {},
    storeFaults = Math.max(0, ...records.map(({ id }) => id)) === records.length ? [] : ['some are missing'],
  }: Partial<{
    expected: WriterHead[];
    kept: WriterHead[];
    /** Once the records have been read. */
    keptLater: WriterHead[];
    totals: Partial<AuditTotals>;
    storeFaults: string[];
  }> = {},
): Promise<AuditReport> {
  let headReads = 0;
  return verifyAudit(
    {
      auditWriters: async () => [...new Set(records.map(({ writer }) => writer))].sort(),
      readAudit: async (writer, afterSeq, limit) =>
        records
          .filter((record) => record.writer === writer && record.seq > afterSeq)
          .sort((a, b) => a.seq - b.seq)
          .slice(0, limit),
      auditHeads: async () => {
        headReads += 1;
        return headReads === 1 ? kept : keptLater;
      },
      auditTotals: async () => ({
        records: records.length,
        ...AGREED,
        ...totals,
      }),
      auditStoreFaults: async () => storeFaults,
    },
    expected,
  );
}

function brief({ findings }: AuditReport): string[] {
  return findings.map(({ writer, seq, fault }) => `${writer} ${seq} ${fault}`);
}

function headOf(records: readonly StoredAuditRecord[], writer: string): WriterHead {
  const { seq = 0, hash = '' } = records.findLast((record) => record.writer === writer) ?? {};
  return { writer, seq, hash };
}

describe('a sound audit', () => {
  test('has no findings, and a head for each writer', async () => {
    const records = recordsOf('a', 'b', 'a', 'a');
    const report = await verify(records);
    expect(report).toEqual({
      records: 4,
      heads: [headOf(records, 'a'), headOf(records, 'b')],
      findings: [],
      faults: 0,
      unconfirmed: [
        { writer: 'a', fromSeq: 1, toSeq: 3 },
        { writer: 'b', fromSeq: 1, toSeq: 1 },
      ],
    });
  });

  test('says which records no head from outside confirms', async () => {
    const records = recordsOf('a', 'b', 'a', 'b', 'c');
    const expected = [headOf(records.slice(0, 3), 'a'), headOf(records.slice(0, 2), 'b')];
    expect((await verify(records, { expected })).unconfirmed).toEqual([
      { writer: 'b', fromSeq: 2, toSeq: 2 },
      { writer: 'c', fromSeq: 1, toSeq: 1 },
    ]);
  });

  test('may be empty', async () => {
    expect(await verify([])).toEqual({ records: 0, heads: [], findings: [], faults: 0, unconfirmed: [] });
  });

  test('is read beyond one page, and says how far it is', async () => {
    const records = recordsOf(...Array.from({ length: 2_500 }, () => 'a'));
    expect(await verify(records)).toMatchObject({ records: 2_500, faults: 0 });
  });

  test('still has a head that was noted when it was shorter', async () => {
    const records = recordsOf('a', 'a', 'a');
    expect(await verify(records, { expected: [headOf(records.slice(0, 2), 'a')] })).toMatchObject({ faults: 0 });
  });
});

describe('what was tampered with is named by its writer and seq', () => {
  const records = recordsOf('a', 'b', 'a', 'b', 'a');
  const changed = (id: number, changes: Partial<StoredAuditRecord>) =>
    records.map((record) => (record.id === id ? { ...record, ...changes } : record));
  const without = (...ids: number[]) => records.filter(({ id }) => !ids.includes(id));

  test.each<[string, readonly StoredAuditRecord[], string[]]>([
    ['a changed text', changed(3, { body: '{}' }), ['a 2 changed']],
    ['a changed kind, by which it is found', changed(4, { kind: 'outcome' }), ['b 2 changed']],
    ['a command that the record was moved to', changed(4, { commandId: 'c9' }), ['b 2 changed']],
    ['a record moved in the order of commits', changed(5, { id: 2 }), ['a 3 does-not-follow', 'null null totals']],
    ['a changed hash of its own', changed(1, { hash: 'f'.repeat(64) }), ['a 1 changed', 'a 2 does-not-follow']],
    ['a record slipped in before the first', changed(1, { seq: 0 }), ['a 0 does-not-follow', 'a 1 missing']],
    ['a removed record', without(3), ['a 2 missing', 'null null totals']],
    ['records removed from the end, where others follow', without(4), ['null null totals']],
  ])('%s', async (_, tampered, expected) => {
    expect(brief(await verify(tampered))).toEqual(expected);
  });

  test('a fault in one chain does not hide one in another, or a later one', async () => {
    const tampered = records.map((record) =>
      record.id === 1 || record.id === 2 || record.id === 5 ? { ...record, body: '{}' } : record,
    );
    expect(brief(await verify(tampered))).toEqual(['a 1 changed', 'a 3 changed', 'b 1 changed']);
  });

  test('a chain made anew from a changed record on is shown by a noted head only', async () => {
    const forged = recordsOf('a', 'b', 'a', 'b', 'a').map((record) => ({ ...record }));
    const other = nextRecord('a', forged[2], { kind: 'command', atMs: 99, commandId: 'c4' });
    forged[4] = { ...other, id: 5, kind: 'command', commandId: 'c4' };
    expect(await verify(forged)).toMatchObject({ faults: 0 });
    expect(brief(await verify(forged, { expected: [headOf(records, 'a')] }))).toEqual(['a 3 changed']);
  });

  test('a chain that was cut ends before its noted head', async () => {
    const expected = [headOf(records, 'a'), headOf(records, 'b')];
    expect(brief(await verify(without(5), { expected }))).toEqual(['a 3 cut']);
    expect(brief(await verify([], { expected }))).toEqual(['a 1 cut', 'b 1 cut']);
  });

  test.each<[Partial<AuditTotals>]>([
    [{ clients: 1 }],
    [{ products: 2, productsCreated: 1 }],
    [{ openCommandsWithoutRecord: 1 }],
  ])('records that disagree with the rest of the database: %p', async (totals) => {
    expect(brief(await verify(records, { totals }))).toEqual(['null null totals']);
  });

  test('a flood of faults is counted, and its first hundred told', async () => {
    const many = recordsOf(...Array.from({ length: 150 }, () => 'a')).map((record) => ({ ...record, body: '{}' }));
    const report = await verify(many);
    expect(report.faults).toBe(150);
    expect(report.findings).toHaveLength(100);
  });
});

describe('what the store itself keeps', () => {
  test('a record removed from the end is missed by the head that is kept of its chain', async () => {
    const records = recordsOf('a', 'b', 'a');
    const kept = [headOf(records, 'a'), headOf(records, 'b')];
    expect(brief(await verify(records, { kept }))).toEqual([]);
    expect(brief(await verify(records.slice(0, 2), { kept }))).toEqual(['a 2 cut']);
    expect(
      brief(await verify(records.slice(0, 1), { kept: [headOf(records.slice(0, 1), 'a'), headOf(records, 'b')] })),
    ).toEqual(['b 1 cut']);
  });

  test('a chain of a new writer, of which it keeps no head, was added', async () => {
    const records = recordsOf('a', 'b', 'b');
    expect(brief(await verify(records, { kept: [headOf(records, 'a')] }))).toEqual(['b 1 added']);
    expect(brief(await verify(records, { kept: [] }))).toEqual(['a 1 added', 'b 1 added']);
  });

  test('a record moved to the end of another chain was added, and is missed where it was', async () => {
    const records = recordsOf('a', 'b', 'a');
    const kept = [headOf(records, 'a'), headOf(records, 'b')];
    const entry = { kind: 'command', atMs: 2, commandId: 'c2' } as const;
    const moved = { ...nextRecord('b', records[1], entry), id: 3, kind: 'command', commandId: 'c2' };
    const tampered = [...records.slice(0, 2), moved];
    expect(brief(await verify(tampered, { kept }))).toEqual(['a 2 cut', 'b 2 added']);
  });

  test('records that are written while the audit is read are none of the added', async () => {
    const records = recordsOf('a', 'a', 'a');
    expect(
      brief(
        await verify(records.slice(0, 2), {
          kept: [headOf(records.slice(0, 1), 'a')],
          keptLater: [headOf(records, 'a')],
        }),
      ),
    ).toEqual([]);
  });

  test('what the store says of itself is a finding', async () => {
    const { findings } = await verify(recordsOf('a'), { storeFaults: ['a trigger is gone'] });
    expect(findings).toEqual([{ writer: null, seq: null, fault: 'totals', text: 'a trigger is gone' }]);
  });
});
