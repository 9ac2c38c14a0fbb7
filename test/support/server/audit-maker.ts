import {
  type AuditEntry,
  type ChainHead,
  GENESIS_HEAD,
  nextSeq,
  REGISTRY,
  recordHash,
  type WriterHead,
} from '@relaygate/server/audit/audit-record';
import type { AuditFacts, NewestRecord, ProductName, StoredAuditRecord } from '@relaygate/server/audit/audit-store';
import { headsText } from '@relaygate/server/audit/checkpoint';
import { bodyOf, type EntryIds } from '@relaygate/server/audit/record-body';
import type { ReadAudit } from '@relaygate/server/audit/verify-audit';
import { type OldRecord, oldRecord } from './first-format-records';

interface MadeWriter extends ChainHead {
  number: number;
}

/** An audit in memory, as a store keeps it: all records of all writers, which a test may then change. */
export class AuditMaker {
  records: StoredAuditRecord[] = [];
  readonly #old = new Map<string, OldRecord>();
  readonly #writers = new Map<string, MadeWriter>();

  /** A record of the first format. */
  old(writer: string, kind = 'command', commandId: string | null = null): this {
    const entry = { kind, atMs: this.records.length, ...(commandId === null ? {} : { commandId }) };
    const record = oldRecord(writer, this.#old.get(writer), entry);
    this.records.push({ format: 1, id: this.records.length + 1, kind, commandId, ...record });
    this.#old.set(writer, record);
    return this;
  }

  add(writer: string, entry: Partial<AuditEntry> = {}, ids: EntryIds = {}): this {
    const known = this.#writers.get(writer) ?? this.#addWriter(writer);
    this.#append(writer, known, { kind: 'associated', atMs: this.records.length, ...entry }, ids);
    return this;
  }

  /** Where all chains stand. */
  heads(): WriterHead[] {
    const all = [...this.#old, ...this.#writers];
    return [...new Map(all.map(([writer, { seq, hash }]) => [writer, { writer, seq, hash }])).values()];
  }

  headOf(name: string): WriterHead {
    const head = this.heads().find(({ writer }) => writer === name);
    if (!head) throw new Error(`there is no ${name}`);
    return head;
  }

  /** The last one, with the name of its writer. */
  newest(): NewestRecord | undefined {
    const record = this.records.at(-1);
    if (record?.format !== 2) return undefined;
    const name = [...this.#writers].find(([, { number }]) => number === record.writer)?.[0] ?? '';
    return { ...record, name };
  }

  /** The record of this writer and seq, to be changed. */
  record(name: string, seq: number): StoredAuditRecord {
    const number = this.#writers.get(name)?.number;
    const found = this.records.find(
      (one) => one.seq === seq && (one.format === 1 ? one.writer === name : one.writer === number),
    );
    if (!found) throw new Error(`there is no ${name} ${seq}`);
    return found;
  }

  #addWriter(name: string): MadeWriter {
    const { name: registryName, writer: number } = REGISTRY;
    let registry = this.#writers.get(registryName);
    if (!registry) {
      registry = { number, ...GENESIS_HEAD };
      const details = { heads: headsText(this.heads()) };
      this.#writers.set(registryName, registry);
      this.#append(registryName, registry, { kind: 'audit-begun', atMs: 0, details });
    }
    if (name === registryName) return registry;
    const added = registry.seq + 1;
    const after = this.#old.get(name)?.seq ?? 0;
    this.#append(registryName, registry, { kind: 'writer-added', atMs: 0, details: { writer: added, name, after } });
    const writer = { number: added, seq: after, hash: registry.hash };
    this.#writers.set(name, writer);
    return writer;
  }

  #append(name: string, writer: MadeWriter, entry: AuditEntry, ids: EntryIds = {}): void {
    const { kind, atMs } = entry;
    const body = bodyOf(entry, ids);
    const hashed = { writer: writer.number, seq: nextSeq(writer, { kind, body }), kind, atMs, body };
    const hash = recordHash(writer.hash, hashed);
    this.records.push({ format: 2, id: this.records.length + 1, ...hashed, hash });
    Object.assign(writer, { seq: hashed.seq, hash });
    this.#writers.set(name, writer);
  }
}

/** The reading side of a store that holds these. `storedHeads`: each time they are asked for. */
export function auditOf(
  records: readonly StoredAuditRecord[],
  storedHeads: () => WriterHead[] | undefined,
  {
    facts = {},
    products = [],
    storeFaults = [],
  }: { facts?: Partial<AuditFacts>; products?: ProductName[]; storeFaults?: string[] } = {},
): ReadAudit {
  const inOrder = [...records].sort((one, other) => one.id - other.id);
  return {
    readAudit: async (afterId, limit) => inOrder.filter(({ id }) => id > afterId).slice(0, limit),
    auditHeads: async () => storedHeads(),
    auditArchives: async () => [],
    removedState: async () => undefined,
    auditFacts: async () => ({ clients: 0, products: 0, openCommands: [], ...facts }),
    auditProducts: async () => products,
    auditNames: async () => ({ people: [], clients: [] }),
    auditStoreFaults: async () => storeFaults,
  };
}
