import { RelaygateError } from '@relaygate/shared';
import type { ArchiveStore } from '../../audit/archive-store';
import { headsOf } from '../../audit/archive-text';
import type { ListedRecord } from '../../audit/audit-list';
import { auditRow, passes } from '../../audit/audit-list';
import { BOOKKEEPING_KINDS, commandIdOf, type NewestRecord } from '../../audit/audit-record';
import type {
  AuditFilter,
  AuditKeyStore,
  AuditPosition,
  AuditRow,
  AuditStore,
  CheckpointStore,
  NameStore,
} from '../../audit/audit-store';
import { checkpointEntry, signCheckpoint } from '../../audit/checkpoint';
import { erasedClientName } from '../../audit/committed-name';
import type { CommandOfOutcome, NamesOfIds } from '../../audit/record-body';
import type { ReadHandlers, Sql, SqlValue, WriteHandlers } from '../sql';

/** How many records one statement of a list reads, before the filter. */
const PAGE = 1_000;

export const auditReads = {
  async listAudit(sql, filter, position, limit) {
    const names = namesIn(sql);
    const rows: AuditRow[] = [];
    for (let from = position; rows.length < limit; ) {
      const page = await scan(sql, filter, from);
      for (const record of page) {
        const row = await auditRow(record, names, () => nearestCommand(sql, record));
        if (passes(row, filter)) rows.push(row);
        if (rows.length === limit) break;
      }
      const last = page.at(-1);
      if (!last || page.length < PAGE) break;
      from = { ...from, afterId: last.id };
    }
    return rows;
  },

  newestRecord: (sql) => sql.get<NewestRecord>(NEWEST),

  async auditRows(sql, records) {
    const names = namesIn(sql);
    const rows: AuditRow[] = [];
    for (const record of records) rows.push(await auditRow(record, names, async () => record.commandBody));
    return rows;
  },
} satisfies ReadHandlers<AuditStore & ArchiveStore>;

const NEWEST = `SELECT audit_log.writer, name, audit_log.seq, kind, at_ms, body, audit_log.hash
  FROM audit_log JOIN audit_writers ON audit_writers.writer = audit_log.writer ORDER BY id DESC LIMIT 1`;

/** Unless the device was away, at most this many records are between that of a command and that of its outcome. */
const COMMANDS_NEAR = 5_000;

/** The body of the record of an outcome's command. No index helps, so only records near the outcome's are searched. */
async function nearestCommand(sql: Sql, record: ListedRecord): Promise<string | undefined> {
  const wanted = commandIdOf(record);
  if (wanted === undefined) return undefined;
  const { id } = record;
  return (await sql.get<{ body: string }>(NEAREST_COMMAND, id, id - COMMANDS_NEAR, wanted))?.body;
}

/** Each half has the limit: PostgreSQL would else read all records that are near, not only up to the command's. */
const NEAREST_COMMAND = `SELECT * FROM (
    SELECT id, body FROM audit_log
    WHERE id < $1 AND id > $2 AND kind = 'command' AND body LIKE '%"command":"' || $3 || '"%' ORDER BY id DESC LIMIT 1
  ) AS second_format
  UNION ALL SELECT * FROM (
    SELECT id, body FROM audit_records
    WHERE id < $1 AND id > $2 AND kind = 'command' AND command_id = $3 ORDER BY id DESC LIMIT 1
  ) AS first_format
  ORDER BY id DESC LIMIT 1`;

export const auditWrites = {
  async appendCheckpoint({ audit, auditHeads }, key, atMs) {
    await audit(checkpointEntry(signCheckpoint(key, atMs, await auditHeads(atMs))));
    return signCheckpoint(key, atMs, await auditHeads(atMs));
  },

  async recordNewAuditKey({ sql, audit, auditHeads }, key, atMs) {
    if (!(await sql.get(ANY_CHECKPOINT))) return false;
    await audit(checkpointEntry(signCheckpoint(key, atMs, await auditHeads(atMs)), 'audit-key-changed'));
    return true;
  },

  async erasePerson({ sql, audit }, name, atMs) {
    const as = ` as ${name}`;
    // The audit's own lock, because names are added under it.
    await sql.lock('audit');
    const found = await sql.get<{ names: number }>(COUNT_PERSON, name, as);
    if (!found || found.names === 0) return 0;
    // The record comes first, because it may name its actor, who may be this person.
    await audit({ kind: 'name-erased', atMs, details: { names: found.names } });
    return sql.run(ERASE_PERSON, name, as);
  },

  async eraseClientName({ sql, audit }, clientId, atMs) {
    if ((await sql.run(ERASE_CLIENT_NAME, clientId, erasedClientName(clientId))) === 0) return false;
    await audit({ kind: 'name-erased', atMs, clientId });
    return true;
  },
} satisfies WriteHandlers<CheckpointStore & AuditKeyStore & NameStore>;

/**
 * Filters by columns with an index only: one on parts of the bodies would cost each command more than it saves those who read the
 * audit. Ids begin with 1: what stands before is no record.
 */
function scan(sql: Sql, { kind }: AuditFilter, { afterId, newestFirst }: AuditPosition): Promise<ListedRecord[]> {
  const values: SqlValue[] = [PAGE];
  const after = afterId === null ? '' : `AND id ${newestFirst ? '<' : '>'} $${values.push(afterId)}`;
  const bookkeeping = BOOKKEEPING_KINDS.map((one) => `'${one}'`).join();
  const ofKind = kind === null ? `AND kind NOT IN (${bookkeeping})` : `AND kind = $${values.push(kind)}`;
  // Each half has the limit: PostgreSQL would else read and sort all records for each page.
  const page = `ORDER BY id ${newestFirst ? 'DESC' : 'ASC'} LIMIT $1`;
  const statement = `SELECT * FROM (
      SELECT id, writer AS name, seq, kind, 0 AS at_ms, body, hash, 1 AS format
      FROM audit_records WHERE id > 0 ${after} ${ofKind} ${page}
    ) AS first_format
    UNION ALL SELECT * FROM (
      SELECT id, (SELECT name FROM audit_writers WHERE audit_writers.writer = audit_log.writer) AS name,
        seq, kind, at_ms, body, hash, 2 AS format
      FROM audit_log WHERE id > 0 ${after} ${ofKind} ${page}
    ) AS second_format
    ${page}`;
  return sql.all<ListedRecord>(statement, ...values);
}

/** Reads each name once a list, because names seldom change. */
function namesIn(sql: Sql): NamesOfIds {
  const remembered = <Id extends string | number, Named>(find: (id: Id) => Promise<Named>) => {
    const known = new Map<Id, Promise<Named>>();
    return (id: Id): Promise<Named> => {
      const named = known.get(id) ?? find(id);
      known.set(id, named);
      return named;
    };
  };
  const nameBy = (statement: string) =>
    remembered(
      async (id: string | number) => (await sql.get<{ name: string | null }>(statement, id))?.name ?? undefined,
    );
  return {
    productLogin: nameBy(PRODUCT_LOGIN),
    person: nameBy(PERSON),
    clientName: nameBy(CLIENT_NAME),
    command: (commandId) => sql.get<CommandOfOutcome>(COMMAND, commandId),
  };
}

const PRODUCT_LOGIN = 'SELECT product_login AS name FROM products WHERE product_id = $1';
const PERSON = 'SELECT name FROM audit_names WHERE name_id = $1';
const CLIENT_NAME = 'SELECT name FROM clients WHERE client_id = $1';
const COMMAND = `SELECT product_login, actor_id AS client_id, num_output
  FROM commands JOIN products ON products.product_id = commands.product_id WHERE command_id = $1`;

const CHECKPOINTS = "kind IN ('checkpoint', 'audit-key-changed')";
/** An archive ends with one. */
const ANY_CHECKPOINT = `SELECT 1 AS found FROM audit_log WHERE ${CHECKPOINTS}
  UNION ALL SELECT 1 FROM audit_archives LIMIT 1`;

/** The name alone, or behind a program's (\`cli as NAME\`). */
const IS_PERSON = 'name = $1 OR substr(name, length(name) - length($2) + 1) = $2';
const COUNT_PERSON = `SELECT COUNT(*) AS names FROM audit_names WHERE ${IS_PERSON}`;
const ERASE_PERSON = `UPDATE audit_names SET name = NULL, salt = NULL WHERE ${IS_PERSON}`;
const ERASE_CLIENT_NAME = 'UPDATE clients SET name = $2, name_salt = NULL WHERE client_id = $1';

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
    // The file of remaining records can get lost too. If none of them was removed yet, no further record is lost.
    if (lostFromId <= lostToId) {
      const gap = { fromId: lostFromId, toId: lostToId, file: given.file, sha256: given.sha256 };
      await audit({ kind: 'audit-lost', atMs, details: { ...gap, after: headsOf(before), heads: headsOf(lost) } });
    }
    const details = { fromId, toId, file, sha256, heads: headsOf(state), lostToId };
    await audit({ kind: 'audit-archived', atMs, details });
  },

  async removeArchived({ sql }, toId, state) {
    const removed = (await sql.run(REMOVE_OLD, toId)) + (await sql.run(REMOVE, toId));
    // Another program may have removed them, and more, already.
    if (state && removed > 0) await sql.run('UPDATE audit_removed SET state = $1', JSON.stringify(state));
    return removed;
  },
} satisfies WriteHandlers<ArchiveStore>;

const FIRST_ID = `SELECT MIN(id) AS id FROM (
  SELECT MIN(id) AS id FROM audit_records UNION ALL SELECT MIN(id) FROM audit_log) AS firsts`;
const LAST_ID = 'SELECT COALESCE(MAX(to_id), 0) AS last_id FROM audit_archives';
/** The file of the last archive, if none of its records was removed. */
const REPLACE = `UPDATE audit_archives SET file = $3, sha256 = $4
  WHERE from_id = $1 AND to_id = $2 AND to_id = (SELECT MAX(to_id) FROM audit_archives) AND EXISTS (
    SELECT 1 FROM audit_records WHERE id = $1 UNION ALL SELECT 1 FROM audit_log WHERE id = $1)`;
/** The file of the last archive, if no record was removed since its loss was noticed. */
const REPLACE_LOST = `UPDATE audit_archives SET lost_state = $2, file = $3, sha256 = $4
  WHERE to_id = $1 AND sha256 = $5 AND to_id = (SELECT MAX(to_id) FROM audit_archives)
    AND $2 = (SELECT state FROM audit_removed)`;
const RECORD = 'INSERT INTO audit_archives (from_id, to_id, file, sha256, state) VALUES ($1, $2, $3, $4, $5)';
const REMOVE_OLD = 'DELETE FROM audit_records WHERE id <= $1 AND id <= (SELECT MAX(to_id) FROM audit_archives)';
const REMOVE = 'DELETE FROM audit_log WHERE id <= $1 AND id <= (SELECT MAX(to_id) FROM audit_archives)';
