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
