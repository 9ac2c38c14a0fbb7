/** The guard killed, stopped and started again: what the relays do, from the edge log. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { outputsWith, writeDeviceSettings } from '../../support/device/device';
import { foldersForEach } from '../../support/device/test-device';
import type { Program } from '../../support/processes/program';

const device = foldersForEach();

async function kill(program: Program): Promise<void> {
  program.kill('SIGKILL');
  await program.ended;
}

const levels = (output: number): number[] =>
  device
    .edges()
    .filter((edge) => edge.output === output)
    .map(({ level }) => level);

describe('a guard that is killed in the middle of a pulse', () => {
  test('switches the relay off when neither its state nor its journal can be read, and says so (I4)', async () => {
    writeDeviceSettings(device.dataDir, { outputs: outputsWith({ 2: { pulseMs: 60_000 } }) });
    await device.startPrograms();
    expect((await device.relayctl('pulse', '2')).code).toBe(0);
    await kill(device.guard);
    // EISDIR, also for root.
    for (const file of [join(device.dataDir, 'state.json'), join(device.runDir, 'journal.jsonl')]) {
      rmSync(file);
      mkdirSync(file);
    }
    await device.startGuard();
    expect(levels(2)).toEqual([1, 0]);
    expect(device.guard.complaint).toContain('state.json could not be read');
    expect(device.guard.complaint).toContain('the journal could not be read');
  });

  test('leaves the relay fallen on a board that releases its lines', async () => {
    writeDeviceSettings(device.dataDir, {
      board: { kind: 'simulated', releaseOnDeath: true },
      outputs: outputsWith({ 2: { pulseMs: 5_000 } }),
    });
    await device.startPrograms();
    await device.relayctl('pulse', '2');
    await kill(device.guard);
    await device.startGuard();
    expect(levels(2)).toEqual([1, 0]);
  });
});

describe('a guard that ends in order', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)('on %s leaves no relay closed', async (signal) => {
    writeDeviceSettings(device.dataDir, { outputs: outputsWith({ 2: { pulseMs: 5_000 } }) });
    await device.startPrograms();
    await device.relayctl('set', '0', 'on');
    await device.relayctl('pulse', '2');
    device.guard.kill(signal);
    expect(await device.guard.ended).toEqual({ code: 0, signal: null });
    expect(levels(0)).toEqual([1, 0]);
    expect(levels(2)).toEqual([1, 0]);
  });
});

describe('power-on', () => {
  test('restores after a restart and after a power cut, and switches "on" outputs on only after the latter', async () => {
    const bootIdFile = join(device.dataDir, 'boot-id');
    writeFileSync(bootIdFile, 'first-boot\n');
    writeDeviceSettings(device.dataDir, { outputs: outputsWith({ 0: { powerOn: 'restore' }, 1: { powerOn: 'on' } }) });
    await device.startPrograms({ bootIdFile });
    expect(levels(1)).toEqual([1]);
    await device.relayctl('set', '0', 'on');
    await device.relayctl('set', '1', 'off');
    await kill(device.guard);
    await device.startGuard({ bootIdFile });
    expect(levels(0)).toEqual([1]);
    expect(levels(1)).toEqual([1, 0]);
    await kill(device.guard);
    writeFileSync(bootIdFile, 'second-boot\n');
    await device.startGuard({ bootIdFile });
    expect(levels(0)).toEqual([1]);
    expect(levels(1)).toEqual([1, 0, 1]);
  });

  test('starts everything off from a corrupt state file, keeps that aside and says so', async () => {
    writeDeviceSettings(device.dataDir, { outputs: outputsWith({ 0: { powerOn: 'restore' }, 1: { powerOn: 'on' } }) });
    writeFileSync(join(device.dataDir, 'state.json'), '{"bootId": "x", "active": {"0": tr');
    await device.startPrograms();
    expect(device.edges()).toEqual([]);
    expect(device.guard.complaint).toContain('state.json was corrupt');
    expect(readdirSync(device.dataDir)).toContain('state.json.corrupt-1');
    expect(readFileSync(join(device.dataDir, 'state.json.corrupt-1'), 'utf8')).toContain('"active"');
    expect((await device.relayctl('status')).stdout).toContain('state.json was corrupt');
  });
});
