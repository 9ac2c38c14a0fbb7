import type { AuditStore } from '../audit/audit-store';
import type { DeviceHistoryStore } from '../audit/device-history';
import type { ClientStore } from '../clients/client-store';
import type { CommandStore } from '../commands/command-store';
import type { DeviceStore } from '../devices/device-store';
import type { ProductStore } from '../products/product-store';
import type { FamilyStore } from '../tokens/family-store';

/**
 * The storage port: everything the domain keeps. Rejections are RelaygateErrors: `storage-unavailable` when the
 * write was not taken (nothing changed), `storage-unanswered` when nobody knows (its commit failed, or its thread
 * hangs or has died, and what it had in hand may be committed), the store's own codes else. Closing waits for writes under way.
 */
export interface Storage
  extends ClientStore,
    ProductStore,
    DeviceStore,
    DeviceHistoryStore,
    FamilyStore,
    CommandStore,
    AuditStore {
  /** Resolves when a write can be committed right now; for /readyz. */
  probe(): Promise<void>;
  close(): Promise<void>;
}
