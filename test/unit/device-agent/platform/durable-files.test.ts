import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { durableFiles, stageFile } from '@relaygate/device-agent/platform/durable-files';
import { putBackAside, removableFiles } from '@relaygate/device-agent/platform/removable-files';
import { folderForEach } from '../../../support/processes/fresh-folder';

const folder = folderForEach('rg-f-');
const file = join(folder, 'state.json');

describe('a file of the device', () => {
  test('that is not there reads as null', async () => {
    expect(await durableFiles.read(file)).toBeNull();
  });

  test('is synced as it was found, and cannot be where it is not', async () => {
    writeFileSync(file, 'found');
    await durableFiles.sync(file);
    expect(readFileSync(file, 'utf8')).toBe('found');
    await expect(durableFiles.sync(join(folder, 'nowhere'))).rejects.toThrow('ENOENT');
  });

  test('is replaced as a whole, and leaves nothing else behind', async () => {
    await durableFiles.replace(file, 'old');
    await durableFiles.replace(file, 'new');
    expect(readFileSync(file, 'utf8')).toBe('new');
    expect(readdirSync(folder)).toEqual(['state.json']);
  });

  test('stays the old one while the new one is staged, and when it is discarded', async () => {
    await durableFiles.replace(file, 'old', { mode: 0o604 });
    const staged = await stageFile(file, 'new', { mode: 0o600 });
    expect(readFileSync(file, 'utf8')).toBe('old');
    await staged.discard();
    expect(readdirSync(folder)).toEqual(['state.json']);
    await (await stageFile(file, 'new', { mode: 0o600 })).commit();
    expect(readFileSync(file, 'utf8')).toBe('new');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['state.json']);
  });

  test('stays the old one when the new one cannot be written', async () => {
    writeFileSync(file, 'old');
    const impossible = join(file, 'below-a-file');
    await expect(durableFiles.replace(impossible, 'new')).rejects.toThrow();
    expect(readFileSync(file, 'utf8')).toBe('old');
  });

  test('stays the old one when whoever replaces it thinks better of it at the last moment', async () => {
    writeFileSync(file, 'old');
    const beforeCommit = (): Promise<void> => Promise.reject(new Error('edited'));
    await expect(durableFiles.replace(file, 'new', { beforeCommit })).rejects.toThrow('edited');
    expect(readFileSync(file, 'utf8')).toBe('old');
    expect(readdirSync(folder)).toEqual(['state.json']);
  });

  test('is replaced over what a crash in the middle has left', async () => {
    writeFileSync(file, 'old');
    writeFileSync(`${file}.new`, 'half');
    expect(await durableFiles.read(file)).toBe('old');
    await durableFiles.replace(file, 'new');
    expect(readFileSync(file, 'utf8')).toBe('new');
    expect(existsSync(`${file}.new`)).toBe(false);
  });

  test('keeps its rights, and gets those that are asked for', async () => {
    writeFileSync(file, 'old');
    chmodSync(file, 0o604);
    await durableFiles.replace(file, 'new');
    expect(statSync(file).mode & 0o777).toBe(0o604);
    const secret = join(folder, 'identity.json');
    await durableFiles.replace(secret, 'key', { mode: 0o600 });
    expect(statSync(secret).mode & 0o777).toBe(0o600);
  });

  test('goes if it holds the text, with nothing left behind', async () => {
    writeFileSync(file, 'used');
    await removableFiles.remove(file, (text) => text === 'used');
    expect(readdirSync(folder)).toEqual([]);
    await removableFiles.remove(file, () => true);
  });

  test('stays with its rights if it holds another text', async () => {
    await durableFiles.replace(file, 'new', { mode: 0o604 });
    await removableFiles.remove(file, (text) => text === 'used');
    expect(readFileSync(file, 'utf8')).toBe('new');
    expect(statSync(file).mode & 0o777).toBe(0o604);
    expect(readdirSync(folder)).toEqual(['state.json']);
  });

  test.each([true, false])('stays if it comes while the former one is looked at, which is to go: %s', async (isIt) => {
    writeFileSync(file, 'older');
    await removableFiles.remove(file, () => {
      writeFileSync(file, 'newest');
      return isIt;
    });
    expect(readFileSync(file, 'utf8')).toBe('newest');
    expect(readdirSync(folder)).toEqual(['state.json']);
  });

  test.each([null, 'newest'])(
    'is put back from where a crash has left it, unless there is a newer one: %j',
    async (newer) => {
      writeFileSync(`${file}.old`, 'left');
      if (newer !== null) writeFileSync(file, newer);
      await putBackAside(file);
      await putBackAside(file);
      expect(readFileSync(file, 'utf8')).toBe(newer ?? 'left');
      expect(readdirSync(folder)).toEqual(['state.json']);
    },
  );

  test('that is corrupt goes to the first free name, and never over another one', async () => {
    for (const [n, text] of ['first', 'second'].entries()) {
      writeFileSync(file, text);
      expect(await durableFiles.quarantine(file)).toBe(`${file}.corrupt-${n + 1}`);
    }
    expect(readFileSync(`${file}.corrupt-1`, 'utf8')).toBe('first');
    expect(readFileSync(`${file}.corrupt-2`, 'utf8')).toBe('second');
    expect(existsSync(file)).toBe(false);
  });
});
