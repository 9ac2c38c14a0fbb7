import { createSecretKey, type KeyObject } from 'node:crypto';
import { join } from 'node:path';
import type { Randomness } from '@relaygate/shared';
import { removeIfPossible } from './durable-file';
import { createPrivately, readPrivately, unusable } from './private-file';

/** 32 bytes in base64url and a line feed. */
const FORMAT = /^([A-Za-z0-9_-]{43})\n?$/;
const KEY_BYTES = 32;

/** The key is in no backup, so that somebody who has only the database cannot make a checkpoint. */
export function auditKeyFile(dataDir: string): string {
  return join(dataDir, 'audit.key');
}

/** Undefined if there is none. Fails with `secrets-unusable` if it is damaged or others may read it. */
export function readAuditKey(dataDir: string): KeyObject | undefined {
  const file = auditKeyFile(dataDir);
  const text = readPrivately(file);
  if (text === undefined) return undefined;
  const [, key] = FORMAT.exec(text) ?? [];
  if (key === undefined) {
    throw unusable(
      `${file} is damaged; restore it, or move it away to make a new one (older checkpoints then confirm nothing).`,
    );
  }
  return createSecretKey(Buffer.from(key, 'base64url'));
}

/**
 * Makes the key if it is missing. `recordNew` ends before the key has its file: beside a new key that no record names, older
 * checkpoints would look forged. For the holder of the folder's lock, because it removes what another start has half written.
 */
export async function openAuditKey(
  dataDir: string,
  randomness: Randomness,
  recordNew: (key: KeyObject) => Promise<void>,
): Promise<KeyObject> {
  const file = auditKeyFile(dataDir);
  removeIfPossible(`${file}.half`);
  const known = readAuditKey(dataDir);
  if (known) return known;
  const key = Buffer.from(randomness.bytes(KEY_BYTES));
  await recordNew(createSecretKey(key));
  createPrivately(file, `${key.toString('base64url')}\n`);
  const made = readAuditKey(dataDir);
  if (!made) throw unusable(`${file} disappeared.`);
  return made;
}
