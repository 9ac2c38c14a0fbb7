import type { WriterHead } from './audit-record';
import type { StoredAuditRecord } from './audit-store';
import { isCheckpoint, type MacVerdict } from './checkpoint';

/**
 * Whoever rewrites the database can sign it with a key of his own, but not with `audit.key`. So checkpoints of other keys are
 * accepted only before a record `audit-key-changed` that `audit.key` signs.
 */
export class CheckpointKeys {
  #foreign: ForeignCheckpoints | undefined;
  /** Wall time of the last change of the key. */
  changedAtMs: number | undefined;
  /** Wall time of the newest checkpoint that the key has made. */
  newestGoodAtMs: number | undefined;
  /** The change is signed by the key. */
  isChangeSigned = false;

  /** Good ones that were made after the checkpoint from outside, and before the reading began: a running server goes on. */
  newerCount = 0;
  readonly #outside: readonly WriterHead[];
  readonly #before: readonly WriterHead[];

  /** `outside`: the heads of a checkpoint from outside. `before`: those when the reading began. */
  constructor(outside: readonly WriterHead[] = [], before: readonly WriterHead[] = []) {
    this.#outside = outside;
    this.#before = before;
  }

  /** `verdict`: about the MAC, if the record is a checkpoint. */
  take(writer: string, record: StoredAuditRecord, verdict: MacVerdict | undefined): void {
    const { kind, seq } = record;
    if (record.format === 1 || !isCheckpoint(kind)) return;
    const isChange = kind === 'audit-key-changed';
    if (isChange) this.changedAtMs = record.atMs;
    if (verdict === 'other-key')
      this.#foreign = { writer, seq, ...this.#foreign, count: (this.#foreign?.count ?? 0) + 1 };
    if (verdict !== 'good') return;
    this.newestGoodAtMs = record.atMs;
    const isIn = (heads: readonly WriterHead[]): boolean =>
      heads.some((head) => head.writer === writer && head.seq >= seq);
    if (isIn(this.#before) && !isIn(this.#outside)) this.newerCount += 1;
    if (!isChange) return;
    this.#foreign = undefined;
    this.isChangeSigned = true;
  }

  /** Checkpoints of other keys that no change of the key explains; undefined without a key. */
  get foreign(): ForeignCheckpoints | undefined {
    return this.#foreign;
  }
}

export interface ForeignCheckpoints {
  /** Of the first one. */
  writer: string;
  seq: number;
  count: number;
}
