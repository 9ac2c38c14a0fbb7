import { type HistoryChange, type HistoryEntry, isoTime } from '@relaygate/shared';
import type { AuditEntry } from './audit-record';

/** Technician actions, as devices report them. Each becomes one audit record. */
export interface DeviceHistoryStore {
  /**
   * Records the entries that are newer than the stored ones of this history. Resolves with the highest stored number, 0 if
   * there is none; undefined if `epoch` is not the product's newest one (I12).
   */
  keepHistory(productLogin: string, epoch: number, reported: ReportedHistory): Promise<number | undefined>;
}

export interface ReportedHistory {
  historyId: string;
  /** In the order of their `seq`. */
  entries: readonly HistoryEntry[];
  /** Wall time of their receipt. */
  atMs: number;
}

/** What a record takes beside its body: hashes, writer, numbers, two indexes. */
const RECORD_OVERHEAD_BYTES = 350;

/** Each time until the year 2286 has as many digits. */
const ANY_TIME_MS = 1e12;

/** About how much disk the records of these entries take. */
export function historySizeBytes(productLogin: string, { historyId, entries }: Omit<ReportedHistory, 'atMs'>): number {
  let sizeBytes = 0;
  for (const entry of entries) {
    const record = JSON.stringify(historyRecord(productLogin, historyId, entry, ANY_TIME_MS));
    sizeBytes += Buffer.byteLength(record) + RECORD_OVERHEAD_BYTES;
  }
  return sizeBytes;
}

/** Entries after `keptSeq`, the highest stored number; the first of two entries with the same number. */
export function newEntries(entries: readonly HistoryEntry[], keptSeq: number): HistoryEntry[] {
  let lastSeq = keptSeq;
  return entries.filter(({ seq }) => {
    if (seq <= lastSeq) return false;
    lastSeq = seq;
    return true;
  });
}

/** `actor` is the name that somebody gave at the device; it is not verified. */
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
      ...(changes.length === 0 ? {} : { changes: changes.map(changeText).join('; ') }),
      ...(outcome === undefined ? {} : { outcome }),
      ...(reason === undefined ? {} : { reason }),
      ...(about === undefined ? {} : { about, aboutLast: aboutLast ?? about }),
      deviceAt: isoTime(entry.atMs),
      bootId,
      bootMs,
    },
  };
}

function changeText({ member, from, to }: HistoryChange): string {
  return `${member}: ${JSON.stringify(from)} -> ${JSON.stringify(to)}`;
}
