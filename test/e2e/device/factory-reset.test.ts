/** The factory reset by relayctl, beside guard and agent as they are started. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import { outputsWith, run, stopDevice, writeDeviceSettings, writeEnrolmentCode } from '../../support/device/device';
import { ScriptedNmcli } from '../../support/device/scripted-nmcli';
import { foldersForEach } from '../../support/device/test-device';
import { ROOT } from '../../support/processes/program';
import { enrolmentCode } from '../../support/server/codes';

const device = foldersForEach();
beforeEach(async () => {
  writeDeviceSettings(device.dataDir, { outputs: outputsWith({ 0: { powerOn: 'restore' } }) });
  writeEnrolmentCode(device.dataDir, enrolmentCode());
  await device.startPrograms();
  await device.relayctl('set', '0', 'on');
});

const PATH_BEFORE = process.env.PATH;
/** And the empty files of their locks. */
const THE_BOARD = ['board.json', 'edges.jsonl', 'relaygate-agent.lock', 'relaygate-guard.lock'];

async function startsWithout(program: 'relaygate-guard' | 'relaygate-agent'): Promise<string> {
  const { code, stderr } = await run(program, ['--data', device.dataDir, '--run', device.runDir]);
  expect(code).toBe(1);
  return stderr;
}

test('wipes the device with its outputs off; guard and agent end, and start no more without settings', async () => {
  const other = await device.relayctl('factory-reset', '--yes-wipe', 'gate-2');
  expect([other.code, other.stderr]).toEqual([5, expect.stringContaining('This device is "test-product"')]);
  expect(existsSync(join(device.dataDir, 'identity.json'))).toBe(true);

  const { code, stdout } = await device.relayctl('factory-reset', '--yes-wipe', 'test-product');
  expect(code).toBe(0);
  expect(stdout).toContain('relaygate-server product revoke-device test-product');
  expect([(await device.agent.ended).code, (await device.guard.ended).code]).toEqual([0, 0]);
  expect(readdirSync(device.dataDir).sort()).toEqual(THE_BOARD);
  expect(device.edges().map(({ output, level }) => [output, level])).toEqual([
    [0, 1],
    [0, 0],
  ]);
  for (const program of ['relaygate-guard', 'relaygate-agent'] as const)
    expect(await startsWithout(program)).toMatch(/no settings yet/);
});

test('one that was cut short is finished by the next agent, and no guard starts before', async () => {
  await device.stopPrograms();
  writeFileSync(join(device.dataDir, 'reset-begun.json'), '{"by":"a test"}\n');
  expect(await startsWithout('relaygate-guard')).toMatch(/factory reset was begun/);
  expect(existsSync(join(device.dataDir, 'identity.json'))).toBe(true);
  expect(await startsWithout('relaygate-agent')).toMatch(/is finished: this device has no settings yet/);
  expect(readdirSync(device.dataDir).sort()).toEqual(THE_BOARD);
});

test('one that was cut short has a guard switch off and end that was started before anybody could see the mark', async () => {
  await stopDevice([device.agent]);
  expect(device.guard.running).toBe(true);
  writeFileSync(join(device.dataDir, 'reset-begun.json'), '{"by":"a test"}\n');
  expect(await startsWithout('relaygate-agent')).toMatch(/is finished: this device has no settings yet/);
  expect((await device.guard.ended).code).toBe(0);
  expect(device.edges().map(({ output, level }) => [output, level])).toEqual([
    [0, 1],
    [0, 0],
  ]);
  expect(readdirSync(device.dataDir).sort()).toEqual(THE_BOARD);
});

test('one that was cut short ends the Wi-Fi that the agent before has left', async () => {
  await device.stopPrograms();
  for (const name of ['reset-begun.json', 'hotspot.json'])
    writeFileSync(join(device.dataDir, name), '{"by":"a test"}\n');
  const nmcli = new ScriptedNmcli();
  nmcli.says('wlan0:wifi\\n');
  process.env.PATH = `${nmcli.folder}:${PATH_BEFORE}`;
  await startsWithout('relaygate-agent').finally(() => {
    process.env.PATH = PATH_BEFORE;
  });
  expect(nmcli.asked).toEqual(['connection delete relaygate-page']);
  expect(readdirSync(device.dataDir).sort()).toEqual(THE_BOARD);
  nmcli.remove();
});

test('asks for the product login, and takes no other', () => {
  const args = ['device-agent/bin/relayctl.js', '--run', device.runDir, 'factory-reset'];
  const ran = spawnSync(process.execPath, args, { cwd: ROOT, input: 'yes\n', encoding: 'utf8', timeout: 20_000 });
  expect(ran.status).toBe(5);
  expect(ran.stderr).toMatch(/product login \(test-product\).*refused: That is not its product login/s);
  expect(existsSync(join(device.dataDir, 'identity.json'))).toBe(true);
});
