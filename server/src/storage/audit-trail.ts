import type { Randomness } from '@relaygate/shared';
import { LRUCache } from 'lru-cache';
import {
  type AuditEntry,
  type ChainHead,
  GENESIS_HEAD,
  nextSeq,
  REGISTRY,
  recordHash,
  type WriterHead,
} from '../audit/audit-record';
import { headsText } from '../audit/checkpoint';
import { nameCommitment, newNameSalt } from '../audit/committed-name';
import { bodyOf, technicianIn } from '../audit/record-body';
import type { SqlValue, Transaction } from './sql';

/** A writer's row in `audit_writers`, as this transaction has it. */
interface WriterState extends ChainHead {
  writer: number;
}

/** Products whose ids are remembered: theirs never change. */
const KNOWN_PRODUCTS = 10_000;

export interface AuditTrailOptions {
  writerName: string;
  /** Whom its entries name, if a person's command makes them. */
  actor: string | undefined;
  /** Of the salts of new names. */
  randomness: Randomness;
}

/** Appends to the chain of one writer, inside the transaction of the write that the entry is about. */
export class AuditTrail {
  readonly #sql: Transaction;
  readonly #name: string;
  readonly #actor: string | undefined;
  readonly #randomness: Randomness;
  readonly #products = new LRUCache<string, number>({ max: KNOWN_PRODUCTS });
  #position = NOTHING_YET;
  #unwritten: (readonly SqlValue[])[] = [];
  /** How far the id of the next record jumps, if it is the first one of a restored or copied database. */
  #idJump: number | undefined;

  constructor(sql: Transaction, { writerName, actor, randomness }: AuditTrailOptions) {
    this.#sql = sql;
    this.#name = writerName;
    this.#actor = actor;
    this.#randomness = randomness;
  }

  /** Reads where the chain ends, on the way of the begin of a transaction. */
  async readAhead(): Promise<void> {
    const state = await this.#sql.get<WriterState>(WRITER, this.#name);
    if (state) this.#position = { state, hasAppended: false };
  }

  async append(entry: AuditEntry): Promise<void> {
    const named = this.#actor === undefined ? entry : { ...entry, actor: this.#actor };
    const state = await this.#insert(await this.#open(entry.atMs), named);
    this.#position = { state, hasAppended: true };
  }

  /** Where all chains stand, those of the first format too, with what this transaction has appended. */
  async heads(atMs: number): Promise<WriterHead[]> {
    const own = await this.#open(atMs);
    const rows = await this.#sql.all<WriterRow>(ALL_WRITERS);
    const heads = rows.map(({ name, ...row }) => {
      const { seq, hash } = row.writer === own.writer ? own : row;
      return { writer: name, seq, hash };
    });
    const names = new Set(heads.map(({ writer }) => writer));
    const old = await this.#sql.all<WriterHead>(OLD_HEADS);
    return [...heads, ...old.filter(({ writer }) => !names.has(writer))];
  }

  /**
   * For a restored or copied database. Every chain goes on `by` further, also those of `writers`, and so do the ids of records, so
   * that no head and no id comes again. Only the record in this writer's chain has all details, and a list shows that record alone.
   */
  async jump(entry: AuditEntry, by: number, writers: readonly string[]): Promise<void> {
    const { kind, atMs, details } = entry;
    this.#idJump = by;
    const old = await this.#sql.all<WriterHead>(OLD_HEADS);
    for (const name of [...old.map(({ writer }) => writer), ...writers]) {
      if (!(await this.#sql.get(WRITER, name))) await this.#addWriter(name, atMs);
    }
    const own = await this.#open(atMs);
    await this.append({ ...entry, details: { ...details, by } });
    for (const row of await this.#sql.all<WriterRow>(ALL_WRITERS)) {
      if (row.writer !== own.writer) await this.#keep(await this.#insert(row, { kind, atMs, details: { by } }));
    }
  }

  async productId(productLogin: string): Promise<number | undefined> {
    const known = this.#products.get(productLogin);
    if (known !== undefined) return known;
    const found = await this.#sql.get<{ productId: number }>(PRODUCT, productLogin);
    if (found) this.#products.set(productLogin, found.productId);
    return found?.productId;
  }

  /**
   * Before the commit: writes what is left, and the head of the chain. The head once a transaction, because it costs as much as a
   * record. Never without a new record, because the stored head shows whether the last record was removed. The next transaction
   * reads the head again: another process may have appended to the same chain.
   */
  async keepHead(): Promise<void> {
    const { state, hasAppended } = this.#position;
    this.#position = NOTHING_YET;
    await this.write();
    if (state && hasAppended) await this.#keep(state);
  }

  /** Writes the records that were appended. They wait for this, so that those of many writes share their statements. */
  async write(): Promise<void> {
    if (this.#unwritten.length > 0) await this.#sql.sendRows(INSERT, this.#unwritten.splice(0));
  }

  /** What `undo` takes, if what follows is undone. Everything is written by then (`write`). */
  get position(): TrailPosition {
    return this.#position;
  }

  /** Undoes what was appended since this position; without one, since the begin of the transaction. */
  undo(position = NOTHING_YET): void {
    this.#position = position;
    this.#unwritten = [];
    // The products themselves may be undone too.
    this.#products.clear();
  }

  async #open(atMs: number): Promise<WriterState> {
    const { state: known, hasAppended } = this.#position;
    if (known) return known;
    await this.#sql.lock('audit');
    const state = (await this.#sql.get<WriterState>(WRITER, this.#name)) ?? (await this.#addWriter(this.#name, atMs));
    this.#position = { state, hasAppended };
    return state;
  }

  /** A new writer exists only by a record in the registry, and its number is that record's seq, which never comes again. */
  async #addWriter(name: string, atMs: number): Promise<WriterState> {
    const registry = (await this.#sql.get<WriterState>(WRITER, REGISTRY.name)) ?? (await this.#beginRegistry(atMs));
    if (name === REGISTRY.name) return registry;
    const after = (await this.#sql.get<ChainHead>(OLD_HEAD, name))?.seq ?? 0;
    const writer = registry.seq + 1;
    const added = await this.#insert(registry, { kind: 'writer-added', atMs, details: { writer, name, after } });
    await this.#keep(added);
    await this.#sql.send(ADD_WRITER, writer, name, after, added.hash);
    return { writer, seq: after, hash: added.hash };
  }

  /** Its first record holds where the chains of the first format ended. */
  async #beginRegistry(atMs: number): Promise<WriterState> {
    const { writer, name } = REGISTRY;
    const old = await this.#sql.all<WriterHead>(OLD_HEADS);
    const lastId = (await this.#sql.get<{ id: number }>(LAST_OLD_ID))?.id ?? 0;
    const details = { heads: headsText(old) };
    const state = await this.#insert({ writer, ...GENESIS_HEAD }, { kind: 'audit-begun', atMs, details }, lastId + 1);
    await this.#sql.send(ADD_WRITER, writer, name, state.seq, state.hash);
    return state;
  }

  /** `id`: of the first record of this format; later ones count on by themselves. */
  async #insert(last: WriterState, given: AuditEntry, firstId?: number): Promise<WriterState> {
    const { writer } = last;
    const ids = this.#idJump;
    this.#idJump = undefined;
    const entry = ids === undefined ? given : { ...given, details: { ...given.details, ids } };
    // Ids count up, and what is not written has none.
    if (ids !== undefined || firstId !== undefined) await this.write();
    const id = ids === undefined ? firstId : ids + ((await this.#sql.get<{ id: number }>(LAST_ID))?.id ?? 0);
    const { kind, atMs } = entry;
    const productId = entry.productLogin === undefined ? undefined : await this.productId(entry.productLogin);
    const person = entry.actor ?? (kind === 'device-history' ? technicianIn(entry) : undefined);
    const actorId = person === undefined ? undefined : await this.#nameId(person);
    const body = bodyOf(entry, { productId, actorId });
    const seq = nextSeq(last, { kind, body });
    const hash = recordHash(last.hash, { writer, seq, kind, atMs, body });
    const row = [writer, seq, kind, atMs, body, hash] as const;
    if (id === undefined) this.#unwritten.push(row);
    else await this.#sql.send(INSERT_FIRST, ...row, id);
    return { writer, seq, hash };
  }

  /** Not remembered: another process may erase it at any time. */
  async #nameId(name: string): Promise<string> {
    const known = await this.#sql.get<{ nameId: string }>(NAME, name);
    if (known) return known.nameId;
    const salt = newNameSalt(this.#randomness);
    const nameId = nameCommitment(salt, name);
    await this.#sql.send(ADD_NAME, nameId, name, salt);
    return nameId;
  }

  async #keep({ writer, seq, hash }: WriterState): Promise<void> {
    await this.#sql.send(KEEP_HEAD, seq, hash, writer);
  }
}

/** How far a transaction has come. */
export interface TrailPosition {
  state: WriterState | undefined;
  hasAppended: boolean;
}

const NOTHING_YET: TrailPosition = { state: undefined, hasAppended: false };

interface WriterRow extends WriterState {
  name: string;
}

const WRITER = 'SELECT writer, seq, hash FROM audit_writers WHERE name = $1';
const ALL_WRITERS = 'SELECT writer, name, seq, hash FROM audit_writers ORDER BY writer';
const ADD_WRITER = 'INSERT INTO audit_writers (writer, name, seq, hash) VALUES ($1, $2, $3, $4)';
const KEEP_HEAD = 'UPDATE audit_writers SET seq = $1, hash = $2 WHERE writer = $3';
const INSERT = 'INSERT INTO audit_log (writer, seq, kind, at_ms, body, hash) VALUES ($1, $2, $3, $4, $5, $6)';
const INSERT_FIRST = `INSERT INTO audit_log (writer, seq, kind, at_ms, body, hash, id)
  VALUES ($1, $2, $3, $4, $5, $6, $7)`;
const OLD_HEADS = 'SELECT writer, seq, hash FROM audit_heads ORDER BY writer';
const OLD_HEAD = 'SELECT seq, hash FROM audit_heads WHERE writer = $1';
const LAST_OLD_ID = 'SELECT COALESCE(MAX(id), 0) AS id FROM audit_records';
const LAST_ID = `SELECT COALESCE(MAX(id), 0) AS id FROM (
  SELECT MAX(id) AS id FROM audit_records UNION ALL SELECT MAX(id) FROM audit_log) AS lasts`;
const PRODUCT = 'SELECT product_id FROM products WHERE product_login = $1';
const NAME = 'SELECT name_id FROM audit_names WHERE name = $1 AND salt IS NOT NULL';
const ADD_NAME = 'INSERT INTO audit_names (name_id, name, salt) VALUES ($1, $2, $3)';
