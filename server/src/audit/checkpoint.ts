import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { isoTime } from '@relaygate/shared';
import { type AuditDetails, type AuditEntry, detailsOf, recordHash, type WriterHead } from './audit-record';
import type { NewestRecord } from './audit-store';
import { membersOf } from './json-members';

/** The heads of all writers at one moment, authenticated by a key that is not in the database. */
export interface Checkpoint {
  /** Wall time. */
  atMs: number;
  heads: WriterHead[];
  /** Which key it was made with. */
  keyId: string;
  /** HMAC-SHA256 of time and heads, hex. */
  mac: string;
}

/** `other-key`: another key made it, so this one cannot check it. */
export type MacVerdict = 'good' | 'bad' | 'other-key';

/** `atMs`: wall time. */
export function signCheckpoint(key: KeyObject, atMs: number, heads: readonly WriterHead[]): Checkpoint {
  const sorted = [...heads].sort((one, other) => (one.writer < other.writer ? -1 : 1));
  return { atMs, heads: sorted, keyId: keyIdOf(key), mac: macOf(key, atMs, sorted) };
}

/** Whether this key has made the checkpoint. Takes the same time for each MAC. */
export function macVerdict(key: KeyObject, { atMs, heads, keyId, mac }: Checkpoint): MacVerdict {
  if (keyId !== keyIdOf(key)) return 'other-key';
  const own = Buffer.from(macOf(key, atMs, heads));
  const given = Buffer.from(mac);
  return own.length === given.length && timingSafeEqual(own, given) ? 'good' : 'bad';
}

function macOf(key: KeyObject, atMs: number, heads: readonly WriterHead[]): string {
  const text = ['relaygate audit checkpoint 1', String(atMs), ...heads.map(headText)].join('\n');
  return createHmac('sha256', key).update(text).digest('hex');
}

const KEY_ID_CHARS = 16;

/** Identifies the key without revealing it: 16 hex digits. */
export function keyIdOf(key: KeyObject): string {
  return createHmac('sha256', key).update('relaygate audit key id').digest('hex').slice(0, KEY_ID_CHARS);
}

/** `WRITER:SEQ:HASH`, as people note it. */
export function headText({ writer, seq, hash }: WriterHead): string {
  return `${writer}:${seq}:${hash}`;
}

const WRITER = '@?[A-Za-z0-9._-]{1,64}';
const WRITER_NAME = new RegExp(`^${WRITER}$`);
const HEAD = new RegExp(`^(${WRITER}):(0|[1-9][0-9]{0,14}):([0-9a-f]{64})$`);

/** Whether a head, and so a checkpoint, can hold a writer of this name. */
export function isWriterName(name: string): boolean {
  return WRITER_NAME.test(name);
}

/** Undefined if the text is no head. */
export function parseHead(text: string): WriterHead | undefined {
  const [, writer, seq, hash] = HEAD.exec(text) ?? [];
  return writer !== undefined && hash !== undefined ? { writer, seq: Number(seq), hash } : undefined;
}

/** As one detail of a record. */
export function headsText(heads: readonly WriterHead[]): string {
  return heads.map(headText).join(' ');
}

/** Undefined if one of them is no head. */
export function parseHeads(text: unknown): WriterHead[] | undefined {
  if (typeof text !== 'string') return undefined;
  const heads = text
    .split(' ')
    .filter((part) => part !== '')
    .map(parseHead);
  return heads.every((head) => head !== undefined) ? heads : undefined;
}

/** `audit-key-changed`: the first checkpoint of a new key in an audit that has checkpoints of another one. */
export type CheckpointKind = 'checkpoint' | 'audit-key-changed';

export function isCheckpoint(kind: string): kind is CheckpointKind {
  return kind === 'checkpoint' || kind === 'audit-key-changed';
}

/**
 * The checkpoint of all chains that stands in the newest record, with that record; undefined if it stands in none, or not for these
 * heads, which are those of now.
 */
export function newestCheckpoint(
  key: KeyObject,
  { name, ...record }: NewestRecord,
  heads: readonly WriterHead[],
): Checkpoint | undefined {
  if (record.kind !== 'checkpoint') return undefined;
  const made = checkpointIn(record.atMs, detailsOf(record.body));
  if (!made || macVerdict(key, made) !== 'good') return undefined;
  const before = made.heads.find(({ writer }) => writer === name);
  if (!before || recordHash(before.hash, record) !== record.hash) return undefined;
  const { seq, hash } = record;
  const behind = signCheckpoint(key, made.atMs, [
    ...made.heads.filter((head) => head !== before),
    { writer: name, seq, hash },
  ]);
  return behind.mac === signCheckpoint(key, made.atMs, heads).mac ? behind : undefined;
}

/** The entry that records the checkpoint in the audit. */
export function checkpointEntry(
  { atMs, heads, keyId, mac }: Checkpoint,
  kind: CheckpointKind = 'checkpoint',
): AuditEntry {
  return { kind, atMs, details: { heads: headsText(heads), keyId, mac } };
}

/** Undefined if they are no checkpoint's. */
export function checkpointIn(atMs: number, { heads: text, keyId, mac }: AuditDetails): Checkpoint | undefined {
  const heads = parseHeads(text);
  if (!heads || typeof keyId !== 'string' || typeof mac !== 'string') return undefined;
  return { atMs, heads, keyId, mac };
}

/** The file that holds the newest checkpoint. */
export function checkpointText({ atMs, heads, keyId, mac }: Checkpoint): string {
  const content = { format: FILE_FORMAT, at: isoTime(atMs), heads: heads.map(headText), keyId, mac };
  return `${JSON.stringify(content, undefined, 2)}\n`;
}

const FILE_FORMAT = 'relaygate audit checkpoint 1';

/** Undefined if it is no checkpoint. */
export function parseCheckpoint(text: string): Checkpoint | undefined {
  const { format, at, heads, keyId, mac } = membersOf(text);
  if (format !== FILE_FORMAT || typeof at !== 'string' || !Array.isArray(heads)) return undefined;
  const atMs = Date.parse(at);
  if (Number.isNaN(atMs) || typeof keyId !== 'string' || typeof mac !== 'string') return undefined;
  return checkpointIn(atMs, { heads: heads.join(' '), keyId, mac });
}
