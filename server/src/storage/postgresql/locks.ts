/** "RGAT" in ASCII: the first number of all advisory locks of this program. */
const RELAYGATE = 0x52474154;

/** "RGAV": that of the locks of versions. */
const RELAYGATE_VERSION = 0x52474156;

/** Advisory locks of a database, as the parameters `$1` and `$2`. */
export const LOCKS = {
  /** Of whoever makes or migrates the schema. */
  schema: [RELAYGATE, 1],
  /** Of each transaction that writes. */
  writers: [RELAYGATE, 2],
  /** Of the server, as long as it runs; servers that share the database have it together. */
  server: [RELAYGATE, 3],
} as const satisfies Record<string, readonly [number, number]>;

/** Of all who use the database as programs of this version, together; a migration that ends the version takes it alone. */
export function versionLock(version: number): readonly [number, number] {
  return [RELAYGATE_VERSION, version];
}

/** Each is an expression. Flags are 0 and 1. */
export const ADVISORY = {
  /** Until the end of the transaction. */
  transaction: 'pg_advisory_xact_lock($1::int, $2::int)::text AS locked',
  /** The same, at once; 0 if another one has it. */
  triedTransaction: 'CASE WHEN pg_try_advisory_xact_lock($1::int, $2::int) THEN 1 ELSE 0 END AS taken',
  /** Until the end of the session; 0 if another one has it. */
  tried: 'CASE WHEN pg_try_advisory_lock($1::int, $2::int) THEN 1 ELSE 0 END AS taken',
  /** The same beside others who take it so. */
  triedShared: 'CASE WHEN pg_try_advisory_lock_shared($1::int, $2::int) THEN 1 ELSE 0 END AS taken',
};

const HOLDERS_WHERE = `SELECT pg_locks.pid, COALESCE(application_name, '') AS name
  FROM pg_locks LEFT JOIN pg_stat_activity ON pg_stat_activity.pid = pg_locks.pid
  WHERE locktype = 'advisory' AND granted AND classid::bigint = $1
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
/** Who has the lock, perhaps this session itself. */
export const HOLDERS = `${HOLDERS_WHERE} AND objid::bigint = $2`;
/** Who uses the database as a program of a version before this one. */
export const OLDER_USERS = `${HOLDERS_WHERE} AND objid::bigint < $2`;
