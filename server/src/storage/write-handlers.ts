import type { Database } from 'better-sqlite3';
import type { AppendAudit } from './audit-chain';
import { clientWrites } from './client-writes';
import { commandWrites } from './command-writes';
import { deviceWrites } from './device-writes';
import { familyWrites } from './family-writes';
import { historyWrites } from './history-writes';
import { productWrites } from './product-writes';
import type { StorageWrite, WriteHandlers, WriteName, WriteResults } from './storage-write';

/** Every write's handler over one connection, which must be in a transaction when they run. */
export function writeHandlers(db: Database, audit: AppendAudit, writerName: string): WriteHandlers {
  const probe = db.prepare('UPDATE write_probe SET probes = probes + 1');
  return {
    ...clientWrites(db, audit),
    ...productWrites(db, audit),
    ...deviceWrites(db, audit),
    ...historyWrites(db, audit),
    ...familyWrites(db, audit),
    ...commandWrites(db, audit, writerName),
    probe() {
      probe.run();
    },
  };
}

export function runWrite<Name extends WriteName>(
  handlers: WriteHandlers,
  write: StorageWrite<Name>,
): WriteResults[Name] {
  return handlers[write.name](...write.args);
}
