import { createHash } from 'node:crypto';
import type { ChainHead } from './audit-record';
import { membersOf } from './json-members';

/**
 * Records of the first format, which are only read: each has a JSON text with writer, seq and all names, and repeats the hash
 * of the record before.
 */
export interface FirstFormatRecord extends ChainHead {
  format: 1;
  /** Goes up in the order of commits, over all writers and both formats. */
  id: number;
  writer: string;
  kind: string;
  commandId: string | null;
  body: string;
  previousHash: string;
}

/** `changed`: its text does not have its hash, or its columns are not those of its text. */
export function firstFormatFault(
  previousHash: string,
  record: FirstFormatRecord,
): 'changed' | 'does-not-follow' | undefined {
  if (record.hash !== firstFormatHash(record) || !hasOwnColumns(record)) return 'changed';
  return record.previousHash === previousHash ? undefined : 'does-not-follow';
}

/** SHA-256 of `previousHash`, a line feed and `body`, hex. */
export function firstFormatHash({ previousHash, body }: Pick<FirstFormatRecord, 'previousHash' | 'body'>): string {
  return createHash('sha256').update(`${previousHash}\n${body}`).digest('hex');
}

/** The columns by which the store finds a record say what the hashed text says. */
function hasOwnColumns({ body, writer, seq, kind, commandId }: FirstFormatRecord): boolean {
  const members = membersOf(body);
  return (
    members.writer === writer &&
    members.seq === seq &&
    members.kind === kind &&
    (members.commandId ?? null) === commandId
  );
}
