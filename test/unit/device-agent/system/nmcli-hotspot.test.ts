/** A Wi-Fi by a scripted nmcli, found by PATH as the real one is. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { nmcliHotspot } from '@relaygate/device-agent/system/nmcli-hotspot';

const PATH_BEFORE = process.env.PATH;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rg-nmcli-'));
  process.env.PATH = `${folder}:/usr/bin:/bin`;
});
afterEach(() => {
  process.env.PATH = PATH_BEFORE;
  rmSync(folder, { recursive: true });
});

/** `devices`: what it lists; `fails`: the arguments at which it ends with that code, and a word. */
function script(devices: string, fails: Record<string, number> = {}): void {
  const cases = Object.entries(fails).map(([args, code]) => `*"${args}"*) echo "Error: no $*." >&2; exit ${code};;`);
  const text = `#!/bin/sh
echo "$*" >> ${folder}/asked
case "$*" in
${cases.join('\n')}
*DEVICE,TYPE*) printf '${devices}';;
esac
`;
  writeFileSync(join(folder, 'nmcli'), text, { mode: 0o755 });
}
const asked = (): string[] => readFileSync(join(folder, 'asked'), 'utf8').trim().split('\n');

test('begins a Wi-Fi at the machine’s own, under a name of its own, and never by itself', async () => {
  script('eth0:ethernet\\nwlan0:wifi\\np2p-dev-wlan0:wifi-p2p\\nlo:loopback\\n', { 'connection delete': 10 });
  await nmcliHotspot.begin('Relaygate gate-1', 'abcd-efgh-jkmn');
  expect(asked()).toEqual([
    '--terse --fields DEVICE,TYPE device',
    'connection delete relaygate-page',
    'device wifi hotspot ifname wlan0 con-name relaygate-page ssid Relaygate gate-1 password abcd-efgh-jkmn',
    'connection modify relaygate-page connection.autoconnect no',
  ]);
});

test('ends it, also when it is not there', async () => {
  script('', {});
  await nmcliHotspot.end();
  expect(asked()).toEqual(['connection delete relaygate-page']);
  script('', { 'connection delete': 10 });
  await nmcliHotspot.end();
  script('', { 'connection delete': 8 });
  await expect(nmcliHotspot.end()).rejects.toMatchObject({ code: 'refused' });
});

test('a machine without Wi-Fi says so, and nothing is begun', async () => {
  script('eth0:ethernet\\n');
  await expect(nmcliHotspot.begin('a', 'b')).rejects.toMatchObject({
    code: 'refused',
    message: expect.stringMatching(/has no Wi-Fi/),
  });
  expect(asked()).toHaveLength(1);
});

test('a machine without NetworkManager says so', async () => {
  process.env.PATH = folder;
  await expect(nmcliHotspot.begin('a', 'b')).rejects.toMatchObject({
    message: expect.stringMatching(/nmcli\) is not installed/),
  });
});

test('what nmcli refuses is told without the passphrase', async () => {
  script('wlan0:wifi\\n', { hotspot: 4 });
  const refused = nmcliHotspot.begin('a', 'abcd-efgh-jkmn');
  await expect(refused).rejects.toMatchObject({
    code: 'refused',
    message: expect.stringMatching(/Error: no device wifi hotspot .* password \*\*\*/),
  });
  const error: unknown = await refused.catch((caught: unknown) => caught);
  expect(JSON.stringify([String(error), error, (error as Error).cause])).not.toContain('abcd-efgh-jkmn');
});
