import type { Identity } from '@relaygate/device-agent/agent/link/identity';
import { ed25519Identity } from '@relaygate/device-agent/platform/ed25519-identity';

const SEED_BYTES = 32;
/** Making and reading a key pair takes long, so the n-th one of every world is the same. */
const pairs: Identity[] = [];

/** The key pairs of one world: each seed that a device draws stands for one, and nobody else's. */
export class Identities {
  readonly #drawn = new Map<string, Identity>();

  of(seed: Uint8Array): Identity {
    const name = Buffer.from(seed).toString('hex');
    const identity = this.#drawn.get(name) ?? pairOf(this.#drawn.size);
    this.#drawn.set(name, identity);
    return identity;
  }
}

function pairOf(n: number): Identity {
  const pair = pairs[n] ?? ed25519Identity(Buffer.alloc(SEED_BYTES, n + 1));
  pairs[n] = pair;
  return pair;
}
