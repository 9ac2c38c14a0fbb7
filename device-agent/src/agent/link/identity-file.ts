import { parserOf, type Randomness, RelaygateError, type Static, Type } from '@relaygate/shared';
import type { Files } from '../../files/files';
import { JsonFile, type JsonFormat } from '../../files/json-file';
import { type Identity, type IdentityOf, SEED_BYTES } from './identity';

const Bytes32 = Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' });
const KeyPair = Type.Object({ privateKey: Bytes32, publicKey: Bytes32 });
/** Nobody but the agent reads it. */
const FORMAT: JsonFormat<Static<typeof KeyPair>> = { parse: parserOf(KeyPair), mode: 0o600 };

/**
 * Reads `identity.json`, or makes the key pair at the first start. A corrupt file stops the start and stays as it is: the
 * server knows this device by that key, and only a person can decide to enrol it anew.
 */
export async function openIdentity(
  files: Files,
  path: string,
  randomness: Randomness,
  identityOf: IdentityOf,
): Promise<Identity> {
  const file = new JsonFile(files, path, FORMAT);
  const { text, value: keys } = await file.read();
  if (text !== null) {
    // The server is about to get this key, so a power cut must not take it: a former agent may have died before it was
    // durable.
    await file.sync().catch(() => {});
    const identity = keys && identityOf(Buffer.from(keys.privateKey, 'base64url'));
    if (identity && identity.publicKey === keys.publicKey) return identity;
    throw new RelaygateError(
      'file-corrupt',
      `${path} is corrupt; restore a copy, or move it away and enrol this device with a new code.`,
    );
  }
  const seed = randomness.bytes(SEED_BYTES);
  const identity = identityOf(seed);
  await file.save({ privateKey: Buffer.from(seed).toString('base64url'), publicKey: identity.publicKey });
  return identity;
}
