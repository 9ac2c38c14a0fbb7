/** A Wi-Fi by a scripted nmcli, found by PATH as the real one is. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { nmcliHotspot } from '@relaygate/device-agent/system/nmcli-hotspot';
import { ScriptedNmcli } from '../../../support/device/scripted-nmcli';

const PATH_BEFORE = process.env.PATH;
let nmcli: ScriptedNmcli;
beforeEach(() => {
  nmcli = new ScriptedNmcli();
  process.env.PATH = `${nmcli.folder}:/usr/bin:/bin`;
});
afterEach(() => {
  process.env.PATH = PATH_BEFORE;
  nmcli.remove();
});

test('begins a Wi-Fi at the machine’s own, under a name of its own, in memory only, and never by itself', async () => {
  nmcli.says('eth0:ethernet\\nwlan0:wifi\\np2p-dev-wlan0:wifi-p2p\\nlo:loopback\\n', { 'connection delete': 10 });
  await nmcliHotspot.begin('Relaygate gate-1', 'abcd-efgh-jkmn');
  expect(nmcli.asked).toEqual([
    '--terse --fields DEVICE,TYPE device',
    'connection delete relaygate-page',
    'connection add save no type wifi ifname wlan0 con-name relaygate-page ssid Relaygate gate-1 ' +
      '802-11-wireless-security.psk abcd-efgh-jkmn connection.autoconnect no 802-11-wireless.mode ap 802-11-wireless.band bg ' +
      '802-11-wireless-security.key-mgmt wpa-psk 802-11-wireless-security.proto rsn ' +
      '802-11-wireless-security.pairwise ccmp 802-11-wireless-security.group ccmp ' +
      'ipv4.method shared ipv6.method disabled',
    '--wait 8 connection up relaygate-page',
  ]);
});

test('ends it, also when it is not there', async () => {
  nmcli.says('');
  await nmcliHotspot.end();
  expect(nmcli.asked).toEqual(['connection delete relaygate-page']);
  nmcli.says('', { 'connection delete': 10 });
  await nmcliHotspot.end();
  nmcli.says('', { 'connection delete': 8 });
  await expect(nmcliHotspot.end()).rejects.toMatchObject({ code: 'refused' });
});

test('a machine without Wi-Fi says so, and nothing is begun', async () => {
  nmcli.says('eth0:ethernet\\n');
  await expect(nmcliHotspot.begin('a', 'b')).rejects.toMatchObject({
    code: 'refused',
    message: expect.stringMatching(/has no Wi-Fi/),
  });
  expect(nmcli.asked).toHaveLength(1);
});

test('a machine without NetworkManager says so', async () => {
  process.env.PATH = nmcli.folder;
  await expect(nmcliHotspot.begin('a', 'b')).rejects.toMatchObject({
    message: expect.stringMatching(/nmcli\) is not installed/),
  });
  // Then there is none of ours either.
  await nmcliHotspot.end();
});

test('what nmcli refuses is told without the passphrase', async () => {
  nmcli.says('wlan0:wifi\\n', { 'connection add': 4 });
  const refused = nmcliHotspot.begin('a', 'abcd-efgh-jkmn');
  await expect(refused).rejects.toMatchObject({
    code: 'refused',
    message: expect.stringMatching(/Error: no connection add .*psk \*\*\*/),
  });
  const error: unknown = await refused.catch((caught: unknown) => caught);
  expect(JSON.stringify([String(error), error, (error as Error).cause])).not.toContain('abcd-efgh-jkmn');
});

test('a NetworkManager that hangs is given up, in all and not step by step', async () => {
  const path = join(nmcli.folder, 'nmcli');
  const answers = "case $* in *TYPE*) printf 'wlan0:wifi\\n';; *delete*) exit 10;; *) exec sleep 20;; esac";
  writeFileSync(path, `#!/bin/sh\nsleep 0.3\n${answers}\n`, { mode: 0o755 });
  const begunMs = performance.now();
  await expect(nmcliHotspot.begin('a', 'b', 1_500)).rejects.toMatchObject({
    message: expect.stringContaining('nmcli has not answered within 1 s'),
  });
  expect(performance.now() - begunMs).toBeLessThan(5_000);
});
