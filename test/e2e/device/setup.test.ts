/** What relaygate-setup makes of a boot partition, with the programs as users start them. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import {
  type Ran,
  relayctl,
  run,
  startAgent,
  startAgentWithGuard,
  startGuard,
  stopDevice,
} from '../../support/device/device';
import { SITE, SiteCard } from '../../support/device/site-card';
import { enrolmentCode as codeOf } from '../../support/server/codes';

const TEST_MS = 60_000;

let card: SiteCard;
beforeEach(() => {
  card = new SiteCard();
});
afterEach(() => card.remove());

test('a factory reset that was cut short takes the site’s Wi-Fi from NetworkManager, and start again finishes it', async () => {
  const connection = join(card.network, 'relaygate-wifi.nmconnection');
  writeFileSync(connection, 'psk=secret', { mode: 0o600 });
  for (const name of ['reset-begun.json', 'wifi.nmconnection', 'settings.json'])
    writeFileSync(card.onDevice(name), '{}');
  const { code, stderr } = await card.take();
  expect([code, stderr]).toEqual([1, expect.stringContaining('start relaygate-agent, which finishes it')]);
  expect(existsSync(connection)).toBe(false);
  const args = ['--data', card.folders.dataDir, '--run', card.folders.runDir];
  expect((await run('relaygate-agent', args)).stderr).toMatch(/is finished: this device has no settings yet/);
  expect(existsSync(card.onDevice('wifi.nmconnection'))).toBe(false);
  expect((await card.take()).code).toBe(0);
  expect(existsSync(connection)).toBe(false);
});

test('settings that cannot be read are said on the boot partition with what to do, and nothing is changed', async () => {
  writeFileSync(card.onDevice('settings.json'), '{');
  expect((await card.take()).code).toBe(0);
  expect(card.onBoot('relaygate-status.txt')).toMatch(
    /SETTINGS UNREADABLE: .*settings\.json is not JSON .*\r\n.*revoke-device/,
  );
  rmSync(card.onDevice('settings.json'));
  // It is there, and cannot be read by anybody.
  mkdirSync(card.onDevice('settings.json'));
  card.writeSite({ serverUrl: 'wss://h', productLogin: 'gate-1', board: { profile: 'generic-active-high' } });
  expect(await card.take()).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('settings.json cannot be read: EISDIR'),
  });
  const status = card.onBoot('relaygate-status.txt');
  expect(status).toContain('settings.json cannot be read: EISDIR');
  expect(status).not.toContain('NOT TAKEN OVER');
});

test.each(['own-relays', 'generic-active-high'])(
  'relayctl board knows the profile %s that came with the card, before any of that name',
  async (name) => {
    const relays = [16, 24].map((bcm, n) => ({ label: `K${n}`, bcm }));
    const about = { title: 'Relays of our own', source: 'This test', verified: false, notes: [] };
    const ownProfile = { name, kind: 'gpio', activeLevel: 'high', relays, ...about };
    const link = { serverUrl: 'ws://127.0.0.1:9', productLogin: 'gate', enrolmentCode: codeOf() };
    card.writeSite({ ...link, board: { profile: name, ownProfile } });
    expect((await card.take()).code).toBe(0);
    const board = (...args: string[]): Promise<Ran> => relayctl(card.folders.runDir, 'board', ...args);

    // Nobody knows it yet, and nobody is told that there is none.
    const away = /agent does not run.*start relaygate-agent.*not known which profile came with the card/;
    for (const args of [['list'], ['list', '--json'], ['show', 'lcus-1', '--json'], ['ports', '--json']])
      expect(await board(...args)).toMatchObject({ code: 0, stderr: expect.stringMatching(away) });
    expect(JSON.parse((await board('list', '--json')).stdout)).not.toContainEqual(expect.objectContaining({ relays }));
    if (name === 'own-relays')
      expect(await board('show', name)).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(away),
      });
    // The program's own of that name is not the one that is meant.
    expect(await board('use', 'generic-active-high', '--yes')).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/^relayctl: agent-unreachable: .*which profile came with the card/),
    });

    const agent = await card.started(startAgent(card.folders));
    const hidesOwn = name === 'generic-active-high';
    const found = { name, relays, fromCard: true, hidesOwn };
    const came = `came with the card of this device${hidesOwn ? ", and stands for the program's own of this name" : ''}`;
    const listed = JSON.parse((await board('list', '--json')).stdout);
    expect(listed.filter((one: { name: string }) => one.name === name)).toEqual([expect.objectContaining(found)]);
    expect(listed.filter(({ fromCard }: { fromCard: boolean }) => fromCard)).toHaveLength(1);
    expect(listed.length).toBeGreaterThan(12);
    expect((await board('list')).stdout).toMatch(new RegExp(`^${name} +2 .*Relays of our own \\(${came}\\)$`, 'm'));
    expect(JSON.parse((await board('show', name, '--json')).stdout)).toMatchObject(found);
    expect((await board('show', name)).stdout).toContain(`\nit ${came}\n`);
    const asked = await board('use', name);
    expect(asked).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`"${name}", which ${came}, will be the board`),
    });
    // It can be chosen again.
    const other = await board('use', 'generic-active-low', '--yes', '--json');
    expect(JSON.parse(other.stdout)).toMatchObject({ mustRestart: true });
    const again = await board('use', name, '--yes', '--json');
    expect(JSON.parse(again.stdout)).toMatchObject({ after: { lines: [16, 24] } });
    // A folder that is named is the only one.
    const folder = join(card.boot, 'profiles');
    mkdirSync(folder);
    expect(JSON.parse((await board('list', '--profiles', folder, '--json')).stdout)).toEqual([]);
    await stopDevice([agent]);
  },
  TEST_MS,
);

test('a wrong file is named in words on the boot partition, and the settings of before stay', async () => {
  card.writeSite({ ...SITE, serverUrl: 'wss://gate.invalid', productLogin: 'gate-1', enrolmentCode: codeOf() });
  expect((await card.take()).code).toBe(0);
  const settings = readFileSync(join(card.folders.dataDir, 'settings.json'), 'utf8');
  card.writeSite({ ...SITE, serverUrl: 'gate.invalid', productLogin: 'gate-1' });
  const { code, stderr } = await card.take();
  expect(code).toBe(1);
  expect(stderr).toMatch(/^relaygate-setup: bad-setting: relaygate-site\.json: serverUrl .*; serverUrl is "wss:/m);
  expect(card.onBoot('relaygate-status.txt')).toMatch(
    /NOT TAKEN OVER: relaygate-site\.json: serverUrl .*settings of before/s,
  );
  expect(readFileSync(join(card.folders.dataDir, 'settings.json'), 'utf8')).toBe(settings);
});

test('a card without settings says what is missing', async () => {
  expect((await card.take()).code).toBe(0);
  expect(card.onBoot('relaygate-status.txt')).toMatch(/NO SETTINGS: .*Put a file relaygate-site\.json/s);
});

test(
  'without its server the device says why, and moves its relays on the spot',
  async () => {
    card.writeSite({ ...SITE, serverUrl: 'ws://127.0.0.1:9', productLogin: 'gate-1', enrolmentCode: codeOf() });
    expect((await card.take()).code).toBe(0);
    await card.started(startGuard(card.folders));
    await card.started(startAgentWithGuard(card.folders));
    await (await card.startWatch()).line(/NOT LINKED/, 40_000);
    expect(card.onBoot('relaygate-status.txt')).toMatch(/NOT LINKED: .*its relays can be moved/s);
    expect((await relayctl(card.folders.runDir, 'set', '1', 'on')).code).toBe(0);
  },
  TEST_MS,
);

test('while the agent runs nothing is taken over', async () => {
  card.writeSite({ ...SITE, serverUrl: 'ws://127.0.0.1:9', productLogin: 'gate-1', enrolmentCode: codeOf() });
  await card.take();
  await card.started(startGuard(card.folders));
  await card.started(startAgentWithGuard(card.folders));
  expect(await card.take()).toMatchObject({ code: 1, stderr: expect.stringContaining('already-running') });
});
