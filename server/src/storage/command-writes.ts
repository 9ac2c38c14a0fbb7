import type { Database } from 'better-sqlite3';
import type { AppendAudit } from './audit-chain';
import { commandEntry, outcomeEntry } from './command-entries';
import { observeOutput } from './observe-output';
import type { WriteHandlers } from './storage-write';

interface InterruptedRow {
  commandId: string;
  productLogin: string;
}

/** `nodeName`: the node whose commands these are. */
export function commandWrites(
  db: Database,
  audit: AppendAudit,
  nodeName: string,
): Pick<WriteHandlers, 'recordCommand' | 'recordBoot' | 'recordOutcome' | 'interruptPending'> {
  const open = db.prepare(
    `INSERT INTO open_commands (command_id, product_login, node_name, boot_id, accepted_at_ms, pending)
     VALUES (?, ?, ?, ?, ?, ?)`,
  );
  const sendTo = db.prepare('UPDATE open_commands SET boot_id = ? WHERE command_id = ?');
  const close = db.prepare('DELETE FROM open_commands WHERE command_id = ? AND product_login = ?');
  const keepOpen = db.prepare(
    'UPDATE open_commands SET pending = 0 WHERE command_id = ? AND product_login = ? AND pending = 1',
  );
  const observe = observeOutput(db);
  const pendingOf = db.prepare<[string], InterruptedRow>(
    `SELECT command_id AS commandId, product_login AS productLogin
     FROM open_commands WHERE node_name = ? AND pending = 1 ORDER BY accepted_at_ms, command_id`,
  );
  // Pending ones of other nodes are theirs to settle.
  const forget = db.prepare('DELETE FROM open_commands WHERE accepted_at_ms < ? AND pending = 0');

  return {
    recordCommand(command) {
      audit(commandEntry(command));
      const { commandId, productLogin, bootId, acceptedAtMs, outcome } = command;
      if (outcome === 'pending' || outcome === 'unknown') {
        open.run(commandId, productLogin, nodeName, bootId, acceptedAtMs, Number(outcome === 'pending'));
      }
    },

    recordBoot(commandId, bootId) {
      sendTo.run(bootId, commandId);
    },

    recordOutcome(record) {
      const { commandId, productLogin, outcome, observed, resolvedAtMs } = record;
      const staysOpen = outcome === 'pending' || outcome === 'unknown';
      // Nothing to change for a command that is not open, nor for the same "unknown" again: a retry after an answer
      // that was lost.
      const { changes } = (staysOpen ? keepOpen : close).run(commandId, productLogin);
      if (changes === 0) return false;
      audit(outcomeEntry(record));
      if (observed) observe(productLogin, observed, resolvedAtMs);
      return true;
    },

    interruptPending(ofNode, atMs, forgetBeforeMs) {
      const interrupted = pendingOf.all(ofNode);
      for (const { commandId, productLogin } of interrupted) {
        const outcome = { outcome: 'unknown', reason: 'server-restarted', observed: null } as const;
        audit(outcomeEntry({ commandId, productLogin, resolvedAtMs: atMs, ...outcome }));
        keepOpen.run(commandId, productLogin);
      }
      forget.run(forgetBeforeMs);
      return interrupted.length;
    },
  };
}
