import type { AuditEntry } from '../audit/audit-record';
import type { NewProduct } from './product-store';

/** Audit entries of products, outputs and associations. */

export function productCreated({ productLogin, outputCount, activated, createdAtMs }: NewProduct): AuditEntry {
  return {
    kind: 'product-created',
    atMs: createdAtMs,
    productLogin,
    details: { login: productLogin, outputCount, activated },
  };
}

export function productActivation(productLogin: string, activated: boolean, atMs: number): AuditEntry {
  return { kind: activated ? 'product-activated' : 'product-deactivated', atMs, productLogin };
}

export function outputActivation(
  productLogin: string,
  numOutput: number,
  activated: boolean,
  atMs: number,
): AuditEntry {
  const kind = activated ? 'output-activated' : 'output-deactivated';
  return { kind, atMs, productLogin, details: { numOutput } };
}

export function productKeyRotated(productLogin: string, atMs: number): AuditEntry {
  return { kind: 'product-key-rotated', atMs, productLogin };
}

export function associationBegun(clientId: string, productLogin: string, atMs: number): AuditEntry {
  return { kind: 'associated', atMs, productLogin, clientId };
}

export function associationEnded(clientId: string, productLogin: string, atMs: number): AuditEntry {
  return { kind: 'dissociated', atMs, productLogin, clientId };
}
