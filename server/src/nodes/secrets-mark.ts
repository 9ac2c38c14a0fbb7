import { createHmac, type KeyObject } from 'node:crypto';

/** What nodes of one installation have in common. */
export interface CommonSecrets {
  accessKeyId: string;
  accessKey: KeyObject;
  refreshSecret: KeyObject;
  auditKey: KeyObject;
}

/** The same for two nodes only if all their secrets are the same; it tells nothing else of them. */
export function secretsMark({ accessKeyId, ...keys }: CommonSecrets): string {
  const marks = [keys.accessKey, keys.refreshSecret, keys.auditKey].map((key) => macOf(key, 'one secret'));
  return macOf(keys.refreshSecret, [accessKeyId, ...marks].join('\n'));
}

function macOf(key: KeyObject, text: string): string {
  return createHmac('sha256', key).update(`relaygate mark of secrets v1\n${text}`).digest('hex');
}
