import type { AuditEntry } from '../audit/audit-record';

/** Audit entries of a product's device. */

export function deviceEnrolled(productLogin: string, publicKey: string, atMs: number): AuditEntry {
  return { kind: 'device-enrolled', atMs, productLogin, details: { publicKey } };
}

/** `publicKey`: null if no device was enrolled. */
export function deviceRevoked(productLogin: string, publicKey: string | null, atMs: number): AuditEntry {
  return { kind: 'device-revoked', atMs, productLogin, details: { publicKey } };
}

/** Two devices hold one key. */
export function deviceReplaced(productLogin: string, epoch: number, atMs: number): AuditEntry {
  return { kind: 'device-replaced', atMs, productLogin, details: { epoch } };
}
