/**
 * The audit's part of the database's shape, and the triggers that keep its records. Texts of a released version never
 * change, because existing databases have them.
 */

/** Triggers that refuse to change or remove records. `audit verify` compares these texts with what SQLite has stored. */
const FIRST_FORMAT_TRIGGERS = [
  `CREATE TRIGGER audit_records_stay BEFORE DELETE ON audit_records
BEGIN SELECT RAISE(ABORT, 'audit records are never deleted'); END`,
  `CREATE TRIGGER audit_records_keep BEFORE UPDATE ON audit_records
BEGIN SELECT RAISE(ABORT, 'audit records are never changed'); END`,
] as const;
const SECOND_FORMAT_TRIGGERS = [
  `CREATE TRIGGER audit_log_stay BEFORE DELETE ON audit_log
BEGIN SELECT RAISE(ABORT, 'audit records are never deleted'); END`,
  `CREATE TRIGGER audit_log_keep BEFORE UPDATE ON audit_log
BEGIN SELECT RAISE(ABORT, 'audit records are never changed'); END`,
] as const;

/** Records may be removed only if an archive holds them. */
const ARCHIVE_TRIGGERS = [
  `CREATE TRIGGER audit_records_stay BEFORE DELETE ON audit_records
WHEN OLD.id > (SELECT COALESCE(MAX(to_id), 0) FROM audit_archives)
BEGIN SELECT RAISE(ABORT, 'audit records that no archive holds are never deleted'); END`,
  `CREATE TRIGGER audit_log_stay BEFORE DELETE ON audit_log
WHEN OLD.id > (SELECT COALESCE(MAX(to_id), 0) FROM audit_archives)
BEGIN SELECT RAISE(ABORT, 'audit records that no archive holds are never deleted'); END`,
  `CREATE TRIGGER audit_archives_stay BEFORE DELETE ON audit_archives
BEGIN SELECT RAISE(ABORT, 'archives of the audit are never forgotten'); END`,
  `CREATE TRIGGER audit_archives_keep BEFORE UPDATE ON audit_archives
BEGIN SELECT RAISE(ABORT, 'archives of the audit are never changed'); END`,
] as const;

/** The file of the last archive may be written again, while all its records are still here. */
const ARCHIVES_KEEP = `CREATE TRIGGER audit_archives_keep BEFORE UPDATE ON audit_archives
WHEN NEW.from_id <> OLD.from_id OR NEW.to_id <> OLD.to_id OR NEW.state <> OLD.state
  OR OLD.to_id < (SELECT MAX(to_id) FROM audit_archives)
  OR NOT EXISTS (SELECT 1 FROM audit_records WHERE id = OLD.from_id UNION ALL SELECT 1 FROM audit_log WHERE id = OLD.from_id)
BEGIN SELECT RAISE(ABORT, 'archives of the audit are never changed'); END`;

/** If some records of an archive are removed and its file is lost, another file may hold the others. `lost_state`: behind the lost ones. */
const ARCHIVES_KEEP_WITHOUT_LOST = `CREATE TRIGGER audit_archives_keep BEFORE UPDATE ON audit_archives
WHEN NEW.from_id <> OLD.from_id OR NEW.to_id <> OLD.to_id OR NEW.state <> OLD.state
  OR OLD.to_id < (SELECT MAX(to_id) FROM audit_archives)
  OR NOT EXISTS (SELECT 1 FROM audit_records WHERE id <= OLD.to_id UNION ALL SELECT 1 FROM audit_log WHERE id <= OLD.to_id)
  OR CASE WHEN NEW.lost_state IS NULL
    THEN OLD.lost_state IS NOT NULL
      OR NOT EXISTS (SELECT 1 FROM audit_records WHERE id = OLD.from_id UNION ALL SELECT 1 FROM audit_log WHERE id = OLD.from_id)
    ELSE NEW.lost_state <> COALESCE((SELECT state FROM audit_removed), '') END
BEGIN SELECT RAISE(ABORT, 'archives of the audit are never changed'); END`;

/** If an older server still runs, its records of the first format are refused, because nothing would confirm them. */
const FIRST_FORMAT_END = `CREATE TRIGGER audit_records_end BEFORE INSERT ON audit_records
BEGIN SELECT RAISE(ABORT, 'records of the first format are no longer written'); END`;

/** Of the first release. */
export const FIRST_AUDIT = `-- Commands live here: their record, then one record an outcome. \`id\` gives the order over all writers.
CREATE TABLE audit_records (
  id INTEGER PRIMARY KEY,
  writer TEXT NOT NULL,
  seq BIGINT NOT NULL,
  kind TEXT NOT NULL,
  command_id TEXT,
  body TEXT NOT NULL,
  previous_hash TEXT NOT NULL,
  hash TEXT NOT NULL,
  UNIQUE (writer, seq)
);
CREATE INDEX audit_records_by_command ON audit_records (command_id);
${FIRST_FORMAT_TRIGGERS.join(';\n')};
`;

/** Where each chain ends, so that records taken from its end are missed. */
export const AUDIT_HEADS = `
CREATE TABLE audit_heads (
  writer TEXT NOT NULL PRIMARY KEY,
  seq BIGINT NOT NULL,
  hash TEXT NOT NULL
);
INSERT INTO audit_heads (writer, seq, hash)
  SELECT writer, seq, hash FROM audit_records AS last
  WHERE seq = (SELECT MAX(seq) FROM audit_records WHERE audit_records.writer = last.writer);
`;

/**
 * The second format of the audit. Records name products, clients and people by ids; the names of people are in a table of their
 * own. The records of the first format stay where they are, and `id` goes on behind theirs. A writer's number is the seq of the
 * record that added it to the registry.
 */
export const AUDIT_LOG = `
CREATE TABLE audit_log (
  id INTEGER PRIMARY KEY,
  writer BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  kind TEXT NOT NULL,
  at_ms BIGINT NOT NULL,
  body TEXT NOT NULL,
  hash TEXT NOT NULL,
  UNIQUE (writer, seq)
);
${SECOND_FORMAT_TRIGGERS.join(';\n')};

-- \`seq\` and \`hash\`: of the writer's last record. \`revision\`: the last that it gave to a row.
CREATE TABLE audit_writers (
  writer BIGINT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  seq BIGINT NOT NULL,
  hash TEXT NOT NULL,
  revision BIGINT NOT NULL DEFAULT 0
);

-- Operators and technicians. Null: erased.
CREATE TABLE audit_names (
  name_id BIGINT NOT NULL PRIMARY KEY,
  name TEXT UNIQUE
);
DROP INDEX audit_records_by_command;
`;

/** Archives of the audit: which records are in which file, and the state behind them, from which the chains go on. */
export const AUDIT_ARCHIVES = `
CREATE TABLE audit_archives (
  to_id BIGINT NOT NULL PRIMARY KEY,
  from_id BIGINT NOT NULL,
  file TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  state TEXT NOT NULL
);
DROP TRIGGER audit_records_stay;
DROP TRIGGER audit_log_stay;
${ARCHIVE_TRIGGERS.join(';\n')};
`;

/** Records of the first format are only read from here on. */
export const NO_MORE_OLD_RECORDS = `
${FIRST_FORMAT_END};
`;

export const ARCHIVES_WRITTEN_AGAIN = `
DROP TRIGGER audit_archives_keep;
${ARCHIVES_KEEP};
`;

/**
 * The id of a person in the records is a commitment to the name under its salt, and the record of a client's creation has one to
 * the client's name. Ids from before are numbers, whose names nothing confirms; who has one gets a new one at the next record.
 */
export const NAME_COMMITMENTS = `
ALTER TABLE audit_names RENAME TO counted_names;
CREATE TABLE audit_names (
  name_id TEXT NOT NULL PRIMARY KEY,
  name TEXT,
  salt TEXT
);
INSERT INTO audit_names (name_id, name) SELECT CAST(name_id AS TEXT), name FROM counted_names WHERE name IS NOT NULL;
DROP TABLE counted_names;
CREATE UNIQUE INDEX audit_names_by_name ON audit_names (name) WHERE salt IS NOT NULL;
ALTER TABLE clients ADD COLUMN name_salt TEXT;
`;

/** `audit_removed`: where the chains stood behind the last record that was removed, so that those that are left can be checked. */
export const LOST_RECORDS = `
ALTER TABLE audit_archives ADD COLUMN lost_state TEXT;
CREATE TABLE audit_removed (state TEXT);
INSERT INTO audit_removed SELECT (
  SELECT state FROM audit_archives WHERE to_id < (SELECT MIN(id) FROM (
    SELECT MIN(id) AS id FROM audit_records UNION ALL SELECT MIN(id) FROM audit_log)) ORDER BY to_id DESC LIMIT 1);
DROP TRIGGER audit_archives_keep;
${ARCHIVES_KEEP_WITHOUT_LOST};
`;

const WITH_ARCHIVES = [FIRST_FORMAT_TRIGGERS[1], SECOND_FORMAT_TRIGGERS[1], ...ARCHIVE_TRIGGERS];

/** The triggers that protect the records, and the step that brought them (undefined: the first release); the newest first. */
export const AUDIT_TRIGGERS: readonly { since?: string; triggers: readonly string[] }[] = [
  { since: LOST_RECORDS, triggers: [...WITH_ARCHIVES.slice(0, -1), ARCHIVES_KEEP_WITHOUT_LOST, FIRST_FORMAT_END] },
  { since: ARCHIVES_WRITTEN_AGAIN, triggers: [...WITH_ARCHIVES.slice(0, -1), ARCHIVES_KEEP, FIRST_FORMAT_END] },
  { since: NO_MORE_OLD_RECORDS, triggers: [...WITH_ARCHIVES, FIRST_FORMAT_END] },
  { since: AUDIT_ARCHIVES, triggers: WITH_ARCHIVES },
  { since: AUDIT_LOG, triggers: [...FIRST_FORMAT_TRIGGERS, ...SECOND_FORMAT_TRIGGERS] },
  { triggers: FIRST_FORMAT_TRIGGERS },
];
