import type { AuditEntry } from '../audit/audit-record';
import type { KeyRotation, NamedClient, NewClient } from './client-store';

/** Audit entries of clients and their keys. */

export function clientCreated({ clientId, name, keyId, createdAtMs }: NewClient, nameCommitment: string): AuditEntry {
  return { kind: 'client-created', atMs: createdAtMs, clientId, details: { name, keyId, nameCommitment } };
}

export function clientActivation({ clientId, name }: NamedClient, active: boolean, atMs: number): AuditEntry {
  return { kind: active ? 'client-activated' : 'client-deactivated', atMs, clientId, details: { name } };
}

export function clientKeyRotated(
  { clientId, name }: NamedClient,
  oldKeyId: string | null,
  { keyId, oldKeyUntilMs, atMs }: KeyRotation,
): AuditEntry {
  return { kind: 'client-key-rotated', atMs, clientId, details: { name, keyId, oldKeyId, oldKeyUntilMs } };
}

/** True if the old key ends at once: somebody who had it may also have refresh tokens (I13). */
export function endsSessions({ oldKeyUntilMs, atMs }: KeyRotation): boolean {
  return oldKeyUntilMs <= atMs;
}
