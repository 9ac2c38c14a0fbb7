import { createSecretKey } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { ArchiveDecoder, ArchiveEncoder, BrokenArchive, NOTHING_RECORDED } from '@relaygate/server/audit/archive-text';
import type { StoredAuditRecord } from '@relaygate/server/audit/audit-store';
import type { RecordFinding } from '@relaygate/server/audit/chain-reader';
import { macVerdict } from '@relaygate/server/audit/checkpoint';
import { AuditMaker } from '../../../support/server/audit-maker';

const KEY = createSecretKey(Buffer.alloc(32, 7));
const AT_MS = Date.UTC(2026, 0, 1);

/** Records of both formats, of writers that began in the first one and of new ones, and a restore. */
function manyRecords(): StoredAuditRecord[] {
  const maker = new AuditMaker().old('cli').old('node-1').old('node-1', 'client-created').old('cli', 'product-created');
  maker.add('node-1', { atMs: 100 }).add('node-2', { kind: 'client-created', atMs: 90 }).add('cli').add('node-1');
  maker.add('node-2', { kind: 'database-restored' }).add('node-2').add('node-1', { kind: 'product-created' });
  return maker.records;
}

const never = (finding: RecordFinding): never => {
  throw new Error(JSON.stringify(finding));
};

/** The lines of an archive of these records, a block for each two. */
function linesOf(records: readonly StoredAuditRecord[], begin = NOTHING_RECORDED, found = never): string[] {
  const encoder = new ArchiveEncoder(begin, KEY, found);
  let text = encoder.begin();
  for (const [n, record] of records.entries()) text += encoder.record(record) + (n % 2 === 1 ? encoder.endBlock() : '');
  text += encoder.endBlock() + encoder.end(KEY, AT_MS);
  return text.split('\n').slice(0, -1);
}

function read(lines: readonly string[]) {
  const findings: RecordFinding[] = [];
  const decoder = new ArchiveDecoder(KEY, (finding) => findings.push(finding));
  const records = lines.flatMap((line) => decoder.take(line) ?? []);
  return { decoder, findings, records };
}

/** What reading throws, or the findings. */
function faultOf(lines: readonly string[]): string {
  try {
    const { decoder, findings } = read(lines);
    if (!decoder.checkpoint) return 'ends too early';
    return findings.map(({ text }) => text).join();
  } catch (error) {
    if (!(error instanceof BrokenArchive)) throw error;
    return error.message;
  }
}

const withoutTime = (record: StoredAuditRecord) => ({ ...record, atMs: record.format === 1 ? 0 : record.atMs });

describe('an archive', () => {
  test('gives back each record as it was, with its id, seq and hashes, and the names of the writers', () => {
    const records = manyRecords();
    const { decoder, findings, records: back } = read(linesOf(records));
    expect(findings).toEqual([]);
    expect(back.map(({ record }) => withoutTime(record))).toEqual(records.map(withoutTime));
    expect(new Set(back.map(({ writer }) => writer))).toEqual(new Set(['cli', 'node-1', 'node-2', '@writers']));
    expect(decoder.state).toMatchObject({ lastId: records.length, clients: 2, products: 2 });
    const { checkpoint } = decoder;
    expect(checkpoint && macVerdict(KEY, checkpoint)).toBe('good');
    expect(checkpoint?.heads).toEqual(decoder.checkpoint?.heads);
  });

  test('goes on where the one before ends, wherever the records are cut', () => {
    const records = manyRecords();
    for (let cut = 0; cut <= records.length; cut += 1) {
      const first = read(linesOf(records.slice(0, cut)));
      const second = read(linesOf(records.slice(cut), first.decoder.state));
      const back = [...first.records, ...second.records].map(({ record }) => withoutTime(record));
      expect(back).toEqual(records.map(withoutTime));
      expect(second.decoder.state).toEqual(read(linesOf(records)).decoder.state);
    }
  });

  test('shows each changed, removed, moved or added line, and its own end', () => {
    const lines = linesOf(manyRecords());
    expect(faultOf(lines)).toBe('');
    for (const n of lines.keys()) {
      const line = lines[n] ?? '';
      const changed = line.replace(/[0-9a-z](?=[^0-9a-z]*$)/, (last) => (last === '7' ? '8' : '7'));
      expect([n, faultOf(lines.with(n, changed))]).not.toEqual([n, '']);
      const removed = [...lines.slice(0, n), ...lines.slice(n + 1)];
      if (line.startsWith('{"upTo"')) continue;
      expect([n, faultOf(removed)]).not.toEqual([n, '']);
      expect([n, faultOf([...lines.slice(0, n), line, ...lines.slice(n)])]).not.toEqual([n, '']);
    }
    expect(faultOf([...lines, lines[1] ?? ''])).toBe('goes on behind its end');
    expect(faultOf(lines.slice(0, -1))).toBe('ends too early');
    expect(faultOf(['{"some":"file"}'])).toBe('is no archive of an audit');
  });

  test('names the block that was changed', () => {
    const lines = linesOf(manyRecords());
    const n = lines.findIndex((line) => line.startsWith('2\t') && line.includes('associated'));
    lines[n] = (lines[n] ?? '').replace('associated', 'dissociated');
    expect(faultOf(lines)).toMatch(/^was changed in the block that begins with record \d+, up to \d+$/);
  });

  test('is made of sound records only', () => {
    const records = manyRecords();
    for (const n of records.keys()) {
      const findings: RecordFinding[] = [];
      const changed = records.map((record, m) => (m === n ? { ...record, body: `${record.body} ` } : record));
      linesOf(changed, NOTHING_RECORDED, ((finding: RecordFinding) => void findings.push(finding)) as typeof never);
      expect(findings.length).toBeGreaterThan(0);
    }
  });
});

test('a command takes at most 150 bytes of a compressed archive', () => {
  const maker = new AuditMaker();
  const hex = (n: number, chars: number): string => n.toString(16).padStart(chars, '0').slice(-chars);
  const random = (n: number): number => Math.floor(Math.abs(Math.sin(n) * 1e10)) % 0xffffff;
  const COMMANDS = 5_000;
  for (let n = 0; n < COMMANDS; n += 1) {
    const atMs = AT_MS + n * 137;
    const tail = `${hex(random(n), 6)}${hex(random(n + 0.5), 6)}${hex(random(n + 0.25), 6)}`;
    const commandId = `${hex(atMs, 12).slice(0, 8)}-${hex(atMs, 12).slice(8)}-7${tail.slice(0, 3)}-8${tail.slice(3, 6)}-${tail.slice(6, 18)}`;
    const asked = { numOutput: n % 4, action: 'toggle', state: null, bootId: 'c7d5c1a2-52f4-4e77-9f7e-0c8e5d6a1b23' };
    maker.add('node-1', {
      kind: 'command',
      atMs,
      clientId: `client${n % 7}-abcdefgh`,
      commandId,
      details: { ...asked, outcome: 'pending' },
    });
    maker.add('node-1', {
      kind: 'outcome',
      atMs: atMs + 43,
      commandId,
      details: { outcome: 'executed', state: n % 2 },
    });
  }
  const sizeBytes = gzipSync(
    linesOf(maker.records)
      .filter((line) => !line.startsWith('{"upTo"'))
      .join('\n'),
  ).length;
  expect(sizeBytes / COMMANDS).toBeLessThan(150);
});
