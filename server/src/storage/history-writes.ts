import { MAX_HISTORIES_PER_PRODUCT } from '@relaygate/shared';
import type { Database } from 'better-sqlite3';
import { historyRecord } from '../audit/device-history';
import type { AppendAudit } from './audit-chain';
import type { WriteHandlers } from './storage-write';

/** What devices tell of their histories: how far each is kept stands beside the records of it. */
export function historyWrites(db: Database, audit: AppendAudit): Pick<WriteHandlers, 'keepHistory'> {
  const isNewestLink = db.prepare<[string, number], { one: 1 }>(
    'SELECT 1 AS one FROM products WHERE product_login = ? AND held_epoch = ?',
  );
  const kept = db.prepare<[string, string], { lastSeq: number }>(
    'SELECT last_seq AS lastSeq FROM device_histories WHERE product_login = ? AND history_id = ?',
  );
  const keep = db.prepare(
    `INSERT INTO device_histories (product_login, history_id, last_seq, turn)
     VALUES (@productLogin, @historyId, @lastSeq,
       (SELECT COALESCE(MAX(turn), 0) + 1 FROM device_histories WHERE product_login = @productLogin))
     ON CONFLICT (product_login, history_id) DO UPDATE SET last_seq = excluded.last_seq, turn = excluded.turn`,
  );
  // I15: a device that makes up one history after the other.
  const forget = db.prepare(
    `DELETE FROM device_histories WHERE product_login = @productLogin AND turn NOT IN (
       SELECT turn FROM device_histories WHERE product_login = @productLogin ORDER BY turn DESC LIMIT @limit)`,
  );

  return {
    keepHistory(productLogin, epoch, { historyId, entries, atMs }) {
      if (!isNewestLink.get(productLogin, epoch)) return undefined;
      const before = kept.get(productLogin, historyId)?.lastSeq ?? 0;
      let lastSeq = before;
      for (const entry of entries) {
        if (entry.seq <= lastSeq) continue;
        audit(historyRecord(productLogin, historyId, entry, atMs));
        lastSeq = entry.seq;
      }
      if (lastSeq > before) {
        keep.run({ productLogin, historyId, lastSeq });
        forget.run({ productLogin, limit: MAX_HISTORIES_PER_PRODUCT });
      }
      return lastSeq;
    },
  };
}
