import type { KeyObject } from 'node:crypto';
import type { ArchiveSource } from './archive-store';
import type { ChainHead, WriterHead } from './audit-record';
import type { AuditFinding } from './audit-report';
import { type Checkpoint, type MacVerdict, macVerdict } from './checkpoint';

/** What was kept outside the database, as evidence of what the audit once was. */
export interface OutsideEvidence {
  /** Heads that were noted elsewhere and must still be in their chains. */
  expected?: readonly WriterHead[];
  checkpoint?: Checkpoint | undefined;
  /**
   * The checkpoint may be older than the newest one in the chains: it was copied elsewhere, or of several nodes the one that writes
   * its file may have stopped.
   */
  mayBeOld?: boolean;
  /** Why there is no checkpoint, if its file cannot be read. */
  damaged?: string | undefined;
  key?: KeyObject | undefined;
  /** The newest archives, so that their records are read too. */
  archives?: readonly ArchiveSource[];
}

interface NotedHead extends WriterHead {
  isSeen: boolean;
  /** Its record is lost, or in an archive that was not given, so that nobody can compare it. */
  isUnread: boolean;
}

/** Compares the records of an audit with what was kept outside. */
export class KeptOutside {
  readonly #evidence: OutsideEvidence;
  readonly #found: (finding: AuditFinding) => void;
  readonly #verdict: MacVerdict;
  readonly #noted: readonly NotedHead[];

  constructor(evidence: OutsideEvidence, found: (finding: AuditFinding) => void) {
    const { expected = [], checkpoint, damaged, key } = evidence;
    this.#evidence = evidence;
    this.#found = found;
    this.#verdict = checkpoint && key ? macVerdict(key, checkpoint) : 'other-key';
    this.#noted = [...expected, ...(checkpoint?.heads ?? [])].map((head) => ({
      ...head,
      isSeen: head.seq === 0,
      isUnread: false,
    }));
    if (this.#verdict === 'bad') found({ writer: null, seq: null, fault: 'bad-mac', text: FORGED_FILE });
    if (damaged !== undefined) found({ writer: null, seq: null, fault: 'checkpoint', text: damaged });
  }

  /** `authentic`: the key that was given has made it. */
  get checkpoint(): { atMs: number; authentic: boolean } | undefined {
    const { checkpoint } = this.#evidence;
    return checkpoint && { atMs: checkpoint.atMs, authentic: this.#verdict === 'good' };
  }

  /** Compares the noted heads with a record, or with the end of a chain in an archive. */
  compare(writer: string, { seq, hash }: ChainHead): void {
    for (const head of this.#noted) {
      if (head.writer !== writer || head.seq !== seq) continue;
      if (head.hash !== hash && !head.isSeen) this.#found({ writer, seq, ...REPLACED });
      head.isSeen = true;
    }
  }

  /** The records behind `from`, up to `to`, were not read: they are lost, or their archives were not given. */
  skip(from: readonly WriterHead[], to: readonly WriterHead[]): void {
    for (const head of this.#noted) {
      const seqIn = (heads: readonly WriterHead[]): number =>
        heads.find(({ writer }) => writer === head.writer)?.seq ?? 0;
      if (!head.isSeen && head.seq > seqIn(from) && head.seq <= seqIn(to)) head.isUnread = true;
    }
  }

  /** Heads whose records were not read. */
  get uncompared(): readonly WriterHead[] {
    return this.#noted.flatMap(({ writer, seq, hash, isUnread }) => (isUnread ? { writer, seq, hash } : []));
  }

  /** `count`: good checkpoints of the chains behind the one from outside. Returns 0 if that one is not authentic. */
  newerOf(count: number): number {
    const newer = this.checkpoint?.authentic ? count : 0;
    if (newer > MAX_UNKEPT && !this.#evidence.mayBeOld) {
      this.#found({ writer: null, seq: null, fault: 'checkpoint', text: olderFileText(newer) });
    }
    return newer;
  }

  /** `isChangeSigned`: the chains say that the key was changed, so the earlier key may have made the checkpoint. */
  compareKey(isChangeSigned: boolean): void {
    const { checkpoint, key } = this.#evidence;
    if (checkpoint && key && this.#verdict === 'other-key' && !isChangeSigned) this.#found(FOREIGN_FILE);
  }

  /** After all records: heads whose records are gone. */
  missing(): readonly WriterHead[] {
    return this.#noted.filter(({ isSeen, isUnread }) => !isSeen && !isUnread);
  }

  /** Heads that confirm the records up to them. */
  confirming(): readonly WriterHead[] {
    if (!this.checkpoint?.authentic) return this.#evidence.expected ?? [];
    return this.#noted.filter(({ isUnread }) => !isUnread);
  }
}

const FORGED_FILE = 'the checkpoint file was forged: its MAC is not that of its heads';
const FOREIGN_FILE: AuditFinding = {
  writer: null,
  seq: null,
  fault: 'other-key',
  text: 'the checkpoint file was made with another key than audit.key: it was forged, or it is of another audit',
};
/** A server may be writing the newest one, or its disk may have failed for some minutes. */
const MAX_UNKEPT = 3;

function olderFileText(newer: number): string {
  return `the checkpoint file lacks the ${newer} newest checkpoints of the chains: an older one has taken its place, or it could not be written (the log says so)`;
}

const REPLACED = { fault: 'changed', text: 'the record is not the one of the noted head' } as const;
