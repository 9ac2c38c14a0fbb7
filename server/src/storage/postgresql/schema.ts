import { COMMANDS_BY_CLIENT, KEY_RELEASE, KEY_TIMES } from '../common-steps';
import { AUDIT_SCHEMA } from './audit-schema';

/**
 * One change of the database's shape. While it is made, programs of the version before are at work, and they go on with what it leaves:
 * unless it says otherwise, it only adds tables, indexes, and columns that may be null or have a default.
 */
export interface Step {
  sql: string;
  /**
   * Of a step that does more: the oldest version whose program can use the database then. Versions count steps. At most the step's own
   * number; older programs must have stopped.
   */
  usableFrom?: number;
}

/**
 * The database's shape, as forward-only steps. A step that has been released never changes; the next change is a new step at the
 * end. `installation.version` counts the steps that a database has had. A test compares the shape with that of SQLite.
 *
 * Texts that are compared or sorted have the collation "C", so that the order is that of SQLite, whatever the database's is.
 */
const FIRST_RELEASE = `
-- One row. \`holder\`: the run of the server that has used the database last. The others: where the database was then.
CREATE TABLE installation (
  version INTEGER NOT NULL,
  holder TEXT,
  system TEXT,
  database TEXT,
  timeline TEXT
);
INSERT INTO installation (version) VALUES (0);

CREATE TABLE clients (
  client_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL UNIQUE,
  key_id TEXT COLLATE "C" NOT NULL UNIQUE,
  key_hash TEXT NOT NULL,
  active INTEGER NOT NULL CHECK (active IN (0, 1)),
  created_at_ms BIGINT NOT NULL,
  name_salt TEXT
);

CREATE TABLE rotated_client_keys (
  key_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  client_id TEXT COLLATE "C" NOT NULL REFERENCES clients (client_id),
  key_hash TEXT NOT NULL,
  works_until_ms BIGINT NOT NULL
);
CREATE INDEX rotated_client_keys_by_client ON rotated_client_keys (client_id);

CREATE TABLE products (
  product_login TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  key_hash TEXT NOT NULL,
  enrolment_hash TEXT NOT NULL,
  activated INTEGER NOT NULL CHECK (activated IN (0, 1)),
  created_at_ms BIGINT NOT NULL,
  device_public_key TEXT,
  link_epoch BIGINT NOT NULL DEFAULT 0,
  connected INTEGER NOT NULL DEFAULT 0 CHECK (connected IN (0, 1)),
  last_seen_at_ms BIGINT,
  agent_version TEXT,
  boot_id TEXT,
  faults TEXT NOT NULL DEFAULT '[]',
  replaced_at_ms BIGINT,
  link_instances TEXT NOT NULL DEFAULT '[]',
  held_epoch BIGINT NOT NULL DEFAULT 0,
  product_id BIGINT NOT NULL,
  revised_by INTEGER,
  revision BIGINT,
  inputs TEXT NOT NULL DEFAULT '[]',
  inputs_observed_at_ms BIGINT NOT NULL DEFAULT 0,
  inputs_epoch BIGINT NOT NULL DEFAULT 0,
  inputs_seq BIGINT NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX products_by_id ON products (product_id);
CREATE INDEX products_by_revision ON products (revised_by, revision);

CREATE TABLE outputs (
  product_login TEXT COLLATE "C" NOT NULL REFERENCES products (product_login),
  num_output INTEGER NOT NULL,
  activated INTEGER NOT NULL CHECK (activated IN (0, 1)),
  name TEXT,
  mode TEXT,
  state INTEGER CHECK (state IN (0, 1)),
  pulse_ms INTEGER,
  observed_at_ms BIGINT,
  confirmed_by TEXT,
  locked_until_ms BIGINT,
  heard_epoch BIGINT NOT NULL DEFAULT 0,
  heard_turn BIGINT NOT NULL DEFAULT 0,
  revised_by INTEGER,
  revision BIGINT,
  PRIMARY KEY (product_login, num_output)
);
CREATE INDEX outputs_by_revision ON outputs (revised_by, revision);

CREATE TABLE associations (
  client_id TEXT COLLATE "C" NOT NULL REFERENCES clients (client_id),
  product_login TEXT COLLATE "C" NOT NULL REFERENCES products (product_login),
  PRIMARY KEY (client_id, product_login)
);
CREATE INDEX associations_by_product ON associations (product_login);

CREATE TABLE device_revocations (
  revocation BIGINT NOT NULL PRIMARY KEY,
  product_login TEXT COLLATE "C" NOT NULL REFERENCES products (product_login),
  revoked_at_ms BIGINT NOT NULL DEFAULT 0
);

CREATE TABLE device_histories (
  product_login TEXT COLLATE "C" NOT NULL REFERENCES products (product_login),
  history_id TEXT COLLATE "C" NOT NULL,
  last_seq BIGINT NOT NULL,
  turn BIGINT NOT NULL,
  superseded_at_ms BIGINT,
  PRIMARY KEY (product_login, history_id)
);
CREATE INDEX device_histories_superseded ON device_histories (superseded_at_ms) WHERE superseded_at_ms IS NOT NULL;

CREATE TABLE refresh_families (
  family_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  client_id TEXT COLLATE "C" NOT NULL REFERENCES clients (client_id),
  generation BIGINT NOT NULL,
  token_hash TEXT NOT NULL,
  rotated_at_ms BIGINT NOT NULL,
  revoked INTEGER NOT NULL CHECK (revoked IN (0, 1)),
  key_id TEXT COLLATE "C" NOT NULL DEFAULT ''
);
CREATE INDEX refresh_families_by_client ON refresh_families (client_id, rotated_at_ms);
CREATE INDEX refresh_families_by_use ON refresh_families (rotated_at_ms);

-- \`id\` goes up in the order of the records, because transactions that write run one after the other. It may have gaps.
CREATE TABLE commands (
  id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  command_id TEXT COLLATE "C" NOT NULL UNIQUE,
  product_id BIGINT NOT NULL,
  actor TEXT NOT NULL,
  actor_id TEXT COLLATE "C" NOT NULL,
  num_output INTEGER NOT NULL,
  action TEXT NOT NULL,
  asked_state INTEGER CHECK (asked_state IN (0, 1)),
  accepted_at_ms BIGINT NOT NULL,
  resolved_at_ms BIGINT,
  outcome TEXT NOT NULL,
  reason TEXT,
  open INTEGER NOT NULL CHECK (open IN (0, 1)),
  boot_id TEXT,
  idempotency_key TEXT COLLATE "C",
  request_hash TEXT,
  revised_by INTEGER,
  revision BIGINT
);
CREATE INDEX commands_open ON commands (outcome, product_id) WHERE open = 1;
CREATE UNIQUE INDEX commands_by_idempotency_key ON commands (actor_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX commands_by_revision ON commands (revised_by, revision) WHERE revision IS NOT NULL;

CREATE TABLE revision_writers (
  writer INTEGER NOT NULL PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL UNIQUE,
  revision BIGINT NOT NULL
);
INSERT INTO revision_writers (writer, name, revision) VALUES (0, '', 0);

CREATE TABLE write_probe (id INTEGER NOT NULL PRIMARY KEY, probes BIGINT NOT NULL);
INSERT INTO write_probe (id, probes) VALUES (1, 0);

CREATE TABLE sweeps (swept_at_ms BIGINT);
INSERT INTO sweeps VALUES (NULL);
${AUDIT_SCHEMA}`;

/** The nodes that use the database, and whose each product and command is, as in SQLite; and the clock that judges leases. */
const NODES = `
CREATE FUNCTION now_ms() RETURNS BIGINT LANGUAGE sql VOLATILE AS $body$
  SELECT (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint
$body$;
CREATE TABLE nodes (
  instance TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL UNIQUE,
  lease_until_ms BIGINT NOT NULL
);
ALTER TABLE products ADD COLUMN link_node TEXT COLLATE "C";
ALTER TABLE commands ADD COLUMN node TEXT COLLATE "C";
ALTER TABLE commands ADD COLUMN slot_until_ms BIGINT;
`;

/** As in SQLite. */
const LOST_LINKS = `
ALTER TABLE products ADD COLUMN lost_at_ms BIGINT;
ALTER TABLE nodes ADD COLUMN secrets TEXT;
`;

/** Which version of the program is the oldest that can use the database. */
const USABLE_FROM = 'ALTER TABLE installation ADD COLUMN usable_from INTEGER NOT NULL DEFAULT 1';

/** A server that has crashed has emptied this table, and may give the numbers of lost transactions to others (`write-session.ts`). */
const CRASH_MARK =
  'CREATE UNLOGGED TABLE crash_mark (id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1), mark TEXT NOT NULL)';

export const STEPS: readonly Step[] = [
  { sql: FIRST_RELEASE },
  { sql: NODES },
  { sql: LOST_LINKS },
  // Programs before it refuse every newer database.
  { sql: USABLE_FROM, usableFrom: 4 },
  { sql: KEY_TIMES },
  // Beside older servers it is made only of a table that is indexed within half a second.
  { sql: COMMANDS_BY_CLIENT },
  { sql: CRASH_MARK },
  { sql: KEY_RELEASE },
];

/** The oldest version that can use a database with these steps. */
export function usableFrom(steps: readonly Step[]): number {
  return Math.max(1, ...steps.map((step) => step.usableFrom ?? 1));
}
