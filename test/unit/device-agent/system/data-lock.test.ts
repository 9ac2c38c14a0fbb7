import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { lockDataFolder } from '@relaygate/device-agent/system/data-lock';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rg-l-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the lock of a data folder', () => {
  test('is had by one program of a kind at a time, whatever name leads to the folder', async () => {
    const data = join(folder, 'data');
    mkdirSync(data);
    symlinkSync(data, join(folder, 'link'));
    const lock = await lockDataFolder(data, 'guard');
    await expect(lockDataFolder(join(folder, 'link'), 'guard')).rejects.toMatchObject({ code: 'already-running' });
    const others = [await lockDataFolder(data, 'agent'), await lockDataFolder(folder, 'guard')];
    await lock.release();
    const next = await lockDataFolder(data, 'guard');
    for (const { release } of [next, ...others]) await release();
  });
});
