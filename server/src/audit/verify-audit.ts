import type { KeyObject } from 'node:crypto';
import type { WriterHead } from './audit-record';
import type { AuditFacts, AuditStore, StoredAuditRecord } from './audit-store';
import { ChainReader, isInJump, type RecordFault } from './chain-reader';
import { type Checkpoint, macVerdict } from './checkpoint';

/**
 * `cut`: records are gone from the end of the chain. `added`: records follow the stored head of the chain. `totals`: the
 * records disagree with the rest of the database.
 */
export interface AuditFinding {
  /** Null if the writer is unknown. */
  writer: string | null;
  /** The first record concerned. */
  seq: number | null;
  fault: RecordFault | 'cut' | 'added' | 'totals';
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
   * Records that no head from outside and no checkpoint with a good MAC confirms. Somebody who can write the database could have
   * made them again, or added a writer, and this report would not show it.
   */
  unconfirmed: RecordRange[];
  checkpoints: CheckpointsChecked;
}

/** Both ends are included. */
export interface RecordRange {
  writer: string;
  fromSeq: number;
  toSeq: number;
}

interface CheckpointsChecked {
  /** In the chains, with a good MAC. */
  good: number;
  /** In the chains, made with another key than the one given, or no key was given. */
  unchecked: number;
  /** The one from outside: undefined if there was none. */
  outside?: { atMs: number; authentic: boolean };
}

/** What was kept outside the database. */
export interface OutsideEvidence {
  /** Heads that were noted elsewhere and must still be in their chains. */
  expected?: readonly WriterHead[];
  checkpoint?: Checkpoint | undefined;
  key?: KeyObject | undefined;
}

type ReadAudit = Pick<AuditStore, 'readAudit' | 'auditHeads' | 'auditFacts' | 'auditStoreFaults'>;

const PAGE = 1000;
/** One tampering seldom causes more than two findings (I15). */
const MAX_FINDINGS = 100;

/**
 * Reads all records in the order of their ids, and compares them with the rest of the database and with what was kept outside.
 * Without anything from outside nobody can see that the newest records were cut off together with all other traces of them.
 * Keeps a page of records at a time. `progress` gets the number of records read so far.
 */
export async function verifyAudit(
  store: ReadAudit,
  { expected = [], checkpoint, key }: OutsideEvidence = {},
  progress: (records: number) => void = () => {},
): Promise<AuditReport> {
  const findings = new Findings();
  const noted = [...expected, ...(checkpoint?.heads ?? [])].map((head) => ({ ...head, isSeen: head.seq === 0 }));
  const authentic = checkpoint && key ? macVerdict(key, checkpoint) : 'other-key';
  if (checkpoint && authentic === 'bad') findings.add({ writer: null, seq: null, fault: 'bad-mac', text: FORGED_FILE });
  // Read first, because chains only grow while they are read.
  const before = { facts: await store.auditFacts(), heads: (await store.auditHeads()) ?? [] };
  const reader = new ChainReader(key, (finding) => findings.add(finding));
  const totals = new Totals(before.facts);
  for (let page = await store.readAudit(0, PAGE); page.length > 0; ) {
    for (const record of page) {
      const writer = reader.take(record);
      totals.count(record);
      for (const head of noted) {
        if (head.writer !== writer || head.seq !== record.seq) continue;
        if (head.hash !== record.hash && !head.isSeen) findings.add({ writer, seq: head.seq, ...REPLACED });
        head.isSeen = true;
      }
    }
    progress(totals.records);
    const { id } = page.at(-1) ?? { id: 0 };
    page = await store.readAudit(id, PAGE);
  }
  reader.end();
  const ends = reader.ends();
  for (const { writer, seq } of noted.filter(({ isSeen }) => !isSeen)) {
    const end = ends.find((one) => one.writer === writer);
    const isUndone = isInJump(seq, end?.jumps ?? []);
    const text = isUndone ? `a restore has undone record ${seq}` : cutText(seq);
    findings.addOnce({ writer, seq: isUndone ? seq : (end?.seq ?? 0) + 1, fault: 'cut', text });
  }
  for (const { writer, seq } of before.heads) {
    const end = ends.find((one) => one.writer === writer)?.seq ?? 0;
    if (end < seq) findings.addOnce({ writer, seq: end + 1, fault: 'cut', text: cutText(seq) });
  }
  // Read last, because heads only go up: none of them is behind the records that were read.
  for (const finding of addedRecords(ends, await store.auditHeads())) findings.add(finding);
  for (const text of [...(await store.auditStoreFaults()), ...totals.disagreements(await store.auditFacts())]) {
    findings.add({ writer: null, seq: null, fault: 'totals', text });
  }
  const confirming = authentic === 'bad' ? expected : noted;
  return {
    records: totals.records,
    heads: ends.map(({ writer, seq, hash }) => ({ writer, seq, hash })),
    findings: findings.first,
    faults: findings.count,
    unconfirmed: unconfirmedRecords(ends, confirming),
    checkpoints: {
      ...reader.checkpoints,
      ...(checkpoint && { outside: { atMs: checkpoint.atMs, authentic: authentic === 'good' } }),
    },
  };
}

const FORGED_FILE = 'the checkpoint file was forged: its MAC is not that of its heads';
const REPLACED = { fault: 'changed', text: 'the record is not the one of the noted head' } as const;

/** Bounded (I15). */
class Findings {
  readonly first: AuditFinding[] = [];
  count = 0;

  add(finding: AuditFinding): void {
    this.count += 1;
    if (this.first.length < MAX_FINDINGS) this.first.push(finding);
  }

  /** Two heads may miss the same records. */
  addOnce(finding: AuditFinding): void {
    if (
      this.first.some(
        ({ writer, seq, fault }) => writer === finding.writer && seq === finding.seq && fault === finding.fault,
      )
    )
      return;
    this.add(finding);
  }
}

/** Counts what the rest of the database knows too. */
class Totals {
  records = 0;
  readonly #before: AuditFacts;
  readonly #open: Set<string>;
  #lastId = 0;
  #clients = 0;
  #products = 0;

  constructor(before: AuditFacts) {
    this.#before = before;
    this.#open = new Set(before.openCommands);
  }

  count(record: StoredAuditRecord): void {
    this.records += 1;
    this.#lastId = record.id;
    if (record.kind === 'client-created') this.#clients += 1;
    if (record.kind === 'product-created') this.#products += 1;
    if (record.kind === 'command') this.#open.delete(commandIdOf(record));
  }

  /** `after`: read when all records were. */
  disagreements(after: AuditFacts): string[] {
    const ids = `the ids over all writers run to ${this.#lastId}, but there are ${this.records} records: some are missing`;
    const faults = [
      this.#lastId !== this.records && ids,
      isOutside(this.#clients, this.#before.clients, after.clients) &&
        `there are ${after.clients} clients, but records of the creation of ${this.#clients}`,
      isOutside(this.#products, this.#before.products, after.products) &&
        `there are ${after.products} products, but records of the creation of ${this.#products}`,
      this.#open.size > 0 && `${this.#open.size} commands without an outcome have no record`,
    ];
    return faults.filter((fault) => fault !== false);
  }
}

/** Others are created while the records are read. */
function isOutside(count: number, before: number, after: number): boolean {
  return count < before || count > after;
}

function commandIdOf(record: StoredAuditRecord): string {
  if (record.format === 1) return record.commandId ?? '';
  try {
    const { command = '' }: { command?: string } = JSON.parse(record.body);
    return command;
  } catch {
    return '';
  }
}

function cutText(seq: number): string {
  return `the chain ends here, but once had ${seq} records`;
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

function unconfirmedRecords(
  ends: readonly (WriterHead & { confirmedSeq: number })[],
  expected: readonly WriterHead[],
): RecordRange[] {
  return ends.flatMap(({ writer, seq, confirmedSeq }) => {
    const noted = expected.filter((head) => head.writer === writer).map((head) => head.seq);
    const confirmed = Math.max(confirmedSeq, ...noted);
    return confirmed >= seq ? [] : [{ writer, fromSeq: confirmed + 1, toSeq: seq }];
  });
}
