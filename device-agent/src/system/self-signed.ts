import { createPrivateKey, KeyObject, webcrypto, X509Certificate } from 'node:crypto';
import type { Randomness, WallClock } from '@relaygate/shared';

/** Before this program was written: so a device whose clock is not set takes its own certificate for valid. */
const NOT_BEFORE_MS = Date.UTC(2020, 0, 1);
/** What a clock says that was set. */
const FIRST_RELEASE_MS = Date.UTC(2026, 0, 1);
const YEARS = 10;
const SERIAL_BYTES = 16;
const COMMON_NAME = '2.5.4.3';
/** RFC 5280, appendix A.1: ub-common-name. */
const COMMON_NAME_MAX_CHARS = 64;
const P256 = { name: 'ECDSA', namedCurve: 'P-256' };

/** Certificates that are signed by their own key, P-256. */
export function selfSigned(randomness: Randomness, wallClock: WallClock) {
  return {
    async make(commonName: string): Promise<{ key: string; certificate: string }> {
      const { CryptoEngine, Certificate, AttributeTypeAndValue, Integer, Utf8String } = library();
      const engine = new CryptoEngine({ name: 'node', crypto: webcrypto });
      const keys = await webcrypto.subtle.generateKey(P256, true, ['sign', 'verify']);
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
      await certificate.subjectPublicKeyInfo.importKey(keys.publicKey, engine);
      await certificate.sign(keys.privateKey, 'SHA-256', engine);
      const x509 = new X509Certificate(Buffer.from(certificate.toSchema(true).toBER(false)));
      const key = KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' });
      return { key: key.toString(), certificate: x509.toString() };
    },

    fingerprintOf({ key, certificate }: { key: string; certificate: string }): string | null {
      try {
        const x509 = new X509Certificate(certificate);
        return x509.checkPrivateKey(createPrivateKey(key)) ? x509.fingerprint256 : null;
      } catch {
        return null;
      }
    },
  };
}

/** Loaded where one is made only: it costs 12 MB, and a device makes one in its life. */
function library() {
  const { CryptoEngine, Certificate, AttributeTypeAndValue }: typeof import('pkijs') = require('pkijs');
  const { Integer, Utf8String }: typeof import('asn1js') = require('asn1js');
  return { CryptoEngine, Certificate, AttributeTypeAndValue, Integer, Utf8String };
}

/** Of an ASN.1 integer: the highest bit is its sign; and no leading zero is wanted. */
function positive(bytes: Uint8Array): Uint8Array {
  return Uint8Array.from(bytes, (byte, n) => (n === 0 ? (byte & 0x3f) | 0x40 : byte));
}
