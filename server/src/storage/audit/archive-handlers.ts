import { RelaygateError } from '@relaygate/shared';
import type { ArchiveStore } from '../../audit/archive-store';
import { headsOf } from '../../audit/archive-text';
import type { WriteHandlers } from '../handler';

export const archiveWrites = {
  async recordArchive({ sql, audit }, { file, fromId, toId, sha256, state }, atMs) {
    await sql.lock('audit archives');
    const details = { fromId, toId, file, sha256, heads: headsOf(state) };
    if ((await sql.run(REPLACE, fromId, toId, file, sha256)) === 1) {
      await audit({ kind: 'audit-archived', atMs, details });
      return;
    }
    const { lastId } = (await sql.get<{ lastId: number }>(LAST_ID)) ?? { lastId: 0 };
    const first = await sql.get<{ id: number }>(FIRST_ID);
    if (lastId >= fromId || first?.id !== fromId) {
      throw new RelaygateError('already-exists', `Another program archived the records up to ${lastId} meanwhile.`);
    }
    await sql.run(RECORD, fromId, toId, file, sha256, JSON.stringify(state));
    await audit({ kind: 'audit-archived', atMs, details });
  },

  async recordLoss({ sql, audit }, { file, fromId, toId, sha256, state, lost }, given, before, atMs) {
    await sql.lock('audit archives');
    if ((await sql.run(REPLACE_LOST, toId, JSON.stringify(lost), file, sha256, given.sha256)) === 0) {
      throw new RelaygateError('already-exists', `Another program went on with ${given.file} meanwhile.`);
    }
    const lostToId = lost.lastId;
    const lostFromId = given.lost ? given.lost.lastId + 1 : fromId;
    // A rest may lose its file before any of its records was removed; then no more records are lost.
    if (lostFromId <= lostToId) {
      const gap = { fromId: lostFromId, toId: lostToId, file: given.file, sha256: given.sha256 };
      await audit({ kind: 'audit-lost', atMs, details: { ...gap, after: headsOf(before), heads: headsOf(lost) } });
    }
    const details = { fromId, toId, file, sha256, heads: headsOf(state), lostToId };
    await audit({ kind: 'audit-archived', atMs, details });
  },

  async removeArchived({ sql }, toId, state) {
    const removed = (await sql.run(REMOVE_OLD, toId)) + (await sql.run(REMOVE, toId));
    // Another program may be ahead.
    if (state && removed > 0) await sql.run('UPDATE audit_removed SET state = $1', JSON.stringify(state));
    return removed;
  },
} satisfies WriteHandlers<ArchiveStore>;

const FIRST_ID = `SELECT MIN(id) AS id FROM (
  SELECT MIN(id) AS id FROM audit_records UNION ALL SELECT MIN(id) FROM audit_log) AS firsts`;
const LAST_ID = 'SELECT COALESCE(MAX(to_id), 0) AS last_id FROM audit_archives';
/** Of the last one, if none of its records was removed. */
const REPLACE = `UPDATE audit_archives SET file = $3, sha256 = $4
  WHERE from_id = $1 AND to_id = $2 AND to_id = (SELECT MAX(to_id) FROM audit_archives) AND EXISTS (
    SELECT 1 FROM audit_records WHERE id = $1 UNION ALL SELECT 1 FROM audit_log WHERE id = $1)`;
/** If no record was removed since. */
const REPLACE_LOST = `UPDATE audit_archives SET lost_state = $2, file = $3, sha256 = $4
  WHERE to_id = $1 AND sha256 = $5 AND to_id = (SELECT MAX(to_id) FROM audit_archives)
    AND $2 = (SELECT state FROM audit_removed)`;
const RECORD = 'INSERT INTO audit_archives (from_id, to_id, file, sha256, state) VALUES ($1, $2, $3, $4, $5)';
const REMOVE_OLD = 'DELETE FROM audit_records WHERE id <= $1 AND id <= (SELECT MAX(to_id) FROM audit_archives)';
const REMOVE = 'DELETE FROM audit_log WHERE id <= $1 AND id <= (SELECT MAX(to_id) FROM audit_archives)';
