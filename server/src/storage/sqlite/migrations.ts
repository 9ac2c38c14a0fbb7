import { COMMANDS_BY_CLIENT, KEY_RELEASE, KEY_TIMES } from '../common-steps';
import {
  ARCHIVES_WRITTEN_AGAIN,
  AUDIT_ARCHIVES,
  AUDIT_HEADS,
  AUDIT_LOG,
  LOST_RECORDS,
  NAME_COMMITMENTS,
  NO_MORE_OLD_RECORDS,
} from './audit-schema';
import { FIRST_RELEASE } from './first-release';

/**
 * The database's shape, as forward-only steps. A step that has been released never changes; the next change is a new
 * step at the end. `PRAGMA user_version` counts the steps a file has had.
 *
 * Types stay portable to PostgreSQL: TEXT, BIGINT, and INTEGER 0 or 1 for booleans. Times are wall time in ms.
 */

/** "RGAT" in ASCII: the file's header shows by it that the database is ours. */
export const APPLICATION_ID = 0x52474154;

/** A client's row has its current key; a rotated one works on until its time. */
const ROTATED_CLIENT_KEYS = `
CREATE TABLE rotated_client_keys (
  key_id TEXT NOT NULL PRIMARY KEY,
  client_id TEXT NOT NULL REFERENCES clients (client_id),
  key_hash TEXT NOT NULL,
  works_until_ms BIGINT NOT NULL
);
CREATE INDEX rotated_client_keys_by_client ON rotated_client_keys (client_id);
`;

/** A login from before has no key id, so it counts as ended. */
const KEY_OF_A_LOGIN = `
ALTER TABLE refresh_families ADD COLUMN key_id TEXT NOT NULL DEFAULT '';
`;

/** Whether a device reads its board or only writes it; of outputs that have not been reported since, nothing is known. */
const CONFIRMED_BY = `
ALTER TABLE outputs ADD COLUMN confirmed_by TEXT;
`;

/** How far the server has saved each device's history; `turn` goes up with each entry of a product. */
const DEVICE_HISTORIES = `
CREATE TABLE device_histories (
  product_login TEXT NOT NULL REFERENCES products (product_login),
  history_id TEXT NOT NULL,
  last_seq BIGINT NOT NULL,
  turn BIGINT NOT NULL,
  PRIMARY KEY (product_login, history_id)
);
`;

/** Until when a technician keeps the server from an output, as the device reported it. */
const OUTPUT_LOCKS = `
ALTER TABLE outputs ADD COLUMN locked_until_ms BIGINT;
`;

/** Which frame reported an output's state (`frame-version.ts`). States from before this step count as the oldest. */
const FRAME_VERSIONS = `
ALTER TABLE outputs ADD COLUMN heard_epoch BIGINT NOT NULL DEFAULT 0;
ALTER TABLE outputs ADD COLUMN heard_turn BIGINT NOT NULL DEFAULT 0;
`;

/** The instances of its device that linked last (`link-instances.ts`), as a JSON list, the newest at the end. */
const LINK_INSTANCES = `
ALTER TABLE products ADD COLUMN link_instances TEXT NOT NULL DEFAULT '[]';
`;

/** The epoch of the link whose reports count: the last one drawn, unless that link never opened and an older one lives. */
const HELD_EPOCH = `
ALTER TABLE products ADD COLUMN held_epoch BIGINT NOT NULL DEFAULT 0;
UPDATE products SET held_epoch = link_epoch;
`;

/**
 * What records name a product by: 48 random bits, drawn once. No number counts up, so none comes again after a restore. The
 * default is for SQLite alone, which adds no NOT NULL column without one.
 */
const PRODUCT_IDS = `
ALTER TABLE products ADD COLUMN product_id BIGINT NOT NULL DEFAULT -1;
UPDATE products SET product_id = random() & 281474976710655;
CREATE UNIQUE INDEX products_by_id ON products (product_id);
`;

/**
 * Since when rows are old. Of rows from before this step the time is not known: their age counts from now. A history is
 * superseded when the product's device begins another one.
 */
const RETENTION = `
ALTER TABLE device_revocations ADD COLUMN revoked_at_ms BIGINT NOT NULL DEFAULT 0;
UPDATE device_revocations SET revoked_at_ms = CAST(strftime('%s', 'now') AS INTEGER) * 1000;

ALTER TABLE device_histories ADD COLUMN superseded_at_ms BIGINT;
UPDATE device_histories SET superseded_at_ms = CAST(strftime('%s', 'now') AS INTEGER) * 1000
  WHERE turn < (SELECT MAX(turn) FROM device_histories AS newest
    WHERE newest.product_login = device_histories.product_login);
CREATE INDEX device_histories_superseded ON device_histories (superseded_at_ms) WHERE superseded_at_ms IS NOT NULL;

CREATE INDEX refresh_families_by_use ON refresh_families (rotated_at_ms);
`;

/**
 * What was asked, by whom, and what became of it, in the order of the records (`id`). The audit is the evidence and says the
 * same. `open`: the device may still report the outcome. `boot_id` is set to null when the row is closed, because a row that gets
 * longer splits its page.
 *
 * The columns without a value are for later steps: a key that a client gives a command, and which writer changed the row last.
 */
const COMMANDS = `
CREATE TABLE commands (
  id INTEGER PRIMARY KEY,
  command_id TEXT NOT NULL UNIQUE,
  product_id BIGINT NOT NULL,
  actor TEXT NOT NULL,
  actor_id TEXT NOT NULL,
  num_output INTEGER NOT NULL,
  action TEXT NOT NULL,
  asked_state INTEGER CHECK (asked_state IN (0, 1)),
  accepted_at_ms BIGINT NOT NULL,
  resolved_at_ms BIGINT,
  outcome TEXT NOT NULL,
  reason TEXT,
  open INTEGER NOT NULL CHECK (open IN (0, 1)),
  boot_id TEXT,
  idempotency_key TEXT,
  request_hash TEXT,
  revised_by INTEGER,
  revision BIGINT
);
INSERT OR IGNORE INTO commands (command_id, product_id, actor, actor_id, num_output, action, asked_state, accepted_at_ms,
    resolved_at_ms, outcome, reason, open, boot_id)
  SELECT command.command_id, product_id, 'client', command.body ->> 'clientId', command.body ->> '$.details.numOutput',
    command.body ->> '$.details.action', command.body ->> '$.details.state', command.body ->> 'atMs',
    CASE
      WHEN outcome.id IS NOT NULL THEN outcome.body ->> 'atMs'
      WHEN command.body ->> '$.details.outcome' <> 'pending' THEN command.body ->> 'atMs'
    END,
    COALESCE(outcome.body ->> '$.details.outcome', command.body ->> '$.details.outcome'),
    CASE
      WHEN outcome.id IS NOT NULL THEN outcome.body ->> '$.details.reason'
      ELSE command.body ->> '$.details.reason'
    END,
    open_commands.command_id IS NOT NULL, open_commands.boot_id
  FROM (
    SELECT id, command_id, CASE WHEN json_valid(body) THEN body ELSE '{}' END AS body
    FROM audit_records WHERE kind = 'command'
  ) AS command
    JOIN products ON products.product_login = command.body ->> 'productLogin'
    LEFT JOIN audit_records AS outcome ON outcome.id = (
      SELECT MAX(id) FROM audit_records AS given
      WHERE given.command_id = command.command_id AND given.kind = 'outcome' AND json_valid(given.body)
    )
    LEFT JOIN open_commands ON open_commands.command_id = command.command_id
  ORDER BY command.id;
CREATE INDEX commands_by_product ON commands (product_id);
CREATE INDEX commands_open ON commands (outcome, product_id) WHERE open = 1;
CREATE UNIQUE INDEX commands_by_idempotency_key ON commands (actor_id, idempotency_key)
  WHERE idempotency_key IS NOT NULL;
DROP TABLE open_commands;
`;

/** Nothing reads it yet, and each command wrote a page of it: 4 KiB of log, and a tenth of the writer's time. */
const NO_COMMANDS_BY_PRODUCT = `
DROP INDEX commands_by_product;
`;

/**
 * Which writer changed a row last, and its number among all changes of that writer. Products and outputs from before this step
 * are changes of a writer without a name, so that a listener gets all of them.
 */
const REVISIONS = `
ALTER TABLE audit_writers DROP COLUMN revision;
CREATE TABLE revision_writers (
  writer INTEGER NOT NULL PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  revision BIGINT NOT NULL
);
ALTER TABLE products ADD COLUMN revised_by INTEGER;
ALTER TABLE products ADD COLUMN revision BIGINT;
ALTER TABLE outputs ADD COLUMN revised_by INTEGER;
ALTER TABLE outputs ADD COLUMN revision BIGINT;
UPDATE products SET revised_by = 0, revision = rowid;
UPDATE outputs SET revised_by = 0, revision = rowid + (SELECT COALESCE(MAX(rowid), 0) FROM products);
INSERT INTO revision_writers (writer, name, revision) SELECT 0, '', COALESCE(MAX(revision), 0) FROM outputs;
CREATE INDEX products_by_revision ON products (revised_by, revision);
CREATE INDEX outputs_by_revision ON outputs (revised_by, revision);
CREATE INDEX commands_by_revision ON commands (revised_by, revision) WHERE revision IS NOT NULL;
`;

/** When old rows were removed last; in a database from before this step, when its newest record was written. */
const SWEEPS = `
CREATE TABLE sweeps (
  swept_at_ms BIGINT
);
INSERT INTO sweeps SELECT COALESCE(
  (SELECT at_ms FROM audit_log ORDER BY id DESC LIMIT 1),
  (SELECT CASE WHEN json_valid(body) THEN body ->> 'atMs' END FROM audit_records ORDER BY id DESC LIMIT 1)
);
`;

/** Where the file is (`copies/separate-copy.ts`), so that a copy of it is noticed; empty until a program has looked. */
const LOCATION = `
CREATE TABLE location (
  machine TEXT NOT NULL,
  device TEXT NOT NULL,
  inode TEXT NOT NULL,
  born TEXT
);
`;

/**
 * The inputs of the last report as a JSON list, when it was received, and which frame it was. A report names all inputs, so they
 * are one value.
 */
const INPUTS = `
ALTER TABLE products ADD COLUMN inputs TEXT NOT NULL DEFAULT '[]';
ALTER TABLE products ADD COLUMN inputs_observed_at_ms BIGINT NOT NULL DEFAULT 0;
ALTER TABLE products ADD COLUMN inputs_epoch BIGINT NOT NULL DEFAULT 0;
ALTER TABLE products ADD COLUMN inputs_seq BIGINT NOT NULL DEFAULT 0;
`;

/**
 * The nodes that use the database, and whose each product and command is (`nodes/node-store.ts`). `slot_until_ms`: until when another
 * node must leave the product's command slot to the command.
 */
const NODES = `
CREATE TABLE nodes (
  instance TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  lease_until_ms BIGINT NOT NULL
);
ALTER TABLE products ADD COLUMN link_node TEXT;
ALTER TABLE commands ADD COLUMN node TEXT;
ALTER TABLE commands ADD COLUMN slot_until_ms BIGINT;
`;

/** `lost_at_ms`: when the link was lost, by the database's clock. `secrets`: shows whether nodes have the same ones. */
const LOST_LINKS = `
ALTER TABLE products ADD COLUMN lost_at_ms INTEGER;
ALTER TABLE nodes ADD COLUMN secrets TEXT;
`;

export const MIGRATIONS: readonly string[] = [
  FIRST_RELEASE,
  ROTATED_CLIENT_KEYS,
  KEY_OF_A_LOGIN,
  AUDIT_HEADS,
  CONFIRMED_BY,
  DEVICE_HISTORIES,
  OUTPUT_LOCKS,
  FRAME_VERSIONS,
  LINK_INSTANCES,
  HELD_EPOCH,
  PRODUCT_IDS,
  RETENTION,
  COMMANDS,
  AUDIT_LOG,
  NO_COMMANDS_BY_PRODUCT,
  AUDIT_ARCHIVES,
  REVISIONS,
  NO_MORE_OLD_RECORDS,
  SWEEPS,
  ARCHIVES_WRITTEN_AGAIN,
  NAME_COMMITMENTS,
  LOST_RECORDS,
  LOCATION,
  INPUTS,
  NODES,
  LOST_LINKS,
  KEY_TIMES,
  COMMANDS_BY_CLIENT,
  KEY_RELEASE,
];

/** Whether a database of this version has had the step. */
export function hasStep(version: number, step: string): boolean {
  return MIGRATIONS.slice(0, version).includes(step);
}
