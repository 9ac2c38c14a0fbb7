import { parserOf, type Randomness, RelaygateError, Type } from '@relaygate/shared';
import type { Files } from '../files/files';
import { type Identity, type IdentityOf, SEED_BYTES } from '../link/identity';

/** Nobody but the agent reads it. */
const MODE = 0o600;

const Bytes32 = Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' });
const parseIdentity = parserOf(Type.Object({ privateKey: Bytes32, publicKey: Bytes32 }));

/**
 * Reads `identity.json`, or makes the key pair at the first start. A corrupt file stops the start and stays as it is:
 * the server knows this device by that key, and a new one needs a new enrolment, which is for a person to decide.
 */
export async function openIdentity(
  files: Files,
  path: string,
  randomness: Randomness,
  identityOf: IdentityOf,
): Promise<Identity> {
  const text = await files.read(path);
  if (text !== null) {
    // The server is about to be told this key, and a power cut must not take it: an agent may have died before it was durable.
    await files.sync(path).catch(() => {});
    return readIdentity(text, path, identityOf);
  }
  const seed = randomness.bytes(SEED_BYTES);
  const identity = identityOf(seed);
  const content = { privateKey: Buffer.from(seed).toString('base64url'), publicKey: identity.publicKey };
  await files.replace(path, `${JSON.stringify(content, null, 2)}\n`, { mode: MODE });
  return identity;
}

function readIdentity(text: string, path: string, identityOf: IdentityOf): Identity {
  let value: unknown = null;
  try {
    value = JSON.parse(text);
  } catch {
    // As wrong as any other text.
  }
  const parsed = parseIdentity(value);
  const identity = parsed.ok ? identityOf(Buffer.from(parsed.value.privateKey, 'base64url')) : null;
  if (parsed.ok && identity?.publicKey === parsed.value.publicKey) return identity;
  throw new RelaygateError(
    'file-corrupt',
    `${path} is corrupt; restore a copy, or move it away and enrol this device with a new code.`,
  );
}
