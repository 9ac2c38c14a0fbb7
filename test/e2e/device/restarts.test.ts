/** The guard killed, stopped and started again: what the relays do, from the edge log. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  type DeviceFolders,
  edgeLogOf,
  makeDeviceFolders,
  outputsWith,
  readEdges,
  relayctl,
  startAgentWithGuard,
  startGuard,
  stopDevice,
  writeDeviceSettings,
} from '../../support/device/device';
import type { Program } from '../../support/processes/program';

let folders: DeviceFolders & { remove(): void };
let guard: Program;
let agent: Program;

beforeEach(() => {
  folders = makeDeviceFolders();
});
afterEach(() => stopDevice([agent, guard], folders));

async function startBoth(bootIdFile?: string): Promise<void> {
  guard = await startGuard({ ...folders, ...(bootIdFile ? { bootIdFile } : {}) });
  agent = await startAgentWithGuard(folders);
}

async function kill(program: Program): Promise<void> {
  program.kill('SIGKILL');
  await program.ended;
}

const levels = (output: number): number[] =>
  readEdges(edgeLogOf(folders.dataDir))
    .filter((edge) => edge.output === output)
    .map(({ level }) => level);

describe('a guard that is killed in the middle of a pulse', () => {
  test('switches the relay off when neither its state nor its journal can be read, and says so (I4)', async () => {
    writeDeviceSettings(folders.dataDir, { outputs: outputsWith({ 2: { pulseMs: 60_000 } }) });
    await startBoth();
    expect((await relayctl(folders.runDir, 'pulse', '2')).code).toBe(0);
    await kill(guard);
    // EISDIR, also for root.
    for (const file of [join(folders.dataDir, 'state.json'), join(folders.runDir, 'journal.jsonl')]) {
      rmSync(file);
      mkdirSync(file);
    }
    guard = await startGuard(folders);
    expect(levels(2)).toEqual([1, 0]);
    expect(guard.complaint).toContain('state.json could not be read');
    expect(guard.complaint).toContain('the journal could not be read');
  });

  test('leaves the relay fallen on a board that releases its lines', async () => {
    writeDeviceSettings(folders.dataDir, {
      board: { kind: 'simulated', releaseOnDeath: true },
      outputs: outputsWith({ 2: { pulseMs: 5_000 } }),
    });
    await startBoth();
    await relayctl(folders.runDir, 'pulse', '2');
    await kill(guard);
    guard = await startGuard(folders);
    expect(levels(2)).toEqual([1, 0]);
  });
});

describe('a guard that ends in order', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)('on %s leaves no relay closed', async (signal) => {
    writeDeviceSettings(folders.dataDir, { outputs: outputsWith({ 2: { pulseMs: 5_000 } }) });
    await startBoth();
    await relayctl(folders.runDir, 'set', '0', 'on');
    await relayctl(folders.runDir, 'pulse', '2');
    guard.kill(signal);
    expect(await guard.ended).toEqual({ code: 0, signal: null });
    expect(levels(0)).toEqual([1, 0]);
    expect(levels(2)).toEqual([1, 0]);
  });
});

describe('power-on', () => {
  test('restores after a restart and after a power cut, and switches "on" outputs on only after the latter', async () => {
    const bootIdFile = join(folders.dataDir, 'boot-id');
    writeFileSync(bootIdFile, 'first-boot\n');
    writeDeviceSettings(folders.dataDir, { outputs: outputsWith({ 0: { powerOn: 'restore' }, 1: { powerOn: 'on' } }) });
    await startBoth(bootIdFile);
    expect(levels(1)).toEqual([1]);
    await relayctl(folders.runDir, 'set', '0', 'on');
    await relayctl(folders.runDir, 'set', '1', 'off');
    await kill(guard);
    guard = await startGuard({ ...folders, bootIdFile });
    expect(levels(0)).toEqual([1]);
    expect(levels(1)).toEqual([1, 0]);
    await kill(guard);
    writeFileSync(bootIdFile, 'second-boot\n');
    guard = await startGuard({ ...folders, bootIdFile });
    expect(levels(0)).toEqual([1]);
    expect(levels(1)).toEqual([1, 0, 1]);
  });

  test('starts everything off from a corrupt state file, keeps that aside and says so', async () => {
    writeDeviceSettings(folders.dataDir, { outputs: outputsWith({ 0: { powerOn: 'restore' }, 1: { powerOn: 'on' } }) });
    writeFileSync(join(folders.dataDir, 'state.json'), '{"bootId": "x", "active": {"0": tr');
    await startBoth();
    expect(readEdges(edgeLogOf(folders.dataDir))).toEqual([]);
    expect(guard.complaint).toContain('state.json was corrupt');
    expect(readdirSync(folders.dataDir)).toContain('state.json.corrupt-1');
    expect(readFileSync(join(folders.dataDir, 'state.json.corrupt-1'), 'utf8')).toContain('"active"');
    expect((await relayctl(folders.runDir, 'status')).stdout).toContain('state.json was corrupt');
  });
});
