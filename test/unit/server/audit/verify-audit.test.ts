import { createSecretKey } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { NOTHING_RECORDED } from '@relaygate/server/audit/archive-text';
import { recordHash, type WriterHead } from '@relaygate/server/audit/audit-record';
import type { AuditReport } from '@relaygate/server/audit/audit-report';
import type { AuditFacts, ProductName, StoredAuditRecord, StoredRecord } from '@relaygate/server/audit/audit-store';
import { checkpointEntry, signCheckpoint } from '@relaygate/server/audit/checkpoint';
import type { OutsideEvidence } from '@relaygate/server/audit/kept-outside';
import { verifyAudit } from '@relaygate/server/audit/verify-audit';
import { AuditMaker, auditOf } from '../../../support/server/audit-maker';

const KEY = createSecretKey(Buffer.alloc(32, 1));
const OTHER_KEY = createSecretKey(Buffer.alloc(32, 2));

function verify(
  audit: AuditMaker,
  {
    outside = {},
    stored = audit.heads(),
    ...more
  }: {
    outside?: OutsideEvidence;
    stored?: WriterHead[] | undefined;
    facts?: Partial<AuditFacts>;
    products?: ProductName[];
    storeFaults?: string[];
  } = {},
): Promise<AuditReport> {
  return verifyAudit(
    auditOf(audit.records, () => stored, more),
    outside,
  );
}

function brief({ findings }: AuditReport): string[] {
  return findings.map(({ writer, seq, fault }) => `${writer} ${seq} ${fault}`);
}

/** As the server appends it. */
function checkpoint(audit: AuditMaker, writer = 'a', key = KEY): AuditMaker {
  return audit.add(writer, checkpointEntry(signCheckpoint(key, 7, audit.heads())));
}

/** The same records and heads, of which a test may change one. */
function two(fill: (audit: AuditMaker) => AuditMaker): AuditMaker {
  return fill(new AuditMaker());
}

function change(record: StoredAuditRecord, changes: Partial<StoredRecord>): void {
  Object.assign(record, changes);
}

function remove(audit: AuditMaker, ...records: StoredAuditRecord[]): void {
  audit.records = audit.records.filter((one) => !records.includes(one));
}

/** Whoever knows the format writes the record's hash anew. */
function rehash(record: StoredAuditRecord, previousHash: string): void {
  if (record.format === 2) record.hash = recordHash(previousHash, record);
}

/** Ids 1 to 8: the registry's two of `a`, `a` 1 and 2, the registry's one of `b`, `b` 1, `a` 3, `b` 2. */
const filled = () => two((audit) => audit.add('a').add('a').add('b').add('a').add('b'));

describe('a sound audit', () => {
  test('has no findings, and a head for each writer and for the registry', async () => {
    const audit = filled();
    expect(await verify(audit)).toEqual({
      records: 8,
      heads: ['@writers', 'a', 'b'].map((name) => audit.headOf(name)),
      findings: [],
      faults: 0,
      unconfirmed: [
        { writer: '@writers', fromSeq: 1, toSeq: 3 },
        { writer: 'a', fromSeq: 1, toSeq: 3 },
        { writer: 'b', fromSeq: 1, toSeq: 2 },
      ],
      checkpoints: { good: 0, unchecked: 0 },
    });
  });

  test('may be empty', async () => {
    expect(await verify(new AuditMaker())).toMatchObject({ records: 0, heads: [], faults: 0, unconfirmed: [] });
  });

  test('is read beyond one page, and says how far it is', async () => {
    const audit = two((made) => Array.from({ length: 2_498 }).reduce((all: AuditMaker) => all.add('a'), made));
    const progress: number[] = [];
    const report = await verifyAudit(
      auditOf(audit.records, () => audit.heads()),
      {},
      (records) => progress.push(records),
    );
    expect(report).toMatchObject({ records: 2_500, faults: 0 });
    expect(progress).toEqual([1_000, 2_000, 2_500]);
  });

  test('of the first format goes on in the second, each chain behind its old end', async () => {
    const audit = two((made) => made.old('a').old('b').old('a').add('a').add('c').add('a'));
    const report = await verify(audit);
    expect(report).toMatchObject({ records: 9, faults: 0 });
    expect(report.heads.map(({ writer, seq }) => `${writer} ${seq}`)).toEqual(['@writers 3', 'a 4', 'b 1', 'c 1']);
    // A head that was noted before the second format.
    const expected = [{ writer: 'a', seq: 2, hash: audit.record('a', 2).hash }];
    expect(await verify(audit, { outside: { expected } })).toMatchObject({ faults: 0 });
  });

  test('of the first format alone, from before heads were stored, is read too', async () => {
    const audit = two((made) => made.old('a').old('b'));
    const report = await verifyAudit(auditOf(audit.records, () => undefined));
    expect(report).toMatchObject({ records: 2, faults: 0 });
  });

  test('jumps at a restore, and only there', async () => {
    const audit = two((made) => made.add('a').add('a', { kind: 'database-restored' }).add('a'));
    expect(await verify(audit)).toMatchObject({ faults: 0 });
    expect(audit.headOf('a').seq).toBe(1_000_002);
    for (const record of audit.records.slice(2)) if (record.format === 2 && record.seq > 1) record.seq += 1;
    expect((await verify(audit)).faults).toBeGreaterThan(0);
  });

  test('is confirmed up to its newest checkpoint, by whoever has the key', async () => {
    const audit = checkpoint(filled()).add('b');
    expect(await verify(audit, { outside: { key: KEY } })).toMatchObject({
      faults: 0,
      checkpoints: { good: 1, unchecked: 0 },
      unconfirmed: [
        { writer: 'a', fromSeq: 4, toSeq: 4 },
        { writer: 'b', fromSeq: 3, toSeq: 3 },
      ],
    });
    const report = await verify(audit, { outside: { checkpoint: signCheckpoint(KEY, 7, audit.heads()) } });
    expect(report).toMatchObject({ faults: 0, checkpoints: { good: 0, unchecked: 1 } });
    expect(report.unconfirmed).toHaveLength(3);
  });

  test('is confirmed whole by heads or by a checkpoint from outside', async () => {
    const audit = filled();
    const expected = audit.heads();
    expect((await verify(audit, { outside: { expected } })).unconfirmed).toEqual([]);
    const outside = { checkpoint: signCheckpoint(KEY, 7, expected), key: KEY };
    const { unconfirmed, checkpoints } = await verify(audit, { outside });
    expect({ unconfirmed, checkpoints }).toEqual({
      unconfirmed: [],
      checkpoints: { good: 0, unchecked: 0, outside: { atMs: 7, authentic: true }, newestGoodAtMs: 7 },
    });
  });
});

describe('what was tampered with is named by its writer and seq', () => {
  test.each<[string, (audit: AuditMaker) => void, string[]]>([
    ['a changed body', (audit) => change(audit.record('a', 2), { body: '{"client":"x"}' }), ['a 2 changed']],
    ['a changed kind', (audit) => change(audit.record('b', 1), { kind: 'outcome' }), ['b 1 changed']],
    ['a changed time', (audit) => change(audit.record('b', 1), { atMs: 1 }), ['b 1 changed']],
    [
      'a changed hash',
      (audit) => change(audit.record('a', 1), { hash: 'f'.repeat(64) }),
      ['a 1 changed', 'a 2 changed'],
    ],
    [
      'a record made again with its own hash',
      (audit) => {
        change(audit.record('a', 2), { body: '{"client":"x"}' });
        rehash(audit.record('a', 2), audit.record('a', 1).hash);
      },
      ['a 3 changed'],
    ],
    ['a removed record', (audit) => remove(audit, audit.record('a', 2)), ['a 2 missing', 'null null totals']],
    [
      'the removed first record of a writer',
      (audit) => remove(audit, audit.record('b', 1)),
      ['b 1 missing', 'null null totals'],
    ],
    ['a record removed from the end', (audit) => remove(audit, audit.record('b', 2)), ['b 2 cut']],
    [
      'a record moved behind others',
      (audit) => change(audit.record('a', 1), { id: 99 }),
      ['a 1 moved', 'null null totals'],
    ],
    [
      'two records that changed places',
      (audit) => {
        change(audit.record('a', 1), { id: 4 });
        change(audit.record('a', 2), { id: 3 });
      },
      ['a 1 moved'],
    ],
    [
      'two records that changed their numbers, too',
      (audit) => {
        const [first, second] = [audit.record('a', 1), audit.record('a', 2)];
        change(first, { id: 4, seq: 2 });
        change(second, { id: 3, seq: 1 });
      },
      ['a 1 changed', 'a 2 changed', 'a 3 changed'],
    ],
    [
      'a record moved to another chain',
      (audit) => {
        const moved = audit.record('b', 2);
        change(moved, { writer: 2, seq: 4 });
      },
      ['a 4 changed', 'b 2 cut', 'a 4 added'],
    ],
    [
      'a chain whose writer nobody added',
      (audit) => {
        const forged = { writer: 9, seq: 1, kind: 'associated', atMs: 1, body: '{}' };
        audit.records.push({ format: 2, id: 9, ...forged, hash: recordHash('0'.repeat(64), forged) });
      },
      ['writer 9 1 forged-writer', 'writer 9 1 added'],
    ],
    [
      'a record that adds a writer, removed',
      (audit) => remove(audit, audit.record('@writers', 3)),
      ['writer 3 1 forged-writer', '@writers 3 cut', 'b 1 cut', 'writer 3 1 added', 'null null totals'],
    ],
  ])('%s', async (_, tamper, expected) => {
    const audit = filled();
    const stored = audit.heads();
    tamper(audit);
    expect(brief(await verify(audit, { stored }))).toEqual(expected);
  });

  test.each<[string, (audit: AuditMaker) => void, string[]]>([
    ['a changed text', (audit) => change(audit.record('a', 2), { body: '{"client":"x"}' }), ['a 2 changed']],
    [
      'a changed kind, by which it is found',
      (audit) => change(audit.record('b', 1), { kind: 'outcome' }),
      ['b 1 changed'],
    ],
    ['a removed record', (audit) => remove(audit, audit.record('a', 2)), ['a 2 missing', 'null null totals']],
    [
      'records removed from the end of the first format',
      (audit) => remove(audit, audit.record('a', 3)),
      ['a 3 missing', 'null null totals'],
    ],
    ['a record moved behind others', (audit) => change(audit.record('a', 1), { id: 3.5 }), ['a 1 moved']],
    [
      'a record added to the first format',
      (audit) => {
        audit.old('a');
        change(audit.records.at(-1) as StoredAuditRecord, { id: 4.5 });
      },
      ['a 4 changed', 'a 4 added', 'null null totals'],
    ],
    ['one added to it behind the second', (audit) => audit.old('a'), ['a 4 does-not-follow', 'a 4 added']],
  ])('of the first format: %s', async (_, tamper, expected) => {
    const audit = two((made) => made.old('a').old('b').old('a').old('a').add('c'));
    const stored = audit.heads();
    tamper(audit);
    const { faults, ...report } = await verify(audit, { stored });
    expect(faults).toBeGreaterThan(0);
    expect(brief({ faults, ...report })).toEqual(expected);
  });

  test('a flood of faults is counted, and its first hundred reported', async () => {
    const audit = two((made) => Array.from({ length: 150 }).reduce((all: AuditMaker) => all.add('a'), made));
    for (const record of audit.records.slice(2)) change(record, { body: '{"x":1}' });
    const report = await verify(audit);
    expect(report.faults).toBe(150);
    expect(report.findings).toHaveLength(100);
  });

  test.each<[string, Partial<AuditFacts>]>([
    ['a client without the record of its creation', { clients: 1 }],
    ['a product without it', { products: 1 }],
    ['a command without its record', { openCommands: ['c1'] }],
  ])('%s', async (_, facts) => {
    expect(brief(await verify(filled(), { facts }))).toEqual(['null null totals']);
  });

  test('a command that has its record is none of those, in both formats', async () => {
    const audit = two((made) => made.old('a', 'command', 'c1').add('a', { kind: 'command', commandId: 'c2' }));
    expect(await verify(audit, { facts: { openCommands: ['c1', 'c2'] } })).toMatchObject({ faults: 0 });
  });

  test.each<[string, ProductName[], string[]]>([
    ['the same', [{ productId: 7, productLogin: 'gate' }], []],
    ['another login', [{ productId: 7, productLogin: 'door' }], ['its id stands for door now']],
    ['another id', [{ productId: 8, productLogin: 'gate' }], ['no product has its id now']],
  ])('of a product that has %s now', async (_, products, expected) => {
    const details = { login: 'gate', outputCount: 1 };
    const audit = two((made) => made.add('a', { kind: 'product-created', details }, { productId: 7 }));
    const { findings } = await verify(audit, { products, facts: { products: 1 } });
    expect(findings.map(({ text }) => text.split(/but |: /)[1])).toEqual(expected);
  });

  test('what the store says of itself is a finding', async () => {
    const { findings } = await verify(filled(), { storeFaults: ['a trigger is gone'] });
    expect(findings).toEqual([{ writer: null, seq: null, fault: 'totals', text: 'a trigger is gone' }]);
  });
});

describe('what was made anew together with all that the database knows of it', () => {
  /** Whoever can write the database cuts it to this, with heads and all. */
  const older = () => two((audit) => checkpoint(audit.add('a').add('b')));
  const whole = () => checkpoint(older().add('b').add('a'));
  const evidence = (audit: AuditMaker) => ({ checkpoint: signCheckpoint(KEY, 9, audit.heads()), key: KEY });

  test('if the tail is cut to a checkpoint, the report says of when that one is', async () => {
    const newest = async (outside: OutsideEvidence) => (await verify(older(), { outside })).checkpoints.newestGoodAtMs;
    expect(await newest({ key: KEY })).toBe(7);
    expect(await newest({ key: KEY, checkpoint: signCheckpoint(KEY, 9, older().heads()) })).toBe(9);
    expect(await newest({ key: KEY, checkpoint: signCheckpoint(KEY, 1, older().heads()) })).toBe(7);
    expect(await newest({ key: OTHER_KEY })).toBeUndefined();
    expect(await newest({})).toBeUndefined();
  });

  test('a cut tail is found by the checkpoint from outside, and by a noted head alone', async () => {
    expect(await verify(older(), { outside: { key: KEY } })).toMatchObject({ faults: 0 });
    expect(brief(await verify(older(), { outside: evidence(whole()) }))).toEqual(['a 3 cut', 'b 2 cut']);
    const expected = [whole().headOf('b')];
    expect(brief(await verify(older(), { outside: { expected } }))).toEqual(['b 2 cut']);
  });

  test('another tail is found by them, too', async () => {
    const other = checkpoint(older().add('b', { kind: 'dissociated' }).add('a'));
    expect(brief(await verify(other, { outside: evidence(whole()) }))).toContain('b 2 changed');
  });

  test('a chain made anew from a record on is found by the checkpoint behind that record', async () => {
    const forged = two((audit) => audit.add('a').add('b', { clientId: 'somebody else' }));
    const { atMs, heads } = signCheckpoint(KEY, 7, forged.heads());
    const { mac, keyId } = signCheckpoint(KEY, 7, older().heads());
    forged.add('a', checkpointEntry({ atMs, heads, keyId, mac }));
    expect(brief(await verify(forged, { outside: { key: KEY } }))).toEqual(['a 2 bad-mac']);
    const kept = two((audit) => audit.add('a').add('b', { clientId: 'somebody else' }));
    const plain = two((audit) => audit.add('a').add('b'));
    kept.add('a', checkpointEntry(signCheckpoint(KEY, 7, plain.heads())));
    expect(brief(await verify(kept, { outside: { key: KEY } }))).toEqual(['b 1 changed']);
  });

  test('a writer that was added before a checkpoint is found by it', async () => {
    const forged = two((audit) => audit.add('a').add('b').add('ghost'));
    forged.add('a', checkpointEntry(signCheckpoint(KEY, 7, older().heads())));
    expect(brief(await verify(forged, { outside: { key: KEY } }))).toContain('ghost 1 forged-writer');
  });

  test('a file that was forged is found by its MAC, and confirms nothing', async () => {
    const { atMs, keyId, mac } = signCheckpoint(KEY, 9, whole().heads());
    const outside = { checkpoint: { atMs, heads: older().heads(), keyId, mac }, key: KEY };
    const report = await verify(older(), { outside });
    expect(brief(report)).toEqual(['null null bad-mac']);
    expect(report.unconfirmed.length).toBeGreaterThan(0);
  });

  test('a file of another key is a finding, is compared, and confirms nothing', async () => {
    const outside = { checkpoint: signCheckpoint(OTHER_KEY, 9, whole().heads()), key: KEY };
    const report = await verify(older(), { outside });
    expect(report.checkpoints.outside).toEqual({ atMs: 9, authentic: false });
    expect(brief(report)).toEqual(['null null other-key', 'a 3 cut', 'b 2 cut']);
    const same = await verify(whole().add('a'), { outside });
    expect(same.unconfirmed).toContainEqual({ writer: 'a', fromSeq: 4, toSeq: 5 });
  });

  describe('with a key of the forger', () => {
    const forged = () =>
      checkpoint(
        checkpoint(
          two((audit) => audit.add('a').add('b')),
          'a',
          OTHER_KEY,
        ),
        'b',
        OTHER_KEY,
      );
    const fileOf = (audit: AuditMaker) => signCheckpoint(OTHER_KEY, 9, audit.heads());

    test('is found by whoever has the key', async () => {
      const report = await verify(forged(), { outside: { key: KEY, checkpoint: fileOf(forged()) } });
      expect(brief(report)).toEqual(['a 2 other-key', 'null null other-key']);
      expect(report.findings[0]?.text).toContain('made 2 checkpoints');
      expect(report.unconfirmed.map(({ writer }) => writer)).toEqual(['@writers', 'a', 'b']);
    });

    test('is confirmed by nothing for whoever has no key', async () => {
      const report = await verify(forged(), { outside: { checkpoint: fileOf(forged()) } });
      expect(report.unconfirmed.map(({ writer }) => writer)).toEqual(['@writers', 'a', 'b']);
    });

    test('is found also if the forger says that the key was changed', async () => {
      const audit = forged();
      audit.add('a', checkpointEntry(signCheckpoint(OTHER_KEY, 8, audit.heads()), 'audit-key-changed'));
      const { findings } = await verify(audit, { outside: { key: KEY } });
      expect(findings.map(({ fault }) => fault)).toEqual(['other-key']);
    });
  });

  test('checkpoints of older keys are no findings before a change that the key of today signs', async () => {
    const audit = checkpoint(
      two((made) => made.add('a').add('b')),
      'a',
      OTHER_KEY,
    );
    const checkpointBefore = signCheckpoint(OTHER_KEY, 9, audit.heads());
    audit.add('a', { ...checkpointEntry(signCheckpoint(KEY, 8, audit.heads()), 'audit-key-changed') });
    const report = await verify(audit, { outside: { key: KEY, checkpoint: checkpointBefore } });
    expect(report).toMatchObject({ faults: 0, checkpoints: { good: 1, unchecked: 1, keyChangedAtMs: 8 } });
    expect(report.unconfirmed).toEqual([{ writer: 'a', fromSeq: 3, toSeq: 3 }]);
    expect(brief(await verify(checkpoint(audit, 'b', OTHER_KEY), { outside: { key: KEY } }))).toEqual([
      'b 2 other-key',
    ]);
  });

  test('what a restore has undone is reported as undone, if a head of it was noted', async () => {
    const restored = older().add('b', { kind: 'database-restored' });
    const expected = [whole().headOf('b')];
    expect((await verify(restored, { outside: { expected } })).findings).toEqual([
      { writer: 'b', seq: 2, fault: 'cut', text: 'a restore has undone record 2' },
    ]);
  });
});

describe('what the store itself keeps', () => {
  test('a chain of which it keeps no head was added', async () => {
    const audit = filled();
    const stored = audit.heads().filter(({ writer }) => writer !== 'b');
    expect(brief(await verify(audit, { stored }))).toEqual(['b 1 added']);
  });

  test('records that are written while the audit is read are none of the added', async () => {
    const audit = two((made) => made.add('a').add('a'));
    const stored = [[{ ...audit.headOf('a'), seq: 1 }, audit.headOf('@writers')], audit.add('a').heads()];
    const read = audit.records.slice(0, 4);
    expect(brief(await verifyAudit(auditOf(read, () => stored.shift())))).toEqual([]);
  });
});

test('checkpoints that are appended while the audit is read make no file old', async () => {
  const audit = checkpoint(filled());
  const outside = { key: KEY, checkpoint: signCheckpoint(KEY, 7, audit.heads()) };
  const stored = [audit.heads()];
  for (let n = 0; n < 9; n += 1) checkpoint(audit.add('b'));
  const report = await verifyAudit(
    auditOf(audit.records, () => stored.shift() ?? audit.heads()),
    outside,
  );
  expect(report).toMatchObject({ findings: [], checkpoints: { good: 10 } });
  expect(report.checkpoints.newer).toBeUndefined();
});

test('what was kept outside is read again when the reading begins again', async () => {
  const audit = checkpoint(filled());
  const evidence = () => ({ key: KEY, checkpoint: signCheckpoint(KEY, 7, audit.heads()) });
  const archive = { file: 'a.gz', fromId: 1, toId: 0, sha256: 'ff', state: NOTHING_RECORDED };
  const archives = [[], [archive]];
  const store = auditOf(audit.records, () => audit.heads());
  const archivedMeanwhile: typeof store = {
    ...store,
    async auditArchives() {
      const now = archives.shift();
      if (now?.length === 1) for (let n = 0; n < 9; n += 1) checkpoint(audit.add('b'));
      return now ?? [archive];
    },
    readAudit: (afterId, limit) => auditOf(audit.records, () => audit.heads()).readAudit(afterId, limit),
  };
  const { findings, checkpoints } = await verifyAudit(archivedMeanwhile, evidence);
  expect(findings.map(({ fault }) => fault)).toEqual(['archive']);
  expect(checkpoints.newer).toBeUndefined();
});

test.each<[number, boolean, string[]]>([
  [3, false, []],
  [4, false, ['null null checkpoint']],
  [4, true, []],
])(
  'a checkpoint file that lacks the %i newest checkpoints (may be old: %s) is named',
  async (newer, mayBeOld, expected) => {
    const audit = checkpoint(filled());
    const outside = { key: KEY, checkpoint: signCheckpoint(KEY, 7, audit.heads()), mayBeOld };
    expect((await verify(audit, { outside })).checkpoints.newer).toBeUndefined();
    for (let n = 0; n < newer; n += 1) checkpoint(audit.add('b'));
    const report = await verify(audit, { outside });
    expect(brief(report)).toEqual(expected);
    expect(report.checkpoints.newer).toBe(newer);
  },
);
