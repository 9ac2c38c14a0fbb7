import type { KeyObject } from 'node:crypto';
import {
  type ChainHead,
  detailsOf,
  GENESIS_HEAD,
  REGISTRY,
  recordHash,
  seqBefore,
  type WriterHead,
} from './audit-record';
import type { StoredAuditRecord, StoredRecord } from './audit-store';
import { type Chain, type ChainState, type ChainsState, type Gap, newChain, withoutSeq } from './chain';
import { type Checkpoint, checkpointIn, isCheckpoint, type MacVerdict, macVerdict, parseHeads } from './checkpoint';
import { type FirstFormatRecord, firstFormatFault } from './first-format';

export type RecordFault =
  | 'changed'
  | 'missing'
  | 'moved'
  | 'does-not-follow'
  | 'forged-writer'
  /** A checkpoint whose MAC is not that of its heads. */
  | 'bad-mac';

export interface RecordFinding {
  writer: string;
  /** The first record concerned. */
  seq: number;
  fault: RecordFault;
  text: string;
}

/** A record, and what its reader knows about it. */
export interface ReadRecord {
  record: StoredAuditRecord;
  /** The name of its writer. */
  writer: string;
  /** Of the MAC of a checkpoint. Undefined: the record is no checkpoint, or nobody gave a key. */
  verdict?: MacVerdict | undefined;
}

/** I15: beyond so many gaps in a chain, each further gap is reported at once. */
const MAX_GAPS = 100;

/**
 * Follows all chains at once, record by record in the order of ids. So it knows at each checkpoint where every chain stood,
 * and keeps nothing but the chains' ends.
 */
export class ChainReader {
  readonly #found: (finding: RecordFinding) => void;
  readonly #key: KeyObject | undefined;
  /** By name. A writer whose chain began in the first format has it here until its first record of the second. */
  readonly #old = new Map<string, Chain>();
  /** By number. */
  readonly #chains = new Map([[REGISTRY.writer as number, newChain(REGISTRY.name, GENESIS_HEAD)]]);
  /** Without `key` no MAC is checked. */
  checkpoints = { good: 0, unchecked: 0 };

  /** `from`: where the records before the first one ended. */
  constructor(key: KeyObject | undefined, found: (finding: RecordFinding) => void, from?: ChainsState) {
    this.#key = key;
    this.#found = found;
    const chainOf = ({ name, jumps, ...head }: ChainState): Chain => ({ ...newChain(name, head), jumps: [...jumps] });
    for (const state of from?.old ?? []) this.#old.set(state.name, chainOf(state));
    for (const { writer, ...state } of from?.chains ?? []) this.#chains.set(writer, chainOf(state));
  }

  get state(): ChainsState {
    const stateOf = ({ name, seq, hash, jumps }: Chain): ChainState => ({ name, seq, hash, jumps: [...jumps] });
    return {
      old: [...this.#old.values()].map(stateOf),
      chains: [...this.#chains].map(([writer, chain]) => ({ writer, ...stateOf(chain) })),
    };
  }

  /** The head that the next record of this writer follows; undefined if no record has added the writer. */
  headOf(writer: string | number): ChainHead | undefined {
    if (typeof writer === 'string') return this.#old.get(writer) ?? GENESIS_HEAD;
    return this.#chains.get(writer) ?? (writer === REGISTRY.writer ? GENESIS_HEAD : undefined);
  }

  take(record: StoredAuditRecord): ReadRecord {
    return record.format === 1 ? this.#takeOld(record) : this.#take(record);
  }

  /** Where each chain ends, by name. */
  ends(): readonly (WriterHead & Pick<Chain, 'confirmedSeq' | 'jumps'>)[] {
    const chains = [...this.#chains.values()].filter(({ seq }) => seq > 0);
    const names = new Set(chains.map(({ name }) => name));
    const old = [...this.#old.values()].filter(({ name }) => !names.has(name));
    return [...chains, ...old]
      .map(({ name, seq, hash, confirmedSeq, jumps }) => ({ writer: name, seq, hash, confirmedSeq, jumps }))
      .sort((one, other) => (one.writer < other.writer ? -1 : 1));
  }

  /** After the last record: what is still missing. */
  end(): void {
    for (const chain of [...this.#old.values(), ...this.#chains.values()])
      for (const gap of chain.gaps) this.#reportMissing(chain, gap);
  }

  #takeOld(record: FirstFormatRecord): ReadRecord {
    const { writer, seq, hash } = record;
    const chain = this.#old.get(writer) ?? newChain(writer, GENESIS_HEAD);
    this.#old.set(writer, chain);
    if (this.#named(REGISTRY.name)?.seq !== 0) {
      this.#report(
        chain,
        seq,
        'does-not-follow',
        'it was added: records of the first format end where the second begins',
      );
    }
    const isLater = seq > chain.seq;
    const previousHash = this.#follow(chain, seq, seq - 1) ?? record.previousHash;
    const fault = firstFormatFault(previousHash, record);
    if (fault) this.#report(chain, seq, fault, TEXTS[fault]);
    if (isLater) Object.assign(chain, { seq, hash });
    return { record, writer };
  }

  #take(record: StoredRecord): ReadRecord {
    const { writer, seq, kind, hash } = record;
    const known = this.#chains.get(writer);
    const chain = known ?? this.#forgedChain(record);
    const lastSeq = seqBefore(record);
    const isLater = seq > chain.seq;
    const previousHash = this.#follow(chain, seq, lastSeq);
    if (known && previousHash !== undefined && recordHash(previousHash, record) !== hash) {
      this.#report(chain, seq, 'changed', 'the record was changed, or the one before it was replaced');
    }
    const checkpoint = isCheckpoint(kind) ? checkpointIn(record.atMs, detailsOf(record.body)) : undefined;
    const verdict = checkpoint && this.#key && macVerdict(this.#key, checkpoint);
    const read = { record, writer: chain.name, verdict };
    if (!isLater) return read;
    if (lastSeq < seq - 1) chain.jumps.push({ fromSeq: lastSeq + 1, toSeq: seq - 1 });
    if (isCheckpoint(kind)) this.#compareHeads(chain, seq, checkpoint, verdict);
    Object.assign(chain, { seq, hash });
    if (kind === 'audit-begun') this.#checkBeginning(record);
    if (kind === 'writer-added') this.#addWriter(chain, record);
    return read;
  }

  /** The chain of a writer that no record has added. It begins with this record. */
  #forgedChain({ writer, seq }: StoredRecord): Chain {
    const chain = newChain(`writer ${writer}`, { ...GENESIS_HEAD, seq: seq - 1 });
    this.#chains.set(writer, chain);
    const what = `no record in the chain ${REGISTRY.name} adds this writer: its chain was forged`;
    this.#report(chain, seq, 'forged-writer', what);
    return chain;
  }

  /**
   * Reports what is wrong with the record's position in its chain. `lastSeq`: the seq of the record before it. Returns the hash of
   * that record if it was read.
   */
  #follow(chain: Chain, seq: number, lastSeq: number): string | undefined {
    if (lastSeq === chain.seq) return chain.hash;
    if (lastSeq > chain.seq) {
      const gap = { fromSeq: chain.seq + 1, toSeq: lastSeq, previousHash: chain.hash };
      if (chain.gaps.length < MAX_GAPS) chain.gaps.push(gap);
      else this.#reportMissing(chain, gap);
      return undefined;
    }
    this.#report(chain, seq, 'moved', `the record was moved: it stands behind record ${chain.seq}`);
    const gap = chain.gaps.find(({ fromSeq }) => fromSeq === seq);
    chain.gaps = chain.gaps.flatMap((one) => withoutSeq(one, seq));
    return gap?.previousHash;
  }

  /** The first record of the registry holds the heads that the first format had. */
  #checkBeginning(record: StoredRecord): void {
    const heads = parseHeads(detailsOf(record.body).heads) ?? [];
    for (const head of heads) {
      const chain = this.#old.get(head.writer) ?? newChain(head.writer, GENESIS_HEAD);
      this.#old.set(head.writer, chain);
      this.#compare(chain, head);
    }
    for (const chain of this.#old.values()) {
      if (heads.some(({ writer }) => writer === chain.name)) continue;
      this.#report(chain, 1, 'forged-writer', 'the record that ends the first format does not know this chain');
    }
  }

  #addWriter(registry: Chain, record: StoredRecord): void {
    const { seq, hash } = record;
    const { writer, name, after } = detailsOf(record.body);
    const before = typeof name === 'string' ? (this.#old.get(name)?.seq ?? 0) : 0;
    const isKnown = [...this.#chains].some(([number, chain]) => number === writer || chain.name === name);
    if (
      record.writer !== REGISTRY.writer ||
      writer !== seq ||
      typeof name !== 'string' ||
      isKnown ||
      after !== before
    ) {
      this.#report(registry, seq, 'forged-writer', 'the record adds a writer that cannot begin here');
    }
    if (typeof writer !== 'number' || typeof name !== 'string' || isKnown) return;
    const { confirmedSeq = 0 } = this.#old.get(name) ?? {};
    this.#chains.set(writer, { ...newChain(name, { seq: before, hash }), confirmedSeq });
  }

  /** `checkpoint`: undefined if the record holds no readable one. */
  #compareHeads(chain: Chain, seq: number, checkpoint?: Checkpoint, verdict?: MacVerdict): void {
    if (!checkpoint || verdict === 'bad') {
      this.#report(chain, seq, 'bad-mac', 'the checkpoint was forged: its MAC is not that of its heads');
      return;
    }
    this.checkpoints[verdict === 'good' ? 'good' : 'unchecked'] += 1;
    for (const head of checkpoint.heads) {
      const known = this.#named(head.writer);
      this.#compare(known, head);
      if (known && verdict === 'good') known.confirmedSeq = known.seq;
    }
    for (const other of this.#chains.values()) {
      if (checkpoint.heads.some(({ writer }) => writer === other.name)) continue;
      this.#report(other, 1, 'forged-writer', `the checkpoint ${chain.name} ${seq} does not know this chain`);
    }
    if (verdict === 'good') for (const old of this.#old.values()) old.confirmedSeq = old.seq;
  }

  /** Compares the chain with a head that was noted when the chain stood here. */
  #compare(chain: Chain | undefined, head: WriterHead): void {
    const known = chain ?? newChain(head.writer, GENESIS_HEAD);
    if (known.seq === head.seq && known.hash === head.hash) return;
    if (known.seq < head.seq) {
      this.#reportMissing(known, { fromSeq: known.seq + 1, toSeq: head.seq });
      Object.assign(known, { seq: head.seq, hash: head.hash });
      return;
    }
    const what =
      known.seq === head.seq
        ? 'the record is not the one that a checkpoint holds: it was replaced'
        : `the record was added: a checkpoint holds the chain up to record ${head.seq} only`;
    this.#report(known, known.seq === head.seq ? head.seq : head.seq + 1, 'changed', what);
  }

  #named(name: string): Chain | undefined {
    return [...this.#chains.values()].find((chain) => chain.name === name) ?? this.#old.get(name);
  }

  #reportMissing(chain: Chain, { fromSeq, toSeq }: Pick<Gap, 'fromSeq' | 'toSeq'>): void {
    const which = fromSeq === toSeq ? `record ${fromSeq} is missing` : `records ${fromSeq} to ${toSeq} are missing`;
    this.#report(chain, fromSeq, 'missing', which);
  }

  #report({ name }: Chain, seq: number, fault: RecordFault, text: string): void {
    this.#found({ writer: name, seq, fault, text });
  }
}

const TEXTS = {
  changed: 'the record was changed',
  'does-not-follow': 'the record does not follow the one before it: one of the two was moved or replaced',
};
