import { createHash } from 'node:crypto';

/** Commands, and changes of who may do what and which device belongs to a product. */
export const AUDIT_KINDS = [
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
] as const;
export type AuditKind = (typeof AUDIT_KINDS)[number];

export interface AuditEntry {
  kind: AuditKind;
  /** Wall time. */
  atMs: number;
  productLogin?: string;
  clientId?: string;
  commandId?: string;
  /** For an operator's command: `cli as NAME`, with the unverified system user. */
  actor?: string;
  details?: Record<string, string | number | boolean | null>;
}

export interface AuditRecord {
  /** The node or program that wrote it; each writer has a chain of its own. */
  writer: string;
  /** 1, 2, 3 ... without gaps in a chain. */
  seq: number;
  /** The text that is hashed, as it was written: JSON of `{writer, seq, ...entry}`. */
  body: string;
  /** The hash of the record before, hex; GENESIS for the first. */
  previousHash: string;
  /** SHA-256 of `previousHash`, a line feed and `body`, hex. */
  hash: string;
}

const GENESIS = '0'.repeat(64);

/** The next record of a writer's chain; `last` is undefined for the first. */
export function nextRecord(
  writer: string,
  last: Pick<AuditRecord, 'seq' | 'hash'> | undefined,
  entry: AuditEntry,
): AuditRecord {
  const seq = (last?.seq ?? 0) + 1;
  const previousHash = last?.hash ?? GENESIS;
  const body = JSON.stringify({ writer, seq, ...entry });
  return { writer, seq, body, previousHash, hash: chainHash(previousHash, body) };
}

/** Where a chain stands; GENESIS_HEAD before its first record. */
export type ChainHead = Pick<AuditRecord, 'seq' | 'hash'>;
export interface WriterHead extends ChainHead {
  writer: string;
}
export const GENESIS_HEAD: ChainHead = { seq: 0, hash: GENESIS };

/**
 * Why a record does not continue its chain. `changed`: its text does not have its hash. `missing`: records before it are gone.
 * `does-not-follow`: it was made after another record than `last`.
 */
export type ChainFault = 'changed' | 'missing' | 'does-not-follow';

export function chainFault(last: ChainHead, record: AuditRecord): ChainFault | undefined {
  if (record.seq > last.seq + 1) return 'missing';
  if (record.hash !== chainHash(record.previousHash, record.body)) return 'changed';
  return record.seq === last.seq + 1 && record.previousHash === last.hash ? undefined : 'does-not-follow';
}

function chainHash(previousHash: string, body: string): string {
  return createHash('sha256').update(`${previousHash}\n${body}`).digest('hex');
}
