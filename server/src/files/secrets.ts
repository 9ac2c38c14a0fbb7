import { createSecretKey, type KeyObject } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Randomness } from '@relaygate/shared';
import { prepareDataFolder } from './data-folder';
import { removeIfPossible } from './durable-file';
import { createPrivately, readPrivately, unusable } from './private-file';

export interface Secrets extends TokenSecrets {
  /** It authenticates checkpoints of the audit. */
  auditKey: KeyObject;
}

/** What signs tokens; made at the first start, so that there is no default to forget to change. */
export interface TokenSecrets {
  accessKey: KeyObject;
  /** `kid` of the access tokens. */
  accessKeyId: string;
  refreshSecret: KeyObject;
}

const FILE_NAME = 'secrets.json';
const SECRET_BYTES = 32;
const KEY_ID_BYTES = 8;

/** The file, as JSON: 8 bytes in hex, and twice 32 bytes in base64url. */
const FORMAT = {
  accessKeyId: /^[0-9a-f]{16}$/,
  accessKey: /^[A-Za-z0-9_-]{43}$/,
  refreshSecret: /^[A-Za-z0-9_-]{43}$/,
};
type SecretsFile = Record<keyof typeof FORMAT, string>;

export function secretsFile(dataDir: string): string {
  return join(dataDir, FILE_NAME);
}

/**
 * Reads `secrets.json` of the data folder, or makes it if it is missing. Fails with `secrets-unusable` when it is
 * corrupt or others may read it: it is never replaced, because that would log every client out. For the holder of the folder's
 * lock, because it removes what another start has half written.
 */
export function openSecrets(dataDir: string, randomness: Randomness): TokenSecrets {
  prepareDataFolder(dataDir);
  const file = secretsFile(dataDir);
  // An earlier version named them with the process id between.
  const halves = readdirSync(dataDir).filter((name) => name.startsWith(FILE_NAME) && name.endsWith('.half'));
  for (const name of halves) removeIfPossible(join(dataDir, name));
  return readSecrets(file) ?? createSecrets(file, randomness);
}

function readSecrets(file: string): TokenSecrets | undefined {
  const text = readPrivately(file);
  if (text === undefined) return undefined;
  const content = parseSecrets(text);
  if (!content) {
    throw unusable(
      `${file} is damaged; restore it, or remove it to make new secrets (every client must log in again).`,
    );
  }
  const { accessKeyId, accessKey, refreshSecret } = content;
  return { accessKeyId, accessKey: keyOf(accessKey), refreshSecret: keyOf(refreshSecret) };
}

/** Whole or not at all. */
function createSecrets(file: string, randomness: Randomness): TokenSecrets {
  const base64url = (size: number): string => Buffer.from(randomness.bytes(size)).toString('base64url');
  const content: SecretsFile = {
    accessKeyId: Buffer.from(randomness.bytes(KEY_ID_BYTES)).toString('hex'),
    accessKey: base64url(SECRET_BYTES),
    refreshSecret: base64url(SECRET_BYTES),
  };
  createPrivately(file, `${JSON.stringify(content, undefined, 2)}\n`);
  const secrets = readSecrets(file);
  if (!secrets) throw unusable(`${file} disappeared.`);
  return secrets;
}

function parseSecrets(text: string): SecretsFile | undefined {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isSecretsFile(content) ? content : undefined;
}

function isSecretsFile(content: unknown): content is SecretsFile {
  if (typeof content !== 'object' || content === null) return false;
  const members = new Map<string, unknown>(Object.entries(content));
  return Object.entries(FORMAT).every(([name, format]) => {
    const value = members.get(name);
    return typeof value === 'string' && format.test(value);
  });
}

function keyOf(text: string): KeyObject {
  return createSecretKey(Buffer.from(text, 'base64url'));
}
