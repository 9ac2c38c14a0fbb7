import type { KeyObject } from 'node:crypto';
import { commandIdOf, givenAtMs, idStep, nextSeq, recordHash, type WriterHead } from './audit-record';
import type { StoredAuditRecord } from './audit-store';
import type { ChainsState } from './chain';
import { ChainReader, type ReadRecord, type RecordFinding } from './chain-reader';
import { type Checkpoint, checkpointIn, headsText, headText, parseHeads, signCheckpoint } from './checkpoint';
import { firstFormatHash } from './first-format';
import { membersOf } from './json-members';

/**
 * An archive as text, which is compressed block by block: a line for its beginning, one for each record, one at the end of each
 * block, and a checkpoint at its end. Ids and seqs count on, and hashes follow from the chains, so the lines leave them out; a
 * block keeps where the chains stand behind it. `zcat` shows an archive.
 */
const ARCHIVE_FORMAT = 'relaygate audit archive 1';

/** The audit up to a record: what somebody needs to read the records behind it. */
export interface AuditState extends ChainsState {
  lastId: number;
  /** The newest time in the ids of its commands; in states of older versions, when its last record was written. */
  lastMs: number;
  /** Records of their creation. */
  clients: number;
  products: number;
}

export const NOTHING_RECORDED: AuditState = { lastId: 0, lastMs: 0, clients: 0, products: 0, old: [], chains: [] };

/** The heads of all chains in a state. */
export function writerHeads(state: AuditState): WriterHead[] {
  return new AuditFollower(state, undefined, () => {}).heads;
}

/** The same as text, for a detail of a record. */
export function headsOf(state: AuditState): string {
  return headsText(writerHeads(state));
}

/** Follows records of an audit that has no gap, from one state to the next. */
export class AuditFollower {
  readonly reader: ChainReader;
  #lastId: number;
  #lastMs: number;
  #clients: number;
  #products: number;

  constructor(from: AuditState, key: KeyObject | undefined, found: (finding: RecordFinding) => void) {
    this.reader = new ChainReader(key, found, from);
    this.#lastId = from.lastId;
    this.#lastMs = from.lastMs;
    this.#clients = from.clients;
    this.#products = from.products;
  }

  get lastId(): number {
    return this.#lastId;
  }

  take(record: StoredAuditRecord): ReadRecord {
    this.#lastId = record.id;
    // Not the records' own times: of several nodes, the one that gives the id has another clock than the one that records it.
    if (record.kind === 'command') this.#lastMs = Math.max(this.#lastMs, givenAtMs(commandIdOf(record) ?? ''));
    if (record.kind === 'client-created') this.#clients += 1;
    if (record.kind === 'product-created') this.#products += 1;
    return this.reader.take(record);
  }

  get state(): AuditState {
    const { old, chains } = this.reader.state;
    return {
      lastId: this.#lastId,
      lastMs: this.#lastMs,
      clients: this.#clients,
      products: this.#products,
      old,
      chains,
    };
  }

  get heads(): WriterHead[] {
    return this.reader.ends().map(({ writer, seq, hash }) => ({ writer, seq, hash }));
  }
}

/** Wall time at which the record was written; 0 if it does not say so. */
export function timeOf(record: StoredAuditRecord): number {
  if (record.format === 2) return record.atMs;
  const { atMs } = membersOf(record.body);
  return typeof atMs === 'number' ? atMs : 0;
}

/** The id that the record before has, if none is missing. */
export function idBefore(record: StoredAuditRecord): number {
  return record.id - (record.format === 2 ? idStep(record) : 1);
}

/** Writes the lines of an archive. */
export class ArchiveEncoder {
  readonly #follower: AuditFollower;
  readonly #begin: AuditState;
  readonly #found: (finding: RecordFinding) => void;
  #lastMs = 0;

  /** `found` gets each fault: an archive is made of sound records only. */
  constructor(begin: AuditState, key: KeyObject, found: (finding: RecordFinding) => void) {
    this.#begin = begin;
    this.#found = found;
    this.#follower = new AuditFollower(begin, key, found);
  }

  get lastId(): number {
    return this.#follower.lastId;
  }

  begin(): string {
    return line({ format: ARCHIVE_FORMAT, from: this.#begin });
  }

  /** The line of the next record; call it for each record in the order of ids. */
  record(record: StoredAuditRecord): string {
    const { writer: name } = this.#follower.take(record);
    if (/[\t\n]/.test(record.body)) {
      this.#found({
        writer: name,
        seq: record.seq,
        fault: 'changed',
        text: 'its text is not one that this program writes',
      });
    }
    if (record.format === 1) return `1\t${record.body}\n`;
    const { writer, kind, atMs, body } = record;
    const sinceMs = atMs - this.#lastMs;
    this.#lastMs = atMs;
    return `2\t${writer}\t${kind}\t${sinceMs}\t${body}\n`;
  }

  endBlock(): string {
    return line({ upTo: this.#follower.lastId, heads: headsText(this.#follower.heads) });
  }

  end(key: KeyObject, atMs: number): string {
    const { heads, ...checkpoint } = signCheckpoint(key, atMs, this.#follower.heads);
    return line({ checkpoint: { ...checkpoint, heads: heads.map(headText) } });
  }
}

/** An archive that cannot be read. The message is a phrase that follows the name of its file. */
export class BrokenArchive extends Error {}

/** Reads the lines of an archive. At the end of each block it knows whether the records are those that were archived. */
export class ArchiveDecoder {
  readonly #key: KeyObject | undefined;
  readonly #found: (finding: RecordFinding) => void;
  readonly #begun: (from: AuditState) => void;
  #follower: AuditFollower | undefined;
  #lastMs = 0;
  #blockFromId = 1;
  #checkpoint: Checkpoint | undefined;

  /** `begun`: gets what the first line says of the audit before the archive. */
  constructor(
    key: KeyObject | undefined,
    found: (finding: RecordFinding) => void,
    begun: (from: AuditState) => void = () => {},
  ) {
    this.#key = key;
    this.#found = found;
    this.#begun = begun;
  }

  get state(): AuditState {
    return this.#follower?.state ?? NOTHING_RECORDED;
  }

  /** Its last line; undefined before. */
  get checkpoint(): Checkpoint | undefined {
    return this.#checkpoint;
  }

  /** The record of this line, if it has one. Throws a BrokenArchive if no archive has such a line, or if the block was changed. */
  take(text: string): ReadRecord | undefined {
    const follower = this.#follower;
    if (!follower) return void this.#start(text);
    if (this.#checkpoint) throw new BrokenArchive('goes on behind its end');
    if (text.startsWith('{')) return void this.#mark(text, follower);
    return follower.take(this.#recordOf(text, follower));
  }

  #start(text: string): void {
    const { format, from } = membersOf(text);
    if (format !== ARCHIVE_FORMAT || !isState(from)) throw new BrokenArchive('is no archive of an audit');
    this.#begun(from);
    this.#blockFromId = from.lastId + 1;
    this.#follower = new AuditFollower(from, this.#key, this.#found);
  }

  #recordOf(text: string, { reader, lastId }: AuditFollower): StoredAuditRecord {
    const [format, ...parts] = text.split('\t');
    if (format === '1' && parts.length === 1) return firstFormatRecord(reader, lastId + 1, parts[0] ?? '');
    const [writer = '', kind = '', sinceMs = '', body, more] = parts;
    const before = reader.headOf(Number(writer));
    if (format !== '2' || body === undefined || more !== undefined || !before) throw this.#changed(lastId + 1);
    this.#lastMs += Number(sinceMs);
    const record = { writer: Number(writer), seq: nextSeq(before, { kind, body }), kind, atMs: this.#lastMs, body };
    return { format: 2, id: lastId + idStep(record), ...record, hash: recordHash(before.hash, record) };
  }

  #mark(text: string, follower: AuditFollower): void {
    const { upTo, heads, checkpoint } = membersOf(text);
    if (checkpoint !== undefined) {
      this.#checkpoint = checkpointOf(checkpoint);
      if (!this.#checkpoint || headsText(this.#checkpoint.heads) !== headsText(follower.heads)) {
        throw new BrokenArchive('was changed at its end');
      }
      return;
    }
    if (upTo !== follower.lastId || heads !== headsText(follower.heads)) throw this.#changed(follower.lastId);
    this.#blockFromId = follower.lastId + 1;
  }

  #changed(toId: number): BrokenArchive {
    return new BrokenArchive(`was changed in the block that begins with record ${this.#blockFromId}, up to ${toId}`);
  }
}

function firstFormatRecord(reader: ChainReader, id: number, body: string): StoredAuditRecord {
  const { writer, seq, kind, commandId } = membersOf(body);
  if (typeof writer !== 'string' || typeof seq !== 'number' || typeof kind !== 'string') {
    throw new BrokenArchive(`was changed at record ${id}`);
  }
  const previousHash = reader.headOf(writer)?.hash ?? '';
  const hash = firstFormatHash({ previousHash, body });
  return {
    format: 1,
    id,
    writer,
    seq,
    kind,
    commandId: typeof commandId === 'string' ? commandId : null,
    body,
    previousHash,
    hash,
  };
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

function isState(value: unknown): value is AuditState {
  if (typeof value !== 'object' || value === null) return false;
  const state: Partial<Record<keyof AuditState, unknown>> = value;
  const areNumbers = [state.lastId, state.lastMs, state.clients, state.products].every(
    (one) => typeof one === 'number',
  );
  return areNumbers && Array.isArray(state.old) && Array.isArray(state.chains);
}

function checkpointOf(value: unknown): Checkpoint | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { atMs, heads, keyId, mac }: Record<string, unknown> = { ...value };
  if (typeof atMs !== 'number' || !Array.isArray(heads)) return undefined;
  if (typeof keyId !== 'string' || typeof mac !== 'string' || !parseHeads(heads.join(' '))) return undefined;
  return checkpointIn(atMs, { heads: heads.join(' '), keyId, mac });
}
