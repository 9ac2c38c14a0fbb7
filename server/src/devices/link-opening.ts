import { createPublicKey, verify } from 'node:crypto';
import { type Hello, MAX_UNRESOLVED_PER_WELCOME, type Proof, proofText } from '@relaygate/shared';
import type { WriteBudgets } from '../limits/write-budgets';
import { type NodeMembership, writtenBy } from '../nodes/membership';
import type { NodeStore } from '../nodes/node-store';
import type { DeviceStore, HeldLink, PinnedKeys, UnresolvedCommands } from './device-store';
import { hashEnrolmentCode } from './enrolment-code';
import type { LinkRegistry } from './link-registry';

export interface LinkOpeningDeps {
  store: Pick<DeviceStore, 'openLink' | 'enrolDevice'> &
    PinnedKeys &
    UnresolvedCommands &
    Pick<NodeStore, 'productOwner'>;
  budgets: Pick<WriteBudgets, 'links'>;
  node: NodeMembership;
  registry: Pick<LinkRegistry, 'lostElsewhere'>;
}

export interface OpenedLink {
  held: HeldLink;
  unresolved: string[];
}

export type OpeningRefusal = 'not-proven' | 'too-many-links';

/** True if the holder of hello's private key signed this very exchange for this server. */
export function isProofValid(serverName: string, hello: Hello, serverNonce: string, proof: Proof): boolean {
  const { productLogin, publicKey, deviceNonce } = hello;
  const text = proofText({ serverName, productLogin, publicKey, deviceNonce, serverNonce });
  try {
    // Its 32 bytes in base64url are a JWK's x (RFC 8037 section 2); reading DER takes six times as long.
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey }, format: 'jwk' });
    return verify(null, Buffer.from(text), key, Buffer.from(proof.signature, 'base64url'));
  } catch {
    return false;
  }
}

/**
 * Lets the product's own device in, or enrols it. `not-proven` if the product does not know this key: an unknown product, no enrolment
 * and a wrong code look alike from outside. `too-many-links` beyond the product's budget. A refusal has written nothing, so a stranger
 * makes no work for the database's writer but the look at a code.
 */
export async function admitDevice(
  { store, budgets, node, registry }: LinkOpeningDeps,
  { productLogin, publicKey }: Hello,
  { enrolmentCode, atMs }: { enrolmentCode: string | undefined; atMs: number },
): Promise<OpeningRefusal | undefined> {
  if ((await store.findProduct(productLogin))?.devicePublicKey === publicKey) {
    // Only a device with the product's own key uses up the product's budget.
    if (budgets.links.of(productLogin).take() > 0) return 'too-many-links';
    // The product may have been linked to another node until now: commands that come before the handshake has ended wait for that.
    if (node.instance !== undefined) registry.lostElsewhere(productLogin);
  } else {
    if (enrolmentCode === undefined) return 'not-proven';
    const hash = hashEnrolmentCode(enrolmentCode);
    if (!(await store.enrolDevice(productLogin, publicKey, hash, atMs))) return 'not-proven';
  }
  return undefined;
}

/**
 * Gives the device its next epoch, durable (I12), and lists the commands whose outcome the server asks for. `not-proven` if its key was
 * taken away since it was admitted.
 */
export async function openLink(
  { store, node }: LinkOpeningDeps,
  { productLogin, publicKey, bootId, agentVersion, instanceId }: Hello,
  atMs: number,
): Promise<OpenedLink | OpeningRefusal> {
  const opening = { publicKey, bootId, agentVersion, instanceId, atMs, ...writtenBy(node) };
  const epoch = await store.openLink(productLogin, opening);
  if (epoch === undefined) return 'not-proven';
  const open = await store.openCommands(productLogin, MAX_UNRESOLVED_PER_WELCOME);
  const held = { epoch, publicKey, bootId, agentVersion, atMs };
  return { held, unresolved: open.map((command) => command.commandId) };
}
