import { BOOKKEEPING_KINDS, isJump } from './audit-record';
import type { AuditFilter, AuditRow } from './audit-store';
import { type CommandOfOutcome, entryOf, type NamesOfIds } from './record-body';

/** A record as a list reads it. */
export interface ListedRecord {
  id: number;
  /** Of its writer. */
  name: string;
  seq: number;
  kind: string;
  /** 0 in the first format, whose body says it. */
  atMs: number;
  body: string;
  hash: string;
  format: 1 | 2;
  /** Of an outcome: what the record of its command says, if that was read. */
  commandBody?: string;
}

/** Without a kind, a list shows none of these. */
const BOOKKEEPING: readonly string[] = BOOKKEEPING_KINDS;

/** `commandBody`: what the record of an outcome's command says. It goes before the command's row, which no hash covers. */
export async function auditRow(
  record: ListedRecord,
  names: NamesOfIds,
  commandBody: () => Promise<string | undefined>,
): Promise<AuditRow> {
  const all = {
    ...names,
    command: async (id: string) => (await commandOf(await commandBody(), names)) ?? names.command(id),
  };
  const { id, hash, name, seq } = record;
  if (record.format === 2) return { ...(await entryOf(record, all)), id, writer: name, seq, hash };
  const row: AuditRow = { ...JSON.parse(record.body), id, hash };
  if (row.clientId !== undefined || row.commandId === undefined) return row;
  const clientId = (await all.command(row.commandId))?.clientId;
  return clientId === undefined ? row : { ...row, clientId };
}

/** From the body of its record, in either format. */
async function commandOf(body: string | undefined, names: NamesOfIds): Promise<CommandOfOutcome | undefined> {
  if (body === undefined) return undefined;
  const command: CommandBody = JSON.parse(body);
  const productLogin = command.productLogin ?? (await names.productLogin(command.product ?? 0));
  const clientId = command.clientId ?? command.client;
  if (productLogin === undefined || clientId === undefined) return undefined;
  return { productLogin, clientId, numOutput: command.details.numOutput };
}

interface CommandBody {
  /** In the first format. */
  productLogin?: string;
  clientId?: string;
  product?: number;
  client?: string;
  details: { numOutput: number };
}

/** Whether a list shows it. A jump is listed once: only the record in its program's chain says where it came from. */
export function passes(row: AuditRow, filter: AuditFilter): boolean {
  const { productLogin, clientId, sinceMs, untilMs, outcome, kind } = filter;
  return (
    !(isJump(row.kind) && row.details?.from === undefined) &&
    (kind === null ? !BOOKKEEPING.includes(row.kind) : row.kind === kind) &&
    (productLogin === null || row.productLogin === productLogin) &&
    (clientId === null || row.clientId === clientId) &&
    (outcome === null || row.details?.outcome === outcome) &&
    (sinceMs === null || row.atMs >= sinceMs) &&
    (untilMs === null || row.atMs < untilMs)
  );
}
