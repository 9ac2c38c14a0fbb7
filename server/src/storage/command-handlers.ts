import {
  askedIn,
  commandEntry,
  commandView,
  interruptedEntry,
  outcomeEntry,
  staysOpen,
} from '../commands/command-entries';
import type { CommandStore, OpenCommand } from '../commands/command-store';
import { saveObservedState } from './device-handlers';
import type { ReadHandlers, WriteHandlers } from './handler';
import type { Flag } from './sql';

interface AccessRow {
  activated: Flag;
  clientActive: Flag | null;
  clientName: string | null;
  associated: Flag;
  outputActivated: Flag | null;
  deviceEnrolled: Flag;
}

interface BodyRow {
  body: string;
}

interface PendingRow {
  commandId: string;
  productLogin: string;
  acceptedAtMs: number;
}

export const commandReads = {
  async readAccess(sql, clientId, productLogin, numOutput) {
    const row = await sql.get<AccessRow>(ACCESS, clientId, numOutput, productLogin);
    return (
      row && {
        clientActive: row.clientActive === 1,
        clientName: row.clientName ?? undefined,
        associated: row.associated === 1,
        productActivated: row.activated === 1,
        outputActivated: row.outputActivated === null ? undefined : row.outputActivated === 1,
        deviceEnrolled: row.deviceEnrolled === 1,
      }
    );
  },

  async findCommand(sql, commandId) {
    const command = await sql.get<BodyRow>(COMMAND, commandId);
    return command && commandView(command.body, (await sql.get<BodyRow>(LATEST_OUTCOME, commandId))?.body);
  },

  async findOpen(sql, productLogin, commandId) {
    const command = await sql.get<BodyRow>(OPEN_COMMAND, commandId, productLogin);
    return command && askedIn(command.body);
  },

  openCommands: (sql, productLogin, limit) => sql.all<OpenCommand>(OPEN_COMMANDS, productLogin, limit),
} satisfies ReadHandlers<CommandStore>;

export const commandWrites = {
  async recordCommand({ sql, audit, nodeName }, command) {
    await audit(commandEntry(command));
    const { commandId, productLogin, bootId, acceptedAtMs, outcome } = command;
    if (!staysOpen(outcome)) return;
    await sql.run(OPEN, commandId, productLogin, nodeName, bootId, acceptedAtMs, Number(outcome === 'pending'));
  },

  async recordBoot({ sql }, commandId, bootId) {
    await sql.run(SEND_TO, bootId, commandId);
  },

  async recordOutcome({ sql, audit }, record) {
    const { commandId, productLogin, outcome, observed, resolvedAtMs } = record;
    // Nothing changes for a command that is not open, nor for the same "unknown" again: a retry after an answer
    // that was lost.
    const changed = await sql.run(staysOpen(outcome) ? KEEP_OPEN : CLOSE, commandId, productLogin);
    if (changed === 0) return false;
    await audit(outcomeEntry(record));
    if (observed) await saveObservedState(sql, productLogin, observed, resolvedAtMs);
    return true;
  },

  async interruptPending({ sql, audit }, ofNode, atMs, forgetBeforeMs) {
    const interrupted = await sql.all<PendingRow>(INTERRUPT, ofNode);
    for (const command of interrupted.sort(byAcceptance)) await audit(interruptedEntry(command, atMs));
    await sql.run(FORGET, forgetBeforeMs);
    return interrupted.length;
  },
} satisfies WriteHandlers<CommandStore>;

/** Of two commands of one millisecond, the order is that of their ids, UUIDs version 7. */
function byAcceptance(one: PendingRow, other: PendingRow): number {
  return one.acceptedAtMs - other.acceptedAtMs || (one.commandId < other.commandId ? -1 : 1);
}

const ACCESS = `SELECT activated,
    (SELECT active FROM clients WHERE client_id = $1) AS client_active,
    (SELECT name FROM clients WHERE client_id = $1) AS client_name,
    CASE WHEN EXISTS (
      SELECT 1 FROM associations
      WHERE client_id = $1 AND associations.product_login = products.product_login
    ) THEN 1 ELSE 0 END AS associated,
    (SELECT outputs.activated FROM outputs
      WHERE outputs.product_login = products.product_login AND num_output = $2) AS output_activated,
    CASE WHEN device_public_key IS NULL THEN 0 ELSE 1 END AS device_enrolled
  FROM products WHERE product_login = $3`;
const COMMAND = "SELECT body FROM audit_records WHERE command_id = $1 AND kind = 'command' ORDER BY id LIMIT 1";
const LATEST_OUTCOME = `SELECT body FROM audit_records WHERE command_id = $1 AND kind = 'outcome'
  ORDER BY id DESC LIMIT 1`;
const OPEN_COMMAND = `SELECT body FROM open_commands
  JOIN audit_records ON audit_records.command_id = open_commands.command_id
  WHERE open_commands.command_id = $1 AND product_login = $2 AND kind = 'command' ORDER BY id LIMIT 1`;
const OPEN_COMMANDS = `SELECT command_id, boot_id FROM open_commands
  WHERE product_login = $1 ORDER BY accepted_at_ms DESC, command_id DESC LIMIT $2`;

const OPEN = `INSERT INTO open_commands (command_id, product_login, node_name, boot_id, accepted_at_ms, pending)
  VALUES ($1, $2, $3, $4, $5, $6)`;
const SEND_TO = 'UPDATE open_commands SET boot_id = $1 WHERE command_id = $2';
const CLOSE = 'DELETE FROM open_commands WHERE command_id = $1 AND product_login = $2';
const KEEP_OPEN = `UPDATE open_commands SET pending = 0
  WHERE command_id = $1 AND product_login = $2 AND pending = 1`;
const INTERRUPT = `UPDATE open_commands SET pending = 0 WHERE node_name = $1 AND pending = 1
  RETURNING command_id, product_login, accepted_at_ms`;
/** Other nodes settle their own pending commands. */
const FORGET = 'DELETE FROM open_commands WHERE accepted_at_ms < $1 AND pending = 0';
