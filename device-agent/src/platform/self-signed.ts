import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  webcrypto,
  X509Certificate,
} from 'node:crypto';
import type { Randomness, WallClock } from '@relaygate/shared';
import type { Extension, ExtKeyUsage, GeneralNames } from 'pkijs';
import type { Certificates } from '../agent/technician/web/web-exchange';
import { bytesOf } from './ip-address';

/** Before this program was written, so that a device whose clock is not set takes its own certificate for valid. */
const NOT_BEFORE_MS = Date.UTC(2020, 0, 1);
/** The earliest time that a clock shows that was set. */
const FIRST_RELEASE_MS = Date.UTC(2026, 0, 1);
const YEARS = 10;
/** So early that no page which is on shows an expired one, and that a rarely visited device has time. */
const DUE_BEFORE_MS = 365 * 86_400_000;
const SERIAL_BYTES = 16;
const COMMON_NAME = '2.5.4.3';
/** RFC 5280, appendix A.1: ub-common-name. */
const COMMON_NAME_MAX_CHARS = 64;
const SUBJECT_ALT_NAME = '2.5.29.17';
const EXTENDED_KEY_USAGE = '2.5.29.37';
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';
/** GeneralName, RFC 5280, 4.2.1.6. */
const [DNS_NAME, IP_ADDRESS] = [2, 7] as const;
const HOST_NAME = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/i;
const P256 = { namedCurve: 'P-256' };
const P256_SIGNS = { name: 'ECDSA', ...P256 };

/** Certificates that are signed by their own key, P-256. */
export function selfSigned(randomness: Randomness, wallClock: WallClock): Certificates {
  return {
    /** Throws for a key that is none. */
    async make({ commonName, hosts, key }) {
      const { CryptoEngine, Certificate, AttributeTypeAndValue, Integer, Utf8String } = library();
      const engine = new CryptoEngine({ name: 'node', crypto: webcrypto });
      const privateKey = key === undefined ? generateKeyPairSync('ec', P256).privateKey : createPrivateKey(key);
      const certificate = new Certificate();
      // Version 3.
      certificate.version = 2;
      certificate.serialNumber = new Integer({ valueHex: positive(randomness.bytes(SERIAL_BYTES)) });
      for (const name of [certificate.issuer, certificate.subject]) {
        const value = new Utf8String({ value: `Relaygate ${commonName}`.slice(0, COMMON_NAME_MAX_CHARS) });
        name.typesAndValues.push(new AttributeTypeAndValue({ type: COMMON_NAME, value }));
      }
      const end = new Date(Math.max(wallClock.epochMs(), FIRST_RELEASE_MS));
      end.setUTCFullYear(end.getUTCFullYear() + YEARS);
      certificate.notBefore.value = new Date(NOT_BEFORE_MS);
      certificate.notAfter.value = end;
      certificate.extensions = extensionsFor(hosts);
      await certificate.subjectPublicKeyInfo.importKey(await forWebCrypto(createPublicKey(privateKey)), engine);
      await certificate.sign(await forWebCrypto(privateKey), 'SHA-256', engine);
      const x509 = new X509Certificate(Buffer.from(certificate.toSchema(true).toBER(false)));
      return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), certificate: x509.toString() };
    },

    fingerprintOf({ key, certificate }) {
      try {
        const x509 = new X509Certificate(certificate);
        return x509.checkPrivateKey(createPrivateKey(key)) ? x509.fingerprint256 : null;
      } catch {
        return null;
      }
    },

    isDue({ certificate }) {
      return Date.parse(new X509Certificate(certificate).validTo) - wallClock.epochMs() < DUE_BEFORE_MS;
    },
  };
}

/** What browsers want: that it is a server's (Apple's), and the hosts; they ignore the common name. */
function extensionsFor(hosts: readonly string[]): Extension[] {
  const { Extension, ExtKeyUsage, GeneralName, GeneralNames, OctetString } = library();
  const extension = (extnID: string, value: Pick<GeneralNames | ExtKeyUsage, 'toSchema'>): Extension =>
    new Extension({ extnID, extnValue: value.toSchema().toBER() });
  const names = hosts.flatMap((host) => {
    const bytes = bytesOf(host);
    if (bytes !== null) return [new GeneralName({ type: IP_ADDRESS, value: new OctetString({ valueHex: bytes }) })];
    return HOST_NAME.test(host) ? [new GeneralName({ type: DNS_NAME, value: host })] : [];
  });
  return [
    extension(EXTENDED_KEY_USAGE, new ExtKeyUsage({ keyPurposes: [SERVER_AUTH] })),
    ...(names.length > 0 ? [extension(SUBJECT_ALT_NAME, new GeneralNames({ names }))] : []),
  ];
}

function forWebCrypto(key: KeyObject): Promise<webcrypto.CryptoKey> {
  const isPrivate = key.type === 'private';
  const bytes = key.export({ type: isPrivate ? 'pkcs8' : 'spki', format: 'der' });
  return webcrypto.subtle.importKey(isPrivate ? 'pkcs8' : 'spki', bytes, P256_SIGNS, true, [
    isPrivate ? 'sign' : 'verify',
  ]);
}

/** Loaded only to make one: it costs 12 MB of memory, and a device makes one in ten years. */
function library() {
  const pkijs: typeof import('pkijs') = require('pkijs');
  const { Integer, OctetString, Utf8String }: typeof import('asn1js') = require('asn1js');
  return { ...pkijs, Integer, OctetString, Utf8String };
}

/** As an ASN.1 integer: the highest bit is its sign, and a leading zero is not allowed. */
function positive(bytes: Uint8Array): Uint8Array {
  return Uint8Array.from(bytes, (byte, n) => (n === 0 ? (byte & 0x3f) | 0x40 : byte));
}
