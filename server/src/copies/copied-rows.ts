import { hash } from 'node:crypto';
import type { SqlValue } from '../storage/sql';

/**
 * The tables that a migration copies; a table comes behind those that it refers to. `location` is about the file, and `nodes` about
 * servers that run at this moment: both stay behind.
 */
export const COPIED_TABLES = [
  'clients',
  'rotated_client_keys',
  'products',
  'outputs',
  'associations',
  'device_revocations',
  'device_histories',
  'refresh_families',
  'commands',
  'revision_writers',
  'write_probe',
  'sweeps',
  'key_release',
  'audit_records',
  'audit_heads',
  'audit_log',
  'audit_writers',
  'audit_names',
  'audit_archives',
  'audit_removed',
] as const;
export type CopiedTable = (typeof COPIED_TABLES)[number];

/** A column, with what PostgreSQL takes in it. */
export interface CopiedColumn {
  name: string;
  type: 'text' | 'integer' | 'bigint';
}

/** A row as SQLite holds it, whose types are loose. `number`: its rowid. */
export interface SourceRow {
  number: number;
  values: unknown[];
}

/** A row that PostgreSQL takes. */
export interface CopiedRow {
  number: number;
  values: SqlValue[];
}

const HIGHEST_INTEGER = 2 ** 31 - 1;

/** Why PostgreSQL would not take the value in this column, or not as it is; undefined if it does. */
export function faultOf(value: unknown, { type }: CopiedColumn): string | undefined {
  if (value === null) return undefined;
  if (type === 'text') {
    if (typeof value !== 'string') return 'it is no text';
    return value.includes('\0') ? 'PostgreSQL keeps no text with the character NUL' : undefined;
  }
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) return 'it is no whole number below 2^53';
  return type === 'integer' && Math.abs(value) > HIGHEST_INTEGER ? 'it is beyond 2^31' : undefined;
}

/** How far a table is copied. */
export interface CopiedPart {
  rows: number;
  /** The number of the last row; those behind it are not copied yet. */
  lastRow: number;
  /** Of `sumWith`, over all rows. */
  sum: string;
}

export const NOTHING_COPIED: CopiedPart = { rows: 0, lastRow: Number.MIN_SAFE_INTEGER, sum: '0' };

/** `rows`: those that follow. */
export function partWith(part: CopiedPart, rows: readonly CopiedRow[]): CopiedPart {
  return {
    rows: part.rows + rows.length,
    lastRow: rows.at(-1)?.number ?? part.lastRow,
    sum: sumWith(
      part.sum,
      rows.map(({ values }) => values),
    ),
  };
}

const SUM_BITS = 128;

/** What rows hold, whatever order they come in: the sum of their hashes, in hex. */
export function sumWith(sum: string, rows: readonly (readonly SqlValue[])[]): string {
  const hashes = rows.map((values) => hash('sha256', JSON.stringify(values), 'hex').slice(0, SUM_BITS / 4));
  const total = hashes.reduce((so, one) => so + BigInt(`0x${one}`), BigInt(`0x${sum}`));
  return BigInt.asUintN(SUM_BITS, total).toString(16);
}
