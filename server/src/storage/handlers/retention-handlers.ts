import { KEY_TURNS_KEPT, type KeyReleaseStore } from '../../upkeep/key-release';
import type { OldRows, OldRowsRange, OldRowsRemoved, RetentionStore } from '../../upkeep/retention';
import type { ReadHandlers, Transaction, WriteHandlers } from '../sql';

export const retentionReads = {
  async lastSweepMs(sql) {
    return (await sql.get<{ sweptAtMs: number | null }>('SELECT swept_at_ms FROM sweeps'))?.sweptAtMs ?? null;
  },

  async keyTurns(sql) {
    return (await sql.get<{ turns: number }>('SELECT turns FROM key_release'))?.turns ?? 0;
  },
} satisfies ReadHandlers<RetentionStore & KeyReleaseStore>;

export const retentionWrites = {
  async recordSweep({ sql }, atMs) {
    await sql.run('UPDATE sweeps SET swept_at_ms = $1', atMs);
  },

  async removeOld({ sql }, what, range) {
    if (what === 'commands') return removeCommands(sql, range);
    const { beforeMs, limit } = range;
    const count = await sql.run(REMOVE[what], beforeMs, limit);
    return { count, lastId: count < limit ? null : 0 };
  },

  async passKeyTurn({ sql }, turns) {
    await sql.run(PASS_KEY_TURN, turns);
  },

  async releaseKeys({ sql }, limit) {
    const state = await sql.get<{ dueId: number; releasedId: number }>('SELECT due_id, released_id FROM key_release');
    if (!state || state.releasedId >= state.dueId) return false;
    const { dueId, releasedId } = state;
    const some = await sql.get<{ lastId: number | null }>(SOME_COMMANDS, releasedId, dueId, limit);
    const lastId = some?.lastId ?? dueId;
    await sql.run(RELEASE_KEYS, releasedId, lastId);
    await sql.run('UPDATE key_release SET released_id = $1', lastId);
    return lastId < dueId;
  },
} satisfies WriteHandlers<RetentionStore & KeyReleaseStore>;

interface OldestCommands {
  rowCount: number;
  lastId: number | null;
  young: number | null;
}

/**
 * Ids go up as commands are accepted. So a sweep reads the oldest commands, not all, and ends where none of so many is old.
 * Commands that a clock ahead has accepted do not end it: old ones may be behind them.
 */
async function removeCommands(
  sql: Transaction,
  { beforeMs, nowMs, afterId, limit }: OldRowsRange,
): Promise<OldRowsRemoved> {
  const oldest = await sql.get<OldestCommands>(OLDEST_COMMANDS, beforeMs, nowMs, afterId, limit);
  if (!oldest?.lastId) return { count: 0, lastId: null };
  const { rowCount, lastId, young } = oldest;
  const count = await sql.run(REMOVE_COMMANDS, afterId, lastId, beforeMs);
  const isEnd = rowCount < limit || (count === 0 && young !== 0);
  return { count, lastId: isEnd ? null : lastId };
}

const OLDEST_COMMANDS = `SELECT COUNT(*) AS row_count, MAX(id) AS last_id,
    SUM(CASE WHEN accepted_at_ms BETWEEN $1 AND $2 THEN 1 ELSE 0 END) AS young
  FROM (SELECT id, accepted_at_ms FROM commands WHERE open = 0 AND id > $3 ORDER BY id LIMIT $4) AS oldest`;
/** The newest stays, so that no id comes again; and those with a key, which no wall clock frees. */
const REMOVE_COMMANDS = `DELETE FROM commands
  WHERE open = 0 AND id > $1 AND id <= $2 AND accepted_at_ms < $3 AND id < (SELECT MAX(id) FROM commands)
    AND idempotency_key IS NULL`;

/** Each finds its rows by an index, so that a sweep reads no more than it removes; revocations are few. */
const REMOVE: Readonly<Record<Exclude<OldRows, 'commands'>, string>> = {
  openCommands: `UPDATE commands SET open = 0, boot_id = NULL WHERE id IN (
      SELECT id FROM commands
      WHERE open = 1 AND outcome = 'unknown' AND accepted_at_ms < $1 ORDER BY id LIMIT $2)`,
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

const PASS_KEY_TURN = `UPDATE key_release SET turns = turns + 1,
    due_id = CASE WHEN (turns + 1) % ${KEY_TURNS_KEPT} = 0 THEN seen_id ELSE due_id END,
    seen_id = CASE WHEN (turns + 1) % ${KEY_TURNS_KEPT} = 0 THEN (SELECT COALESCE(MAX(id), 0) FROM commands) ELSE seen_id END
  WHERE turns = $1`;
const SOME_COMMANDS = `SELECT MAX(id) AS last_id
  FROM (SELECT id FROM commands WHERE id > $1 AND id <= $2 ORDER BY id LIMIT $3) AS oldest`;
const RELEASE_KEYS = `UPDATE commands SET idempotency_key = NULL
  WHERE id > $1 AND id <= $2 AND idempotency_key IS NOT NULL`;
