import { createHash } from 'node:crypto';
import type { KeyHolder, NewClient } from '@relaygate/server/clients/client-store';
import type { CommandRecord, OutcomeRecord } from '@relaygate/server/commands/command-store';
import type { DeviceReport, LinkOpening } from '@relaygate/server/devices/device-store';
import type { NewProduct } from '@relaygate/server/products/product-store';
import type { Storage } from '@relaygate/server/storage/storage';
import type { RefreshFamily } from '@relaygate/server/tokens/family-store';
import type { ReportedInput } from '@relaygate/shared';

/** Wall time of everything that does not say otherwise. */
export const NOW_MS = Date.UTC(2026, 0, 1);

export function client(clientId: string, changes: Partial<NewClient> = {}): NewClient {
  return {
    clientId,
    name: `name of ${clientId}`,
    keyId: `key of ${clientId}`,
    keyHash: 'aa',
    createdAtMs: NOW_MS,
    ...changes,
  };
}

/** The key that `client` gives a client of this id. */
export const keyOf = (clientId: string): KeyHolder => ({ clientId, keyId: `key of ${clientId}` });

export function product(productLogin: string, changes: Partial<NewProduct> = {}): NewProduct {
  const hashes = { keyHash: `key of ${productLogin}`, enrolmentHash: `code of ${productLogin}` };
  const names = { productId: productIdOf(productLogin), productLogin };
  return { ...names, ...hashes, outputCount: 2, activated: true, createdAtMs: NOW_MS, ...changes };
}

/** The id that `product` gives the product of this login. */
export function productIdOf(productLogin: string): number {
  return createHash('sha256').update(productLogin).digest().readUIntBE(0, 6);
}

export function command(commandId: string, changes: Partial<CommandRecord> = {}): CommandRecord {
  return {
    commandId,
    productLogin: 'gate',
    clientId: 'app',
    numOutput: 1,
    action: 'set',
    state: 1,
    acceptedAtMs: NOW_MS,
    bootId: 'boot-1',
    outcome: 'pending',
    reason: null,
    ...changes,
  };
}

/** What `command('c1')` asks for. */
export const ASKED = { commandId: 'c1', numOutput: 1, action: 'set' };

export function outcome(commandId: string, changes: Partial<OutcomeRecord> = {}): OutcomeRecord {
  const resolved = { outcome: 'executed', reason: null, resolvedAtMs: NOW_MS + 40 } as const;
  return {
    commandId,
    productLogin: 'gate',
    ...resolved,
    observed: { numOutput: 1, state: 1, version: { epoch: 1, seq: 2 } },
    ...changes,
  };
}

export function opening(changes: Partial<LinkOpening> = {}): LinkOpening {
  const device = { publicKey: 'public-1', bootId: 'boot-1', agentVersion: '1.2.3', instanceId: 'instance-1' };
  return { ...device, atMs: NOW_MS, ...changes };
}

export function report(changes: Partial<DeviceReport> = {}): DeviceReport {
  const outputs = [
    { numOutput: 0, name: 'Gate', mode: 'impulse', state: 0, pulseMs: 700 },
    { numOutput: 1, name: 'Lamp', mode: 'on-off', state: 1, pulseMs: 500 },
  ] as const;
  return { outputs, inputs: [], faults: [], observedAtMs: NOW_MS + 10, seq: 1, ...changes };
}

/** A contact of a gate, as a device reports it. */
export const CONTACT: ReportedInput = { numInput: 3, name: 'Gate', kind: 'contact', state: 'closed' };

export function family(familyId: string, changes: Partial<RefreshFamily> = {}): RefreshFamily {
  const first = { generation: 0, tokenHash: 'hash-0', rotatedAtMs: NOW_MS, revoked: false };
  return { familyId, ...keyOf('app'), ...first, ...changes };
}

/** The client `app`, associated with the product `gate` of two activated outputs. */
export async function withAppAndGate(storage: Storage): Promise<Storage> {
  await storage.createClient(client('app'));
  await storage.createProduct(product('gate'));
  await storage.associate('app', 'gate', NOW_MS);
  return storage;
}

/** The same with a device that is enrolled and linked; its epoch is 1. */
export async function withLinkedGate(storage: Storage): Promise<Storage> {
  await withAppAndGate(storage);
  await storage.enrolDevice('gate', 'public-1', 'code of gate', NOW_MS);
  await storage.openLink('gate', opening());
  return storage;
}
