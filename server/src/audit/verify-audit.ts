import {
  type AuditRecord,
  type ChainFault,
  type ChainHead,
  chainFault,
  GENESIS_HEAD,
  type WriterHead,
} from './audit-record';
import type { AuditStore, StoredAuditRecord } from './audit-store';

/**
 * `cut`: records are gone from the end of the chain. `added`: records follow the stored head of the chain. `totals`: the
 * records disagree with the rest of the database.
 */
export interface AuditFinding {
  /** Null if the writer is unknown. */
  writer: string | null;
  /** The first record concerned. */
  seq: number | null;
  fault: ChainFault | 'cut' | 'added' | 'totals';
  text: string;
}

export interface AuditReport {
  records: number;
  /** The end of each writer's chain, as it was read. */
  heads: WriterHead[];
  /** The first MAX_FINDINGS; `faults` counts all of them. */
  findings: AuditFinding[];
  faults: number;
  /**
   * Records that no head from outside confirms. Somebody who can write the database could have made them again, moved them
   * between writers or added a writer, and this report would not show it.
   */
  unconfirmed: RecordRange[];
}

/** Both ends are included; the first record has seq 1. */
export interface RecordRange {
  writer: string;
  fromSeq: number;
  toSeq: number;
}

type ReadAudit = Pick<AuditStore, 'readAudit' | 'auditWriters' | 'auditHeads' | 'auditTotals' | 'auditStoreFaults'>;

const PAGE = 1000;
/** One tampering seldom causes more than two findings (I15). */
const MAX_FINDINGS = 100;

/**
 * Reads every chain from its first record, and compares the records with the rest of the database. `expected`: heads that were
 * noted elsewhere and must still be in their chains. Without them, nobody can see that a chain was cut if all other traces
 * in the database were removed as well. `progress` gets the number of records read so far.
 */
export async function verifyAudit(
  store: ReadAudit,
  expected: readonly WriterHead[] = [],
  progress: (records: number) => void = () => {},
): Promise<AuditReport> {
  const report: AuditReport = { records: 0, heads: [], findings: [], faults: 0, unconfirmed: [] };
  const found = (finding: AuditFinding): void => {
    report.faults += 1;
    if (report.findings.length < MAX_FINDINGS) report.findings.push(finding);
  };
  // Read first, because chains only grow while they are read.
  const heads = [...expected, ...((await store.auditHeads()) ?? [])];
  for (const writer of await store.auditWriters()) {
    const noted = heads.filter((head) => head.writer === writer);
    let last: Position = { ...GENESIS_HEAD, id: 0 };
    // Before 1, so that a record that was inserted before the chain is found.
    let afterSeq = Number.MIN_SAFE_INTEGER;
    for (;;) {
      const page = await store.readAudit(writer, afterSeq, PAGE);
      for (const record of page) {
        for (const finding of findingsIn(last, record, noted)) found(finding);
        // The next record is compared with this one, so that one fault gives one finding.
        last = record;
        afterSeq = record.seq;
      }
      report.records += page.length;
      progress(report.records);
      if (page.length < PAGE) break;
    }
    report.heads.push({ writer, seq: last.seq, hash: last.hash });
  }
  report.unconfirmed = unconfirmedRecords(report.heads, expected);
  for (const finding of cutChains(report.heads, heads)) found(finding);
  // Read last, because heads only go up: none of them is behind the records that were read.
  for (const finding of addedRecords(report.heads, await store.auditHeads())) found(finding);
  for (const finding of await disagreements(store)) found(finding);
  return report;
}

interface Position extends ChainHead {
  id: number;
}

function findingsIn(last: Position, record: StoredAuditRecord, noted: readonly WriterHead[]): AuditFinding[] {
  const findings: AuditFinding[] = [];
  const { writer, seq } = record;
  const fault = chainFault(last, record) ?? storedFault(last, record);
  if (fault === 'missing') {
    const [first, end] = [last.seq + 1, seq - 1];
    const which = first === end ? `record ${first} is missing` : `records ${first} to ${end} are missing`;
    findings.push({ writer, seq: first, fault, text: which });
    // The record after the gap may also be changed. Whether it follows the right record is not known any more.
    const own = chainFault({ seq: end, hash: record.previousHash }, record) ?? storedFault(last, record);
    if (own) findings.push({ writer, seq, fault: own, text: TEXTS[own] });
  } else if (fault) findings.push({ writer, seq, fault, text: TEXTS[fault] });
  if (noted.some((head) => head.seq === seq && head.hash !== record.hash)) {
    findings.push({ writer, seq, fault: 'changed', text: 'the record is not the one of the noted head' });
  }
  return findings;
}

const TEXTS: Record<ChainFault, string> = {
  changed: 'the record was changed',
  missing: 'records are missing before this one',
  'does-not-follow': 'the record does not follow the one before it: one of the two was moved or replaced',
};

/** Compares the columns by which the store finds and orders records with the hashed text. */
function storedFault(last: Position, record: StoredAuditRecord): ChainFault | undefined {
  const body = bodyOf(record);
  const agrees =
    body.writer === record.writer &&
    body.seq === record.seq &&
    body.kind === record.kind &&
    (body.commandId ?? null) === record.commandId;
  if (!agrees) return 'changed';
  return record.id > last.id ? undefined : 'does-not-follow';
}

function bodyOf({ body }: AuditRecord): Partial<Record<'writer' | 'seq' | 'kind' | 'commandId', unknown>> {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
}

function cutChains(heads: readonly WriterHead[], expected: readonly WriterHead[]): AuditFinding[] {
  return expected.flatMap(({ writer, seq }) => {
    const end = heads.find((head) => head.writer === writer)?.seq ?? 0;
    if (end >= seq) return [];
    return [{ writer, seq: end + 1, fault: 'cut' as const, text: `the chain ends here, but once had ${seq} records` }];
  });
}

/** `kept`: undefined if the store has no heads. */
function addedRecords(ends: readonly WriterHead[], kept: readonly WriterHead[] | undefined): AuditFinding[] {
  if (!kept) return [];
  return ends.flatMap(({ writer, seq }) => {
    const head = kept.find((one) => one.writer === writer);
    if (!head) return [{ writer, seq: 1, fault: 'added' as const, text: NO_HEAD }];
    if (head.seq >= seq) return [];
    const text = `the database knows this chain up to record ${head.seq}: what follows was added by another program`;
    return [{ writer, seq: head.seq + 1, fault: 'added' as const, text }];
  });
}

const NO_HEAD =
  'the database keeps no head of this chain: another program added the chain, or removed what the database knew of it';

function unconfirmedRecords(ends: readonly WriterHead[], expected: readonly WriterHead[]): RecordRange[] {
  return ends.flatMap(({ writer, seq }) => {
    const confirmed = Math.max(0, ...expected.filter((head) => head.writer === writer).map((head) => head.seq));
    return confirmed >= seq ? [] : [{ writer, fromSeq: confirmed + 1, toSeq: seq }];
  });
}

async function disagreements(store: ReadAudit): Promise<AuditFinding[]> {
  const totals = await store.auditTotals();
  const texts = [
    totals.clients !== totals.clientsCreated &&
      `there are ${totals.clients} clients, but records of the creation of ${totals.clientsCreated}`,
    totals.products !== totals.productsCreated &&
      `there are ${totals.products} products, but records of the creation of ${totals.productsCreated}`,
    totals.openCommandsWithoutRecord > 0 &&
      `${totals.openCommandsWithoutRecord} commands without an outcome have no record`,
  ];
  const found = texts.filter((text) => text !== false);
  return [...(await store.auditStoreFaults()), ...found].map((text) => ({
    writer: null,
    seq: null,
    fault: 'totals',
    text,
  }));
}
