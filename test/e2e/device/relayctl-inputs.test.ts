/** relayctl input as a technician uses it, beside guard and agent. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { type Ran, run } from '../../support/device/device';
import { deviceForAll } from '../../support/device/test-device';
import { ROOT } from '../../support/processes/program';

const device = deviceForAll();

const ctl = (...args: string[]): Promise<Ran> => device.relayctl(...args);

test('inputs get a meaning, which the guard goes by once it is restarted, and lose it', async () => {
  expect((await ctl('input')).stdout).toBe('no input has a meaning\n');
  const set = await ctl(
    'input',
    'set',
    '2',
    '--kind',
    'button',
    '--name',
    'Exit',
    '--output',
    '3',
    '--action',
    'pulse',
  );
  expect(set.stdout).toMatch(/^input 2: button "Exit", output 3, action pulse\n\nThe guard goes by it once/);
  const more = await ctl('input', 'set', '2', '--obeys-locks', 'false', '--debounce-ms', '80', '--json');
  expect(JSON.parse(more.stdout)).toMatchObject({
    before: { name: 'Exit' },
    after: { name: 'Exit', obeysLocks: false, debounceMs: 80 },
    mustRestart: true,
  });
  expect((await ctl('status')).stdout).toMatch(/another meaning than the guard goes by: restart\s+relaygate-guard/);
  await device.guard.stop();
  await device.startGuard();
  const list = await ctl('input', 'list');
  expect(list.stdout).toMatch(
    /^input +kind +name +settings\n2 +button +Exit +output 3, action pulse, .*obeys-locks false/,
  );
  const removed = await run('relayctl', ['--run', device.runDir, 'input', 'remove', '2'], 'fr_FR.UTF-8');
  expect(removed.stdout).toMatch(/^entrée 2 : n’a plus de rôle\n/);
  expect(JSON.parse((await ctl('input', '--json')).stdout).inputs).toEqual([]);
  expect((await ctl('history')).stdout).toMatch(/relayctl as \S+ {2}input/);
});

test.each([
  ['a kind that is none', ['set', '0', '--kind', 'door'], 2, /Allowed choices are contact, tamper, button/],
  ['an input without a name', ['set', '0', '--kind', 'contact'], 2, /out-of-range: Input 0 needs name too/],
  ['neither true nor false', ['set', '0', '--obeys-locks', 'no'], 2, /bad-usage: .*true or false/],
  ['to remove what is not there', ['remove', '7'], 2, /out-of-range: Input 7 has no meaning/],
  [
    'an output that is not there',
    ['set', '0', '--kind', 'button', '--name', 'a', '--output', '9', '--action', 'pulse'],
    2,
    /there are 4 outputs/,
  ],
])('refuses %s in one line with its exit code', async (_, args, code, words) => {
  const ran = await ctl('input', ...args);
  expect(ran.code).toBe(code);
  expect(ran.stderr.trimEnd()).toMatch(words);
  expect(ran.stderr.trimEnd().split('\n')).toHaveLength(1);
});

test('input set --help tells the options that COMMANDS.md tells, and no other', async () => {
  const help = (await ctl('input', 'set', '--help')).stdout;
  const options = [...help.matchAll(/^ {2}(--[a-z-]+) </gm)].map(([, flag]) => flag);
  const commands = readFileSync(join(ROOT, 'device-agent/COMMANDS.md'), 'utf8');
  const row = commands.split('\n').find((line) => line.startsWith('| `input set')) ?? '';
  const told = [...row.matchAll(/`(--[a-z-]+)`/g)].map(([, flag]) => flag);
  expect(told.length).toBeGreaterThan(0);
  expect(options.filter((flag) => flag !== '--run')).toEqual(told);
});
