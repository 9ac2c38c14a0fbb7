import type { OldRows, RetentionStore } from '../retention';
import type { WriteHandlers } from './handler';

export const retentionWrites = {
  removeOld: ({ sql }, what, beforeMs, limit) => sql.run(REMOVE[what], beforeMs, limit),
} satisfies WriteHandlers<RetentionStore>;

/** Each finds its rows by an index, so that a sweep reads no more than it removes; revocations are few. */
const REMOVE: Readonly<Record<OldRows, string>> = {
  openCommands: `UPDATE commands SET open = 0, boot_id = NULL WHERE id IN (
      SELECT id FROM commands
      WHERE open = 1 AND outcome = 'unknown' AND accepted_at_ms < $1 ORDER BY id LIMIT $2)`,
  /** Of the oldest commands, not of all: their ids go up as they are accepted. The newest stays, so that no id comes again. */
  commands: `DELETE FROM commands WHERE id IN (
      SELECT id FROM (SELECT id, accepted_at_ms FROM commands WHERE open = 0 ORDER BY id LIMIT $2) AS oldest
      WHERE accepted_at_ms < $1 AND id < (SELECT MAX(id) FROM commands))`,
  deviceRevocations: `DELETE FROM device_revocations WHERE revocation IN (
      SELECT revocation FROM device_revocations
      WHERE revoked_at_ms < $1 AND revocation < (SELECT MAX(revocation) FROM device_revocations)
      ORDER BY revocation LIMIT $2)`,
  refreshFamilies: `DELETE FROM refresh_families WHERE family_id IN (
      SELECT family_id FROM refresh_families WHERE rotated_at_ms < $1 ORDER BY rotated_at_ms LIMIT $2)`,
  historyPositions: `DELETE FROM device_histories WHERE (product_login, history_id) IN (
      SELECT product_login, history_id FROM device_histories
      WHERE superseded_at_ms < $1 ORDER BY superseded_at_ms LIMIT $2)`,
};
