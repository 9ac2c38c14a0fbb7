import { createPublicKey, X509Certificate } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { selfSigned } from '@relaygate/device-agent/platform/self-signed';
import { systemRandomness } from '@relaygate/shared/system';

const NOW_MS = Date.UTC(2026, 10, 21);
const at = (epochMs: number) => selfSigned(systemRandomness, { epochMs: () => epochMs });
const wish = (commonName: string, hosts: readonly string[] = ['gate-pi.local']) => ({ commonName, hosts });
const utc = (text: string): string => new Date(text).toISOString().slice(0, 10);

test('a certificate is of P-256, signed by its own key, and for ten years', async () => {
  const made = await at(NOW_MS).make(wish('gate-1'));
  const x509 = new X509Certificate(made.certificate);
  expect(x509.subject).toBe('CN=Relaygate gate-1');
  expect(x509.issuer).toBe(x509.subject);
  expect(x509.verify(x509.publicKey)).toBe(true);
  expect(x509.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
  expect([utc(x509.validFrom), utc(x509.validTo)]).toEqual(['2020-01-01', '2036-11-21']);
});

test('a clock that was never set makes one that is valid all the same', async () => {
  const { validFrom, validTo } = new X509Certificate((await at(0).make(wish('gate-1'))).certificate);
  expect([utc(validFrom), utc(validTo)]).toEqual(['2020-01-01', '2036-01-01']);
});

test('two are two: another key, another number', async () => {
  const [one, other] = await Promise.all([at(NOW_MS).make(wish('a')), at(NOW_MS).make(wish('a'))]);
  expect(new X509Certificate(one.certificate).serialNumber).not.toBe(
    new X509Certificate(other.certificate).serialNumber,
  );
  expect(at(NOW_MS).fingerprintOf({ ...one, key: other.key })).toBeNull();
  expect(at(NOW_MS).fingerprintOf(one)).toMatch(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
});

test('is for servers, and names hosts by name and by address', async () => {
  const hosts = ['gate-pi.local', 'gate-pi', '192.0.2.7', '2001:db8::7', '::1'];
  const x509 = new X509Certificate((await at(NOW_MS).make(wish('gate-1', hosts))).certificate);
  expect(x509.checkHost('gate-pi.local')).toBe('gate-pi.local');
  for (const address of hosts.slice(2)) expect(x509.checkIP(address)).toBe(address);
  expect([x509.checkHost('other.local'), x509.checkIP('192.0.2.8')]).toEqual([undefined, undefined]);
  expect(x509.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
});

test('a host that no certificate can name is left out', async () => {
  const { certificate } = await at(NOW_MS).make(wish('gate-1', ['(none)', 'gaté.local', 'fe80::1%wlan0', 'gate-pi']));
  expect(new X509Certificate(certificate).subjectAltName).toBe('DNS:gate-pi');
  const { certificate: nameless } = await at(NOW_MS).make(wish('gate-1', ['(none)']));
  expect(new X509Certificate(nameless).subjectAltName).toBeUndefined();
});

test('is made anew with the same key, and another number', async () => {
  const one = await at(NOW_MS).make(wish('gate-1'));
  const other = await at(NOW_MS).make({ ...wish('gate-1'), key: one.key });
  const spki = (pem: string): string => createPublicKey(pem).export({ type: 'spki', format: 'pem' }).toString();
  expect(spki(other.certificate)).toBe(spki(one.certificate));
  expect(at(NOW_MS).fingerprintOf(other)).not.toBe(at(NOW_MS).fingerprintOf(one));
  expect(at(NOW_MS).fingerprintOf(other)).not.toBeNull();
});

test('is due 365 days before it ends, and not before', async () => {
  const made = await at(NOW_MS).make(wish('gate-1'));
  expect(at(Date.UTC(2035, 10, 22)).isDue(made)).toBe(false);
  expect(at(Date.UTC(2035, 10, 22) + 1).isDue(made)).toBe(true);
  expect(at(Date.UTC(2040, 0, 1)).isDue(made)).toBe(true);
});

test('the longest product login fits', async () => {
  const made = await at(NOW_MS).make(wish('x'.repeat(64)));
  expect(at(NOW_MS).fingerprintOf(made)).not.toBeNull();
});

test.each([
  { key: '', certificate: '' },
  { key: 'x', certificate: 'x' },
])('%p is none', (one) => {
  expect(at(NOW_MS).fingerprintOf(one)).toBeNull();
});
