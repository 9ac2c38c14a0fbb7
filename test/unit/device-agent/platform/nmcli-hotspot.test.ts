/** A Wi-Fi by a scripted nmcli, found by PATH as the real one is. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { nmcliHotspot } from '@relaygate/device-agent/platform/nmcli-hotspot';
import { errorWith } from '../../../support/device/error-with';
import { ScriptedNmcli } from '../../../support/device/scripted-nmcli';
import { folderForEach } from '../../../support/processes/fresh-folder';

const PATH_BEFORE = process.env.PATH;
let nmcli: ScriptedNmcli;
const runDir = folderForEach('rg-h-');
let hotspot: ReturnType<typeof nmcliHotspot>;
beforeEach(() => {
  nmcli = new ScriptedNmcli();
  hotspot = nmcliHotspot(runDir);
  process.env.PATH = `${nmcli.folder}:/usr/bin:/bin`;
});
afterEach(() => {
  process.env.PATH = PATH_BEFORE;
  nmcli.remove();
});

test('begins a Wi-Fi at the machine’s own, under a name of its own, in memory only, and never by itself', async () => {
  nmcli.says('eth0:ethernet\\nwlan0:wifi\\np2p-dev-wlan0:wifi-p2p\\nlo:loopback\\n', { 'connection delete': 10 });
  await hotspot.begin('Relaygate gate-1', 'abcd-efgh-jkmn');
  expect(nmcli.asked).toEqual([
    '--terse --fields DEVICE,TYPE device',
    'radio wifi on',
    'connection delete relaygate-page',
    'connection add save no type wifi ifname wlan0 con-name relaygate-page ssid Relaygate gate-1 ' +
      '802-11-wireless-security.psk-flags 2 connection.autoconnect no 802-11-wireless.mode ap 802-11-wireless.band bg ' +
      '802-11-wireless-security.key-mgmt wpa-psk 802-11-wireless-security.proto rsn ' +
      '802-11-wireless-security.pairwise ccmp 802-11-wireless-security.group ccmp ' +
      'ipv4.method shared ipv6.method disabled',
    '--get-values GENERAL.STATE device show wlan0',
    '--wait 8 connection up relaygate-page passwd-file /dev/stdin',
  ]);
});

test('waits for a radio that has just been switched on, and leaves one that stays off for nmcli to refuse', async () => {
  const path = join(nmcli.folder, 'nmcli');
  const ready = `[ $(grep -c STATE ${nmcli.folder}/asked) -lt 3 ] && echo '20 (unavailable)' || echo '30 (disconnected)'`;
  const script = (state: string): string =>
    `#!/bin/sh\necho "$*" >>${nmcli.folder}/asked\ncase $* in *DEVICE*) echo wlan0:wifi;; *STATE*) ${state};; *passwd-file*) exit 4;; esac\n`;
  const states = (): number => nmcli.asked.filter((line) => line.includes('STATE')).length;
  writeFileSync(path, script(ready), { mode: 0o755 });
  await expect(hotspot.begin('a', 'b')).rejects.toMatchObject({ code: 'refused' });
  expect(states()).toBe(3);
  writeFileSync(path, script("echo '20 (unavailable)'"));
  await expect(hotspot.begin('a', 'b')).rejects.toMatchObject({ code: 'refused' });
  expect(states()).toBeGreaterThan(6);
  expect(nmcli.asked.at(-1)).toMatch(/connection up/);
});

test('gives the passphrase to nmcli in a file without a name, and to nobody in its arguments', async () => {
  nmcli.says('wlan0:wifi\\n', { 'connection delete': 10 });
  await hotspot.begin('Relaygate gate-1', 'abcd-efgh-jkmn');
  expect(nmcli.secrets).toBe('802-11-wireless-security.psk:abcd-efgh-jkmn\n');
  expect(nmcli.asked.join()).not.toContain('abcd');
  expect(readdirSync(runDir)).toEqual([]);
});

test('a run folder that takes no file is told, and no Wi-Fi is begun', async () => {
  nmcli.says('wlan0:wifi\\n', { 'connection delete': 10 });
  await expect(nmcliHotspot(join(runDir, 'away')).begin('a', 'b')).rejects.toMatchObject(
    errorWith('refused', /passphrase cannot be handed over: ENOENT/),
  );
  expect(nmcli.asked.at(-1)).toBe('connection delete relaygate-page');
});

test('ends it, also when it is not there', async () => {
  nmcli.says('');
  await hotspot.end();
  expect(nmcli.asked).toEqual(['connection delete relaygate-page']);
  nmcli.says('', { 'connection delete': 10 });
  await hotspot.end();
  nmcli.says('', { 'connection delete': 8 });
  await expect(hotspot.end()).rejects.toMatchObject({ code: 'refused' });
});

test('a machine without Wi-Fi says so, and nothing is begun', async () => {
  nmcli.says('eth0:ethernet\\n');
  await expect(hotspot.begin('a', 'b')).rejects.toMatchObject(errorWith('refused', /has no Wi-Fi/));
  expect(nmcli.asked).toHaveLength(1);
});

test('a machine without NetworkManager says so', async () => {
  process.env.PATH = nmcli.folder;
  await expect(hotspot.begin('a', 'b')).rejects.toThrow(/nmcli\) is not installed/);
  // Then there is none of ours either.
  await hotspot.end();
});

test('what nmcli refuses is told without the passphrase', async () => {
  nmcli.says('wlan0:wifi\\n', { 'connection up': 4 });
  const refused = hotspot.begin('a', 'abcd-efgh-jkmn');
  await expect(refused).rejects.toMatchObject(errorWith('refused', /Error: no .*connection up .* passwd-file/));
  const error: unknown = await refused.catch((caught: unknown) => caught);
  expect(JSON.stringify([String(error), error, (error as Error).cause])).not.toContain('abcd-efgh-jkmn');
});

test('a NetworkManager that hangs is given up, in all and not step by step', async () => {
  const path = join(nmcli.folder, 'nmcli');
  const answers = "case $* in *TYPE*) printf 'wlan0:wifi\\n';; *delete*) exit 10;; *) exec sleep 20;; esac";
  writeFileSync(path, `#!/bin/sh\nsleep 0.3\n${answers}\n`, { mode: 0o755 });
  const begunMs = performance.now();
  await expect(hotspot.begin('a', 'b', 1_500)).rejects.toThrow('nmcli has not answered within 1 s');
  expect(performance.now() - begunMs).toBeLessThan(5_000);
});
