import { createHash } from 'node:crypto';
import type { LinkSettings } from '@relaygate/shared/device';
import type { IdentityReply } from '../technician/local-messages/device';
import type { WebPage } from '../technician/web/web-page';
import type { EnrolmentCode } from './enrolment-code';
import type { Identity } from './identity';

/** Who this device is, without a secret. */
export async function deviceIdentity(
  { serverUrl, serverName, productLogin }: LinkSettings,
  { publicKey }: Identity,
  code: Pick<EnrolmentCode, 'read'>,
  web: Pick<WebPage, 'fingerprint'>,
): Promise<IdentityReply> {
  return {
    productLogin,
    serverUrl,
    serverName,
    publicKey,
    fingerprint: fingerprintOf(publicKey),
    hasEnrolmentCode: (await code.read()) !== null,
    webFingerprint: await web.fingerprint(),
  };
}

/** For people to compare: the first 128 bits of the key's SHA-256, in groups. */
function fingerprintOf(publicKey: string): string {
  const hash = createHash('sha256').update(Buffer.from(publicKey, 'base64url')).digest('hex');
  return hash.slice(0, 32).replaceAll(/(.{4})(?=.)/g, '$1-');
}
