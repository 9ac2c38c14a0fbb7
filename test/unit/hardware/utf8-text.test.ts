import { expect, test } from '@jest/globals';
import { readSite } from '@relaygate/device-agent/provisioning/site/site-text';
import { utf8Text } from '@relaygate/hardware/site/utf8-text';

test('a text is read as it was written, without the mark of Windows', () => {
  expect(utf8Text(Buffer.from('\uFEFFCafé\nHôtel\n'), 'sites.csv')).toBe('Café\nHôtel\n');
});

test.each([
  [
    'Latin-1',
    Buffer.from('a,b\nc,d\nCafé,x\n', 'latin1'),
    /^sites\.csv: line 3 is not in UTF-8 but perhaps in Latin-1: save/,
  ],
  ['a character that is cut short', Buffer.from('é').subarray(0, 1), /line 1 is not in UTF-8/],
  [
    'DER',
    Buffer.from('308201a0', 'hex'),
    /is in DER, not in PEM: "openssl x509 -inform der -in sites\.csv -out ca\.pem"/,
  ],
  ['UTF-16', Buffer.from('\uFEFFa,b', 'utf16le'), /is in UTF-16: save it as UTF-8/],
])('a text in another encoding is refused with its line: %s', (_what, bytes, problem) => {
  expect(() => utf8Text(bytes, 'sites.csv')).toThrow(problem);
});

test('a device refuses a file of a card in another encoding, with its line', () => {
  const text = Buffer.from('{\n "wifi": {"ssid": "Café"}\n}', 'latin1').toString('utf8');
  expect(() => readSite(text)).toThrow('line 2 is not in UTF-8: save the file as UTF-8');
});
