import type { ProofSubject } from '@relaygate/shared';

/** The device's Ed25519 key pair, as a port: what the server knows this device by. */
export interface Identity {
  /** 32 bytes in base64url. */
  publicKey: string;
  /** The signature over the link's proof text, in base64url. */
  prove(subject: Omit<ProofSubject, 'publicKey'>): string;
}

export const SEED_BYTES = 32;
/** The key pair of a secret seed of SEED_BYTES. */
export type IdentityOf = (seed: Uint8Array) => Identity;
