import type { Database } from 'better-sqlite3';
import type { OpenCommand } from '../commands/command-store';
import { askedIn, commandView } from './command-entries';
import type { ReadHandlers } from './storage-write';

type Flag = 0 | 1;

interface AccessRow {
  productActivated: Flag;
  clientActive: Flag | null;
  clientName: string | null;
  associated: Flag;
  outputActivated: Flag | null;
  deviceEnrolled: Flag;
}

export function commandReads(
  db: Database,
): Pick<ReadHandlers, 'readAccess' | 'findCommand' | 'findOpen' | 'openCommands'> {
  const access = db.prepare<[string, string, string, number, string], AccessRow>(
    `SELECT activated AS productActivated,
       (SELECT active FROM clients WHERE client_id = ?) AS clientActive,
       (SELECT name FROM clients WHERE client_id = ?) AS clientName,
       EXISTS (
         SELECT 1 FROM associations
         WHERE client_id = ? AND associations.product_login = products.product_login
       ) AS associated,
       (SELECT outputs.activated FROM outputs
         WHERE outputs.product_login = products.product_login AND num_output = ?) AS outputActivated,
       device_public_key IS NOT NULL AS deviceEnrolled
     FROM products WHERE product_login = ?`,
  );
  const record = db.prepare<[string], { body: string }>(
    "SELECT body FROM audit_records WHERE command_id = ? AND kind = 'command' ORDER BY id LIMIT 1",
  );
  const latestOutcome = db.prepare<[string], { body: string }>(
    "SELECT body FROM audit_records WHERE command_id = ? AND kind = 'outcome' ORDER BY id DESC LIMIT 1",
  );
  const open = db.prepare<[string, string], { body: string }>(
    `SELECT body FROM open_commands JOIN audit_records USING (command_id)
     WHERE command_id = ? AND product_login = ? AND kind = 'command' ORDER BY id LIMIT 1`,
  );
  const openOf = db.prepare<[string, number], OpenCommand>(
    `SELECT command_id AS commandId, boot_id AS bootId FROM open_commands
     WHERE product_login = ? ORDER BY accepted_at_ms DESC, command_id DESC LIMIT ?`,
  );

  return {
    readAccess(clientId, productLogin, numOutput) {
      const row = access.get(clientId, clientId, clientId, numOutput, productLogin);
      return (
        row && {
          clientActive: row.clientActive === 1,
          clientName: row.clientName ?? undefined,
          associated: row.associated === 1,
          productActivated: row.productActivated === 1,
          outputActivated: row.outputActivated === null ? undefined : row.outputActivated === 1,
          deviceEnrolled: row.deviceEnrolled === 1,
        }
      );
    },
    findCommand(commandId) {
      const command = record.get(commandId);
      return command && commandView(command.body, latestOutcome.get(commandId)?.body);
    },
    findOpen(productLogin, commandId) {
      const command = open.get(commandId, productLogin);
      return command && askedIn(command.body);
    },
    openCommands: (productLogin, limit) => openOf.all(productLogin, limit),
  };
}
