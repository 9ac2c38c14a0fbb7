import { expect, test } from '@jest/globals';
import { wifiKeyfile } from '@relaygate/device-agent/provisioning/wifi-keyfile';

const lines = (site: Parameters<typeof wifiKeyfile>[0]): string[] => wifiKeyfile(site).split('\n');

test('the name of a network goes as bytes, so that none of its signs means anything', () => {
  expect(lines({ ssid: 'é;[x]\\', country: 'FR' })).toContain('ssid=195;169;59;91;120;93;92;');
});

test('blanks and backslashes of a passphrase are kept', () => {
  expect(lines({ ssid: 'x', passphrase: ' a\\b c ', country: 'FR' })).toContain('psk=\\sa\\\\b\\sc\\s');
});

test('an open network has no passphrase, and a hidden one says so', () => {
  const open = lines({ ssid: 'x', country: 'FR', hidden: true });
  expect(open).toContain('hidden=true');
  expect(open).not.toContain('[wifi-security]');
});
