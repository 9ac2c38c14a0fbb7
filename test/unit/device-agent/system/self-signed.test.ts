import { X509Certificate } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { selfSigned } from '@relaygate/device-agent/system/self-signed';
import { systemRandomness } from '@relaygate/shared/system';

const NOW_MS = Date.UTC(2026, 10, 21);
const at = (epochMs: number) => selfSigned(systemRandomness, { epochMs: () => epochMs });
const utc = (text: string): string => new Date(text).toISOString().slice(0, 10);

test('a certificate is of P-256, signed by its own key, and for ten years', async () => {
  const made = await at(NOW_MS).make('gate-1');
  const x509 = new X509Certificate(made.certificate);
  expect(x509.subject).toBe('CN=Relaygate gate-1');
  expect(x509.issuer).toBe(x509.subject);
  expect(x509.verify(x509.publicKey)).toBe(true);
  expect(x509.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
  expect([utc(x509.validFrom), utc(x509.validTo)]).toEqual(['2020-01-01', '2036-11-21']);
});

test('a clock that was never set makes one that is valid all the same', async () => {
  const { validFrom, validTo } = new X509Certificate((await at(0).make('gate-1')).certificate);
  expect([utc(validFrom), utc(validTo)]).toEqual(['2020-01-01', '2036-01-01']);
});

test('two are two: another key, another number', async () => {
  const [one, other] = await Promise.all([at(NOW_MS).make('a'), at(NOW_MS).make('a')]);
  expect(new X509Certificate(one.certificate).serialNumber).not.toBe(
    new X509Certificate(other.certificate).serialNumber,
  );
  expect(at(NOW_MS).fingerprintOf({ ...one, key: other.key })).toBeNull();
  expect(at(NOW_MS).fingerprintOf(one)).toMatch(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
});

test('the longest product login fits', async () => {
  const made = await at(NOW_MS).make('x'.repeat(64));
  expect(at(NOW_MS).fingerprintOf(made)).not.toBeNull();
});

test.each([
  { key: '', certificate: '' },
  { key: 'x', certificate: 'x' },
])('%p is none', (one) => {
  expect(at(NOW_MS).fingerprintOf(one)).toBeNull();
});
