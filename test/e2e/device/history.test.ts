/** What people do at a device, as relayctl tells it, beside guard and agent as they are started; and its PIN. */

import { readFileSync, statSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { HistoryEntry } from '@relaygate/shared';
import { type Ran, stopDevice } from '../../support/device/device';
import { deviceForEach } from '../../support/device/test-device';

/** In the order in which a change writes them. */
const STEPS = ['history.jsonl', 'settings.json.new', 'settings.json'];
const MAX_ROUNDS = 30;

const device = deviceForEach();

async function killAgent(): Promise<void> {
  device.agent.kill('SIGKILL');
  await device.agent.ended;
}
const ctl = (...args: string[]): Promise<Ran> => device.relayctl(...args);
const pathOf = (name: string): string => join(device.dataDir, name);
/** When the agent has first written to that file, or put it in its place. */
function nextTouch(file: string): Promise<void> {
  return new Promise((resolve) => {
    const watcher = watch(device.dataDir, (_event, name) => {
      if (name !== file) return;
      watcher.close();
      resolve();
    });
  });
}
const settings = () => JSON.parse(readFileSync(pathOf('settings.json'), 'utf8'));
async function history(...args: string[]): Promise<HistoryEntry[]> {
  const { stdout, stderr } = await ctl('history', '--json', ...args);
  expect(stderr).toBe('');
  return JSON.parse(stdout).entries;
}

test('history tells who did what, from and to, and to which output', async () => {
  expect((await ctl('history')).stdout).toBe('nothing was done at this device yet\n');
  await ctl('output', '2', '--pulse-ms', '750');
  await ctl('set', '0', 'on');
  const entries = await history();
  expect(entries).toMatchObject([
    { kind: 'output', numOutput: 2, changes: [{ member: 'outputs.2.pulseMs', from: 500, to: 750 }] },
    { kind: 'set-on', numOutput: 0, outcome: 'executed' },
  ]);
  expect(entries[0]?.actor).toMatch(/^relayctl as ./);
  const { stdout } = await ctl('history', '-n', '1', '--output', '2');
  expect(stdout).toMatch(/^1 {2}\d{4}-\d\d-\d\dT[\d:]+Z {2}relayctl as .+ {2}output 2\n {5}pulseMs: 500 -> 750\n$/);
  expect(statSync(pathOf('history.jsonl')).mode & 0o777).toBe(0o600);
});

test('an agent that is killed while changes are made leaves old or new, and a history that says which', async () => {
  let [made, cut] = [0, 0];
  // Where it is killed before the new settings are there, it may still be too late on a busy machine.
  for (let round = 0; round < 6 || (cut === 0 && round < MAX_ROUNDS); round += 1) {
    const before = settings().outputs[2].pulseMs;
    const after = 1_000 + round;
    const touched = nextTouch(STEPS[round % STEPS.length] ?? '');
    const changing = ctl('output', '2', '--pulse-ms', String(after));
    await touched;
    await killAgent();
    const { code } = await changing;
    await device.startAgentWithGuard();
    const now = settings().outputs[2].pulseMs;
    expect([before, after]).toContain(now);
    if (code === 0) expect(now).toBe(after);
    const entries = await history();
    const known = entries.flatMap(({ changes }) => changes).at(-1)?.to ?? 500;
    expect(known).toBe(now);
    expect(entries.map(({ actor }) => actor)).not.toContain('by hand');
    if (now === after) made += 1;
    else cut += 1;
  }
  expect(Math.min(made, cut)).toBeGreaterThan(0);
});

test('what a hand has edited is noticed at the next start', async () => {
  await stopDevice([device.agent]);
  const edited = settings();
  edited.outputs[3].pulseMs = 1_234;
  writeFileSync(pathOf('settings.json'), JSON.stringify(edited));
  await device.startAgentWithGuard();
  expect(await history()).toMatchObject([
    { actor: 'by hand', numOutput: 3, changes: [{ member: 'outputs.3.pulseMs', from: 500, to: 1_234 }] },
  ]);
});

test('a corrupt history is kept aside and said, and everything works', async () => {
  await stopDevice([device.agent]);
  writeFileSync(pathOf('history.jsonl'), 'what is this\n');
  await device.startAgentWithGuard();
  expect((await ctl('status')).stdout).toContain('is corrupt: kept aside as');
  expect(readFileSync(pathOf('history.jsonl.corrupt-1'), 'utf8')).toBe('what is this\n');
  expect((await ctl('output', '2', '--pulse-ms', '750')).code).toBe(0);
  expect(await history()).toMatchObject([{ kind: 'output' }]);
});

test('identity --new-pin shows a PIN once, which no file and no log holds', async () => {
  const made = await ctl('identity', '--new-pin', '--yes');
  const [, pin = ''] = /^PIN {2}(\d{8})\n.*not shown again/.exec(made.stdout) ?? [];
  expect(pin).toHaveLength(8);
  expect(statSync(pathOf('pin.json')).mode & 0o777).toBe(0o600);
  const seen = [readFileSync(pathOf('pin.json'), 'utf8'), readFileSync(pathOf('history.jsonl'), 'utf8')];
  for (const text of seen) expect(text).not.toContain(pin);
  expect((await ctl('history')).stdout).toContain('PIN: made');
  expect(JSON.parse((await ctl('identity', '--new-pin', '--yes', '--json')).stdout).pin).not.toBe(pin);
});
