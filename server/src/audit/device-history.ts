import { type HistoryChange, type HistoryEntry, isoTime } from '@relaygate/shared';
import type { AuditEntry } from './audit-record';

/** What people did at devices, as the devices tell it. It becomes part of the audit, once. */
export interface DeviceHistoryStore {
  /**
   * Records those of the entries that are newer than what is kept of this history, and resolves with the highest number
   * that is kept; 0: none. Undefined when `epoch` is not that of the product's newest link (I12).
   */
  keepHistory(productLogin: string, epoch: number, told: ToldHistory): Promise<number | undefined>;
}

export interface ToldHistory {
  historyId: string;
  /** In the order of their `seq`. */
  entries: readonly HistoryEntry[];
  /** Wall time of their receipt. */
  atMs: number;
}

/** What a record has in the database besides its body: hashes, writer, numbers, two indexes. */
const RECORD_OVERHEAD_BYTES = 350;

/** Each time until the year 2286 has as many digits. */
const ANY_TIME_MS = 1e12;

/** What the records of these entries take of the disk, nearly. */
export function historySizeBytes(productLogin: string, { historyId, entries }: Omit<ToldHistory, 'atMs'>): number {
  let sizeBytes = 0;
  for (const entry of entries) {
    const record = JSON.stringify(historyRecord(productLogin, historyId, entry, ANY_TIME_MS));
    sizeBytes += Buffer.byteLength(record) + RECORD_OVERHEAD_BYTES;
  }
  return sizeBytes;
}

/** Those that are not kept yet, if `keptSeq` is the highest number that is; of entries that came twice, the first. */
export function newEntries(entries: readonly HistoryEntry[], keptSeq: number): HistoryEntry[] {
  let lastSeq = keptSeq;
  return entries.filter(({ seq }) => {
    if (seq <= lastSeq) return false;
    lastSeq = seq;
    return true;
  });
}

/** `actor` is what somebody at the device called themselves; nobody has verified it. */
export function historyRecord(productLogin: string, historyId: string, entry: HistoryEntry, atMs: number): AuditEntry {
  const { seq, actor, kind, numOutput, forMs, changes, outcome, reason, about, aboutLast, bootId, bootMs } = entry;
  return {
    kind: 'device-history',
    atMs,
    productLogin,
    details: {
      historyId,
      deviceSeq: seq,
      actor,
      did: kind,
      ...(numOutput === undefined ? {} : { numOutput }),
      ...(forMs === undefined ? {} : { forMs }),
      ...(changes.length === 0 ? {} : { changes: changes.map(inWords).join('; ') }),
      ...(outcome === undefined ? {} : { outcome }),
      ...(reason === undefined ? {} : { reason }),
      ...(about === undefined ? {} : { about, aboutLast: aboutLast ?? about }),
      deviceAt: isoTime(entry.atMs),
      bootId,
      bootMs,
    },
  };
}

function inWords({ member, from, to }: HistoryChange): string {
  return `${member}: ${JSON.stringify(from)} -> ${JSON.stringify(to)}`;
}
