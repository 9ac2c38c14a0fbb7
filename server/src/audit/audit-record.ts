import { hash } from 'node:crypto';
import { membersOf } from './json-members';

/** What happened: commands, and changes of who may do what and which device belongs to a product. */
const EVENT_KINDS = [
  'command',
  'outcome',
  'client-created',
  'client-activated',
  'client-deactivated',
  'client-key-rotated',
  'product-created',
  'product-activated',
  'product-deactivated',
  'product-key-rotated',
  'output-activated',
  'output-deactivated',
  'associated',
  'dissociated',
  'device-enrolled',
  'device-revoked',
  'device-replaced',
  'device-history',
  'refresh-family-revoked',
  'refresh-family-ended',
  'database-restored',
  'database-copied',
  'name-erased',
  'audit-archived',
  'audit-lost',
  'audit-key-changed',
] as const;

/** What the audit records of itself. A list shows these only if their kind is asked for. */
export const BOOKKEEPING_KINDS = ['audit-begun', 'writer-added', 'checkpoint'] as const;

export const AUDIT_KINDS = [...EVENT_KINDS, ...BOOKKEEPING_KINDS] as const;
export type AuditKind = (typeof AUDIT_KINDS)[number];

export type AuditDetails = Record<string, string | number | boolean | null>;

export interface AuditEntry {
  kind: AuditKind;
  /** Wall time. */
  atMs: number;
  productLogin?: string;
  clientId?: string;
  commandId?: string;
  /** For an operator's command: `cli as NAME`, with the unverified system user. */
  actor?: string;
  details?: AuditDetails;
}

/** Where a chain stands. */
export interface ChainHead {
  seq: number;
  /** SHA-256, hex. */
  hash: string;
}
export interface WriterHead extends ChainHead {
  /** The name of a node or program. */
  writer: string;
}

/** What the hash of a record covers, beside the hash of the record before. */
export interface HashedRecord {
  /** The number of its writer. */
  writer: number;
  seq: number;
  kind: string;
  atMs: number;
  /** JSON; see `record-body.ts`. */
  body: string;
}
export interface AuditRecord extends HashedRecord {
  hash: string;
}

/** The registry: the chain in which all other chains begin. Its writer is every program, in turn. */
export const REGISTRY = { writer: 0, name: '@writers' } as const;

export const GENESIS_HEAD: ChainHead = { seq: 0, hash: '0'.repeat(64) };

/** How far a database jumps if the record of the jump does not say it. */
const RESTORE_JUMP = 1_000_000;

/** The seq of the record that follows `last` in its chain. */
export function nextSeq(last: ChainHead, record: Pick<HashedRecord, 'kind' | 'body'>): number {
  return last.seq + stepTo(record);
}

/** The seq of the record that this one follows. */
export function seqBefore(record: Pick<HashedRecord, 'seq' | 'kind' | 'body'>): number {
  return record.seq - stepTo(record);
}

/** Every chain gets such a record when a restored or copied database jumps to numbers that no other database has used. */
const JUMPS: ReadonlySet<string> = new Set<AuditKind>(['database-restored', 'database-copied']);

export function isJump(kind: string): boolean {
  return JUMPS.has(kind);
}

/** Records that the first transaction of such a database may begin with. */
const ID_JUMPS: ReadonlySet<string> = new Set<string>([...JUMPS, 'writer-added', 'audit-begun']);

/** How far the record's id is behind that of the record before it. A restore or a copy says so in the first record that it adds. */
export function idStep({ kind, body }: Pick<HashedRecord, 'kind' | 'body'>): number {
  return ID_JUMPS.has(kind) ? distanceIn(detailsOf(body).ids, 1) : 1;
}

function stepTo({ kind, body }: Pick<HashedRecord, 'kind' | 'body'>): number {
  if (!isJump(kind)) return 1;
  return distanceIn(detailsOf(body).by, RESTORE_JUMP);
}

function distanceIn(value: unknown, usual: number): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : usual;
}

/** What the body of a record says in `details`; nothing if it is no JSON. */
export function detailsOf(body: string): AuditDetails {
  return detailsIn(membersOf(body));
}

/** The same for a body that was parsed already (`membersOf`). */
export function detailsIn({ details }: Partial<Record<string, unknown>>): AuditDetails {
  return isDetails(details) ? details : {};
}

/** A reader checks the type of each that it uses. */
function isDetails(value: unknown): value is AuditDetails {
  return typeof value === 'object' && value !== null;
}

/** The command that a record is about, as its body says it; undefined if it is about none. */
export function commandIdOf({ format, body }: { format: 1 | 2; body: string }): string | undefined {
  const members = membersOf(body);
  const commandId = format === 1 ? members.commandId : members.command;
  return typeof commandId === 'string' ? commandId : undefined;
}

/** Ids of commands are UUIDs version 7, which begin with the wall time of who gave them. 0 if the id has no such form. */
export function givenAtMs(commandId: string): number {
  return Number.parseInt(commandId.replace('-', '').slice(0, 12), 16) || 0;
}

/** SHA-256 of the hash before, writer, seq, kind, time and body, a line each, in hex. */
export function recordHash(previousHash: string, { writer, seq, kind, atMs, body }: HashedRecord): string {
  return hash('sha256', `${previousHash}\n${writer}\n${seq}\n${kind}\n${atMs}\n${body}`, 'hex');
}
