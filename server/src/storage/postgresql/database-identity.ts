import { RelaygateError } from '@relaygate/shared';
import type { SqlValue } from '../sql';
import { unavailable } from './database-error';

/** PostgreSQL 13. */
const FIRST_VERSION = 130_000;

/** Which database it is: another one, a restored one and one that was failed over differ. */
export interface DatabaseIdentity {
  system: string;
  database: string;
  timeline: string;
}

/** The server's process of one connection. */
export interface Backend {
  pid: number;
  startedAt: string;
}

export interface Found {
  identity: DatabaseIdentity;
  backend: Backend;
}

/**
 * Sets the connection up. Fails with `database-unusable` if the server is too old or the encoding a wrong one, with
 * `storage-unavailable` if the database takes no writes.
 */
export async function lookedAt(ask: (text: string) => Promise<{ rows: SqlValue[][] }>): Promise<Found> {
  const { rows } = await ask(LOOK);
  const [recovery, readOnly, encoding, version, system, database, timeline, pid, startedAt] = (rows[0] ?? []).map(
    String,
  );
  if (Number(version) < FIRST_VERSION) {
    throw new RelaygateError('database-unusable', 'The PostgreSQL server is older than version 13; update it.');
  }
  if (encoding !== 'UTF8') {
    const text = `The database has the encoding ${encoding}; make one with UTF8: CREATE DATABASE ... ENCODING 'UTF8' TEMPLATE template0.`;
    throw new RelaygateError('database-unusable', text);
  }
  if (recovery === '1') throw unavailable('is a standby, which takes no writes');
  if (readOnly === '1') throw unavailable('is read-only');
  return {
    identity: { system: system ?? '', database: database ?? '', timeline: timeline ?? '' },
    backend: { pid: Number(pid), startedAt: startedAt ?? '' },
  };
}

/**
 * What must be known of the database before it is used. Each statement sees what was committed before it: the fence of commands relies
 * on that (`RECORD_OF_NODE`). A stronger `synchronous_commit` than `on` stays. The timeline goes up when a standby is promoted, and
 * with a recovery to a point in time. If this machine loses its power, the server notices it in 25 s.
 */
const LOOK = `SELECT CASE WHEN pg_is_in_recovery() THEN 1 ELSE 0 END AS recovery,
    CASE WHEN current_setting('transaction_read_only') = 'on' THEN 1 ELSE 0 END AS read_only,
    current_setting('server_encoding') AS encoding,
    current_setting('server_version_num') AS version,
    (SELECT system_identifier FROM pg_control_system()) AS system,
    (SELECT oid FROM pg_database WHERE datname = current_database()) AS database,
    CASE WHEN pg_is_in_recovery() THEN '' ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END AS timeline,
    pg_backend_pid() AS pid,
    (SELECT backend_start::text FROM pg_stat_activity WHERE pid = pg_backend_pid()) AS started_at,
    CASE WHEN current_setting('synchronous_commit') = 'remote_apply' THEN ''
      ELSE set_config('synchronous_commit', 'on', false) END AS synchronous,
    set_config('client_encoding', 'UTF8', false) AS client_encoding,
    set_config('default_transaction_isolation', 'read committed', false) AS isolation,
    set_config('tcp_keepalives_idle', '10', false), set_config('tcp_keepalives_interval', '5', false),
    set_config('tcp_keepalives_count', '3', false), set_config('tcp_user_timeout', '25000', false)`;
