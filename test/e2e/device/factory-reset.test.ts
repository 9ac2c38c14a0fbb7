/** The factory reset by relayctl, beside guard and agent as they are started. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import {
  type DeviceFolders,
  edgeLogOf,
  makeDeviceFolders,
  outputsWith,
  readEdges,
  relayctl,
  run,
  startAgentWithGuard,
  startGuard,
  stopDevice,
  writeDeviceSettings,
  writeEnrolmentCode,
} from '../../support/device/device';
import { ScriptedNmcli } from '../../support/device/scripted-nmcli';
import { type Program, ROOT } from '../../support/processes/program';
import { enrolmentCode } from '../../support/server/codes';

let folders: DeviceFolders & { remove(): void };
let guard: Program;
let agent: Program;
beforeEach(async () => {
  folders = makeDeviceFolders();
  writeDeviceSettings(folders.dataDir, { outputs: outputsWith({ 0: { powerOn: 'restore' } }) });
  writeEnrolmentCode(folders.dataDir, enrolmentCode());
  guard = await startGuard(folders);
  agent = await startAgentWithGuard(folders);
  await relayctl(folders.runDir, 'set', '0', 'on');
});
afterEach(() => stopDevice([agent, guard], folders));

const PATH_BEFORE = process.env.PATH;
/** And the empty files of their locks. */
const THE_BOARD = ['board.json', 'edges.jsonl', 'relaygate-agent.lock', 'relaygate-guard.lock'];

async function startsWithout(program: 'relaygate-guard' | 'relaygate-agent'): Promise<string> {
  const { code, stderr } = await run(program, ['--data', folders.dataDir, '--run', folders.runDir]);
  expect(code).toBe(1);
  return stderr;
}

test('wipes the device with its outputs off; guard and agent end, and start no more without settings', async () => {
  const other = await relayctl(folders.runDir, 'factory-reset', '--yes-wipe', 'gate-2');
  expect([other.code, other.stderr]).toEqual([5, expect.stringContaining('This device is "test-product"')]);
  expect(existsSync(join(folders.dataDir, 'identity.json'))).toBe(true);

  const { code, stdout } = await relayctl(folders.runDir, 'factory-reset', '--yes-wipe', 'test-product');
  expect(code).toBe(0);
  expect(stdout).toContain('relaygate-server product revoke-device test-product');
  expect([(await agent.ended).code, (await guard.ended).code]).toEqual([0, 0]);
  expect(readdirSync(folders.dataDir).sort()).toEqual(THE_BOARD);
  expect(readEdges(edgeLogOf(folders.dataDir)).map(({ output, level }) => [output, level])).toEqual([
    [0, 1],
    [0, 0],
  ]);
  for (const program of ['relaygate-guard', 'relaygate-agent'] as const)
    expect(await startsWithout(program)).toMatch(/no settings yet/);
});

test('one that was cut short is finished by the next agent, and no guard starts before', async () => {
  await stopDevice([agent, guard]);
  writeFileSync(join(folders.dataDir, 'reset-begun.json'), '{"by":"a test"}\n');
  expect(await startsWithout('relaygate-guard')).toMatch(/factory reset was begun/);
  expect(existsSync(join(folders.dataDir, 'identity.json'))).toBe(true);
  expect(await startsWithout('relaygate-agent')).toMatch(/is finished: this device has no settings yet/);
  expect(readdirSync(folders.dataDir).sort()).toEqual(THE_BOARD);
});

test('one that was cut short has a guard switch off and end that was started before anybody could see the mark', async () => {
  await stopDevice([agent]);
  expect(guard.running).toBe(true);
  writeFileSync(join(folders.dataDir, 'reset-begun.json'), '{"by":"a test"}\n');
  expect(await startsWithout('relaygate-agent')).toMatch(/is finished: this device has no settings yet/);
  expect((await guard.ended).code).toBe(0);
  expect(readEdges(edgeLogOf(folders.dataDir)).map(({ output, level }) => [output, level])).toEqual([
    [0, 1],
    [0, 0],
  ]);
  expect(readdirSync(folders.dataDir).sort()).toEqual(THE_BOARD);
});

test('one that was cut short ends the Wi-Fi that the agent before has left', async () => {
  await stopDevice([agent, guard]);
  for (const name of ['reset-begun.json', 'hotspot.json'])
    writeFileSync(join(folders.dataDir, name), '{"by":"a test"}\n');
  const nmcli = new ScriptedNmcli();
  nmcli.says('wlan0:wifi\\n');
  process.env.PATH = `${nmcli.folder}:${PATH_BEFORE}`;
  await startsWithout('relaygate-agent').finally(() => {
    process.env.PATH = PATH_BEFORE;
  });
  expect(nmcli.asked).toEqual(['connection delete relaygate-page']);
  expect(readdirSync(folders.dataDir).sort()).toEqual(THE_BOARD);
  nmcli.remove();
});

test('asks for the product login, and takes no other', () => {
  const args = ['device-agent/bin/relayctl.js', '--run', folders.runDir, 'factory-reset'];
  const ran = spawnSync(process.execPath, args, { cwd: ROOT, input: 'yes\n', encoding: 'utf8', timeout: 20_000 });
  expect(ran.status).toBe(5);
  expect(ran.stderr).toMatch(/product login \(test-product\).*refused: That is not its product login/s);
  expect(existsSync(join(folders.dataDir, 'identity.json'))).toBe(true);
});
