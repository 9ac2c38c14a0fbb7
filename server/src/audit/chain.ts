import type { ChainHead } from './audit-record';

/** Records that were missing when the next one was read. */
export interface Gap {
  fromSeq: number;
  toSeq: number;
  /** Of the record before, if that one is there. */
  previousHash: string | undefined;
}

/** The chain of one writer, as far as it was read. */
export interface Chain extends ChainHead {
  name: string;
  gaps: Gap[];
  /** Seqs that a restored or copied database has skipped. */
  jumps: { fromSeq: number; toSeq: number }[];
  /** Up to here, a checkpoint with a good MAC holds the records. */
  confirmedSeq: number;
}

/** Where sound chains stand behind a record, so that they can be followed from there. */
export interface ChainsState {
  /** Of the first format, by name. */
  old: ChainState[];
  chains: (ChainState & { writer: number })[];
}
export type ChainState = Omit<Chain, 'gaps' | 'confirmedSeq'>;

/** Whether the database has skipped this seq when it was restored or copied. */
export function isInJump(seq: number, jumps: Chain['jumps']): boolean {
  return jumps.some(({ fromSeq, toSeq }) => seq >= fromSeq && seq <= toSeq);
}

/** A chain of which nothing was read yet. */
export function newChain(name: string, { seq, hash }: ChainHead): Chain {
  return { name, seq, hash, gaps: [], jumps: [], confirmedSeq: 0 };
}

/** What is left of a gap when the record `seq` of it was found. */
export function withoutSeq({ fromSeq, toSeq, previousHash }: Gap, seq: number): Gap[] {
  if (seq < fromSeq || seq > toSeq) return [{ fromSeq, toSeq, previousHash }];
  const parts = [
    { fromSeq, toSeq: seq - 1, previousHash },
    // Nobody knows what the records behind this one follow.
    { fromSeq: seq + 1, toSeq, previousHash: undefined },
  ];
  return parts.filter((part) => part.fromSeq <= part.toSeq);
}
