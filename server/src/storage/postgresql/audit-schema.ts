/**
 * The audit's part of the database's shape, and the triggers that keep its records. Texts of a released version never change,
 * because existing databases have them.
 */

interface Trigger {
  name: string;
  table: string;
  on: 'DELETE' | 'UPDATE' | 'INSERT' | 'TRUNCATE';
  /** The function's body between BEGIN and END. */
  body: string;
}

const refused = (text: string): string => `RAISE EXCEPTION '${text}';`;
const GONE = 'audit records that no archive holds are never deleted';
const isArchived = 'OLD.id <= (SELECT COALESCE(MAX(to_id), 0) FROM audit_archives)';
const onlyArchived = `IF ${isArchived} THEN RETURN OLD; END IF; ${refused(GONE)}`;
const anyRecord = (condition: string): string =>
  `EXISTS (SELECT 1 FROM audit_records WHERE ${condition} UNION ALL SELECT 1 FROM audit_log WHERE ${condition})`;

/** What SQLite's triggers refuse (`sqlite/audit-schema.ts`); and TRUNCATE, which SQLite does not have. */
export const AUDIT_TRIGGERS: readonly Trigger[] = [
  ...['audit_records', 'audit_log'].flatMap((table): Trigger[] => [
    { name: `${table}_stay`, table, on: 'DELETE', body: onlyArchived },
    { name: `${table}_keep`, table, on: 'UPDATE', body: refused('audit records are never changed') },
    { name: `${table}_whole`, table, on: 'TRUNCATE', body: refused(GONE) },
  ]),
  {
    name: 'audit_records_end',
    table: 'audit_records',
    on: 'INSERT',
    body: refused('records of the first format are no longer written'),
  },
  ...(['DELETE', 'TRUNCATE'] as const).map((on): Trigger => {
    const name = on === 'DELETE' ? 'audit_archives_stay' : 'audit_archives_whole';
    return { name, table: 'audit_archives', on, body: refused('archives of the audit are never forgotten') };
  }),
  {
    name: 'audit_archives_keep',
    table: 'audit_archives',
    on: 'UPDATE',
    body: `IF NEW.from_id <> OLD.from_id OR NEW.to_id <> OLD.to_id OR NEW.state <> OLD.state
    OR OLD.to_id < (SELECT MAX(to_id) FROM audit_archives)
    OR NOT ${anyRecord('id <= OLD.to_id')}
    OR (CASE WHEN NEW.lost_state IS NULL
      THEN OLD.lost_state IS NOT NULL OR NOT ${anyRecord('id = OLD.from_id')}
      ELSE NEW.lost_state <> COALESCE((SELECT state FROM audit_removed), '') END)
  THEN ${refused('archives of the audit are never changed')} END IF;
  RETURN NEW;`,
  },
];

/** As `pg_proc.prosrc` has it. */
export function sourceOf({ body }: Pick<Trigger, 'body'>): string {
  return `\nBEGIN\n  ${body}\nEND\n`;
}

function madeBy(trigger: Trigger): string {
  const { name, table, on } = trigger;
  const each = on === 'TRUNCATE' ? 'STATEMENT' : 'ROW';
  return `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $body$${sourceOf(trigger)}$body$;
CREATE TRIGGER ${name} BEFORE ${on} ON ${table} FOR EACH ${each} EXECUTE FUNCTION ${name}();`;
}

/** Records of the first format come only from a SQLite database. A record without an id gets the next one above the highest. */
export const AUDIT_SCHEMA = `
CREATE TABLE audit_records (
  id BIGINT NOT NULL PRIMARY KEY,
  writer TEXT COLLATE "C" NOT NULL,
  seq BIGINT NOT NULL,
  kind TEXT NOT NULL,
  command_id TEXT,
  body TEXT NOT NULL,
  previous_hash TEXT NOT NULL,
  hash TEXT NOT NULL,
  UNIQUE (writer, seq)
);
CREATE TABLE audit_heads (
  writer TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  seq BIGINT NOT NULL,
  hash TEXT NOT NULL
);
CREATE TABLE audit_log (
  id BIGINT NOT NULL PRIMARY KEY,
  writer BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  kind TEXT NOT NULL,
  at_ms BIGINT NOT NULL,
  body TEXT NOT NULL,
  hash TEXT NOT NULL,
  UNIQUE (writer, seq)
);
CREATE FUNCTION next_audit_id() RETURNS BIGINT LANGUAGE plpgsql AS $body$
BEGIN
  RETURN (SELECT COALESCE(MAX(id), 0) + 1 FROM audit_log);
END
$body$;
ALTER TABLE audit_log ALTER COLUMN id SET DEFAULT next_audit_id();

CREATE TABLE audit_writers (
  writer BIGINT NOT NULL PRIMARY KEY,
  name TEXT COLLATE "C" NOT NULL UNIQUE,
  seq BIGINT NOT NULL,
  hash TEXT NOT NULL
);
CREATE TABLE audit_names (
  name_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  name TEXT COLLATE "C",
  salt TEXT
);
CREATE UNIQUE INDEX audit_names_by_name ON audit_names (name) WHERE salt IS NOT NULL;
CREATE TABLE audit_archives (
  to_id BIGINT NOT NULL PRIMARY KEY,
  from_id BIGINT NOT NULL,
  file TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  state TEXT NOT NULL,
  lost_state TEXT
);
CREATE TABLE audit_removed (state TEXT);
INSERT INTO audit_removed VALUES (NULL);
${AUDIT_TRIGGERS.map(madeBy).join('\n')}
`;
