import { storageAuditContract } from './storage-audit-contract';
import { storageChangesContract } from './storage-changes-contract';
import { storageClientContract } from './storage-client-contract';
import { storageCommandContract } from './storage-command-contract';
import { storageDeviceContract } from './storage-device-contract';
import { storageHistoryContract } from './storage-history-contract';
import { storageKeyContract } from './storage-key-contract';
import { storageNodeContract } from './storage-node-contract';
import { storageProductContract } from './storage-product-contract';
import { storageRetentionContract } from './storage-retention-contract';
import { storageTokenContract } from './storage-token-contract';
import type { StorageUnderTest } from './storage-under-test';

/** What every adapter of the storage port must do; call it inside a `describe`. */
export function storageContract(adapter: StorageUnderTest): void {
  storageClientContract(adapter);
  storageProductContract(adapter);
  storageDeviceContract(adapter);
  storageHistoryContract(adapter);
  storageNodeContract(adapter);
  storageTokenContract(adapter);
  storageCommandContract(adapter);
  storageKeyContract(adapter);
  storageRetentionContract(adapter);
  storageAuditContract(adapter);
  storageChangesContract(adapter);
}
