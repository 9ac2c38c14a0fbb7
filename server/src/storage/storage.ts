import type { ArchiveStore } from '../audit/archive-store';
import type { AuditKeyStore, AuditStore, CheckpointStore, NameStore } from '../audit/audit-store';
import type { DeviceHistoryStore } from '../audit/device-history';
import type { ChangeStore } from '../changes/change';
import type { ClientStore } from '../clients/client-store';
import type { CommandStore } from '../commands/command-store';
import type { DeviceStore } from '../devices/device-store';
import type { NodeStore } from '../nodes/node-store';
import type { ProductStore } from '../products/product-store';
import type { FamilyStore } from '../tokens/family-store';
import type { KeyReleaseStore } from '../upkeep/key-release';
import type { WriteProbe } from '../upkeep/readiness';
import type { RetentionStore } from '../upkeep/retention';
import { archiveWrites, auditReads, auditWrites } from './handlers/audit-handlers';
import { changeReads } from './handlers/change-handlers';
import { clientReads, clientWrites, familyReads, familyWrites } from './handlers/client-handlers';
import { commandReads, commandWrites } from './handlers/command-handlers';
import { deviceReads, deviceWrites } from './handlers/device-handlers';
import { nodeReads, nodeWrites } from './handlers/node-handlers';
import { productReads, productWrites } from './handlers/product-handlers';
import { retentionReads, retentionWrites } from './handlers/retention-handlers';
import type { WriteHandlers } from './sql';

/**
 * The storage port: everything the domain keeps. Closing waits for writes under way. Rejections are RelaygateErrors:
 * - `storage-unavailable`: nothing was changed.
 * - `storage-unanswered`: the write may be committed, because its commit failed, or its thread hangs or has died.
 * - each store adds codes of its own.
 */
export interface Storage
  extends ClientStore,
    ProductStore,
    DeviceStore,
    DeviceHistoryStore,
    FamilyStore,
    CommandStore,
    ChangeStore,
    RetentionStore,
    KeyReleaseStore,
    AuditStore,
    CheckpointStore,
    AuditKeyStore,
    NameStore,
    NodeStore,
    ArchiveStore,
    WriteProbe {
  close(): Promise<void>;
}

/** What a running server may ask for: everything but the audit's records, of which there may be millions. */
export type ServerStorage = Omit<Storage, Exclude<keyof AuditStore | keyof ArchiveStore, keyof CheckpointStore>>;

/** Reads that take microseconds. What must be of one commit is read by one statement: they have no transaction. */
export const READS = {
  ...clientReads,
  ...productReads,
  ...deviceReads,
  ...commandReads,
  ...familyReads,
  ...nodeReads,
  ...changeReads,
  ...retentionReads,
};

/** Reads that may take seconds if the audit is long: the operator's commands call them, and no server does. */
export const AUDIT_READS = auditReads;

/** Each is one transaction. */
export const WRITES = {
  ...clientWrites,
  ...productWrites,
  ...deviceWrites,
  ...commandWrites,
  ...familyWrites,
  ...nodeWrites,
  ...retentionWrites,
  ...auditWrites,
  ...archiveWrites,
  ...({
    async probe({ sql }) {
      await sql.run('UPDATE write_probe SET probes = probes + 1');
    },
  } satisfies WriteHandlers<Storage>),
};

export type WriteName = keyof typeof WRITES;

/** A write as data: it may wait in a queue and travel to another thread. `name` says which it is. */
export type StorageWrite = { [Name in WriteName]: { name: Name; args: Parameters<Storage[Name]> } }[WriteName];

/** What takes writes and answers each exactly once: inline, or on a thread of its own. */
export interface Writer {
  /** Resolves with what the write's handler returned. */
  execute<Name extends WriteName>(name: Name, ...args: Parameters<Storage[Name]>): Promise<unknown>;
  /** Waits for the writes under way; later ones are refused. */
  close(): Promise<void>;
}
