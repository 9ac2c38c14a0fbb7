import type { ArchiveStore, AuditArchive } from '../../audit/archive-store';
import type { WriterHead } from '../../audit/audit-record';
import type { AuditFacts, AuditStore, KeptNames, ProductName } from '../../audit/audit-store';
import type { ReadHandlers } from '../sql';

/** Reads for whoever verifies or archives the whole audit, on a database of the present shape; but not the records themselves. */
export const storedAuditReads = {
  async auditHeads(sql) {
    const heads = await sql.all<WriterHead>(HEADS);
    const names = new Set(heads.map(({ writer }) => writer));
    const old = await sql.all<WriterHead>(OLD_HEADS);
    return [...heads, ...old.filter(({ writer }) => !names.has(writer))];
  },

  async auditFacts(sql) {
    const counts = await sql.get<Omit<AuditFacts, 'openCommands'>>(COUNTS);
    const rows = await sql.all<{ commandId: string }>(OPEN_COMMANDS, MAX_OPEN_COMMANDS);
    return { clients: 0, products: 0, ...counts, openCommands: rows.map(({ commandId }) => commandId) };
  },

  auditProducts: (sql) => sql.all<ProductName>(PRODUCTS),

  async auditNames(sql) {
    return {
      people: await sql.all<KeptNames['people'][number]>(PEOPLE),
      clients: await sql.all<KeptNames['clients'][number]>(CLIENTS),
    };
  },

  async auditArchives(sql) {
    return (await sql.all<ArchiveRow>(ARCHIVES)).map(archiveOf);
  },

  async removedState(sql) {
    const { state = null } = (await sql.get<{ state: string | null }>('SELECT state FROM audit_removed')) ?? {};
    return state === null ? undefined : JSON.parse(state);
  },
} satisfies ReadHandlers<AuditStore & ArchiveStore>;

export interface ArchiveRow extends Omit<AuditArchive, 'state' | 'lost'> {
  state: string;
  lostState: string | null;
}

export function archiveOf({ state, lostState, ...row }: ArchiveRow): AuditArchive {
  return { ...row, state: JSON.parse(state), ...(lostState === null ? {} : { lost: JSON.parse(lostState) }) };
}

const HEADS = 'SELECT name AS writer, seq, hash FROM audit_writers';
const OLD_HEADS = 'SELECT writer, seq, hash FROM audit_heads';
const ARCHIVES = 'SELECT file, from_id, to_id, sha256, state, lost_state FROM audit_archives ORDER BY to_id';
const PEOPLE = 'SELECT name_id AS id, name, salt FROM audit_names';
const CLIENTS = 'SELECT client_id, name, name_salt AS salt FROM clients';
const PRODUCTS = 'SELECT product_id, product_login FROM products';
export const COUNTS = `SELECT (SELECT COUNT(*) FROM clients) AS clients, (SELECT COUNT(*) FROM products) AS products`;
/** I15. Only the newest are read: older commands were given long ago. */
export const MAX_OPEN_COMMANDS = 10_000;
export const OPEN_COMMANDS = 'SELECT command_id FROM commands WHERE open = 1 ORDER BY id DESC LIMIT $1';
