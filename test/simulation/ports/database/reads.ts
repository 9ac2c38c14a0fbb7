import { ALL_AUDIT_READS } from '@relaygate/server/storage/sqlite/versioned-audit';
import { READS } from '@relaygate/server/storage/storage';

const ALL_READS = { ...READS, ...ALL_AUDIT_READS };

/** Carries a read of the storage port out; undefined: it is a write. */
export function readOf(name: string): ((...args: unknown[]) => unknown) | undefined {
  const read: unknown = Reflect.get(ALL_READS, name);
  return typeof read === 'function' ? (...args) => read(...args) : undefined;
}
