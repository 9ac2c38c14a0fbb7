import { describe, expect, test } from '@jest/globals';
import { certificatesIn } from '@relaygate/shared/pem';
import { parseSiteSettings, SITE_FILE_MAX_BYTES } from '@relaygate/shared/site-settings';

const BEGIN = '-----BEGIN CERTIFICATE-----';
const END = '-----END CERTIFICATE-----';
const ONE = `${BEGIN}\nMIIB\nAAA=\n${END}`;
const SITE = { serverUrl: 'wss://h', productLogin: 'gate', board: { profile: 'generic-active-high' } };

describe('certificates in a PEM text', () => {
  test.each([
    ['one', ONE, 1],
    ['one without a line feed anywhere', `${BEGIN}MIIB${END}`, 1],
    ['two, with line ends as Windows writes them', ` ${ONE}\r\n\r\n${ONE}\r\n`.replaceAll('\n', '\r\n'), 2],
  ])('are found: %s', (_what, text, count) => {
    const found = certificatesIn(text);
    expect(found.ok && found.value.map((one) => one.startsWith(BEGIN) && one.endsWith(END))).toEqual(
      Array(count).fill(true),
    );
  });

  test.each([
    ['', 'holds no certificate'],
    ['hello', 'holds something else than certificates'],
    [`${ONE}\n# ours`, 'holds something else than certificates'],
    [`${ONE}\n${BEGIN}\nMIIB`, 'is cut short: -----END CERTIFICATE----- is missing'],
    [`${BEGIN}\n${ONE}`, 'has characters that are not base64 in certificate 1'],
    [`-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----\n${ONE}`, /^holds a private key, which must stay/],
  ])('are refused with the reason: %j', (text, problem) => {
    const message = expect.stringMatching(typeof problem === 'string' ? new RegExp(`^${problem}$`) : problem);
    expect(certificatesIn(text)).toEqual({ ok: false, problem: message });
    expect(parseSiteSettings({ ...SITE, caCertificate: text })).toMatchObject({ ok: false });
  });

  test('cost no more than their length, whatever they hold', () => {
    const startedAt = performance.now();
    // What took 6 s for 785 characters, and 17 times more for each two certificates beyond.
    const hostile = [
      `${`${BEGIN}A${END}`.repeat(600)}!`,
      `${`${BEGIN}${' '.repeat(40)}${END}${' '.repeat(40)}`.repeat(200)}!`,
      BEGIN.repeat(1_000),
      `${BEGIN}${' '.repeat(30_000)}!`,
    ];
    for (const caCertificate of hostile) {
      expect(caCertificate.length).toBeLessThan(SITE_FILE_MAX_BYTES);
      expect(parseSiteSettings({ ...SITE, caCertificate }).ok).toBe(false);
    }
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });
});
