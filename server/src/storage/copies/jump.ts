import type { AuditEntry } from '../../audit/audit-record';
import type { AuditTrail } from '../audit/audit-trail';
import type { Transaction } from '../sql';
import type { RestoreDistance } from './restore-distance';

/**
 * Columns of which no number may come again. Devices remember the highest link epoch they have seen and take commands of no
 * lower one (I12). To whoever listens for changes, everything has changed.
 */
const AHEAD = {
  epochs: [
    'products SET link_epoch = link_epoch + $1, held_epoch = held_epoch + $1',
    // The reports of the last link stay those of the last link.
    'outputs SET heard_epoch = heard_epoch + $1',
  ],
  counters: [
    'products SET revision = revision + $1',
    'outputs SET revision = revision + $1',
    // Those that are closed stay as they are.
    'commands SET revision = revision + $1 WHERE open = 1',
    'revision_writers SET revision = revision + $1',
  ],
};

/** A database goes on where no other one has been, or most likely none: all its numbers, with a record of it in every chain. */
export async function jump(
  sql: Transaction,
  trail: AuditTrail,
  entry: AuditEntry,
  { epochs, counters, writers }: RestoreDistance,
): Promise<void> {
  for (const numbers of AHEAD.epochs) await sql.run(`UPDATE ${numbers}`, epochs);
  for (const numbers of AHEAD.counters) await sql.run(`UPDATE ${numbers}`, counters);
  await trail.jump(entry, counters, writers);
}
