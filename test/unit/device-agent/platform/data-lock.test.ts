import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { lockDataFolder } from '@relaygate/device-agent/platform/data-lock';
import { errorWith } from '../../../support/device/error-with';
import { folderForEach } from '../../../support/processes/fresh-folder';
import { describeWhere } from '../../../support/processes/needs';

const folder = folderForEach('rg-l-');
const warnings: string[] = [];
const log = { warn: (text: string) => void warnings.push(text) };

describe('the lock of a data folder', () => {
  test('is had by one program of a kind at a time, whatever name leads to the folder', async () => {
    const data = join(folder, 'data');
    mkdirSync(data);
    symlinkSync(data, join(folder, 'link'));
    const lock = await lockDataFolder(data, 'relaygate-guard', log);
    await expect(lockDataFolder(join(folder, 'link'), 'relaygate-guard', log)).rejects.toMatchObject({
      code: 'already-running',
    });
    const others = [
      await lockDataFolder(data, 'relaygate-agent', log),
      await lockDataFolder(folder, 'relaygate-guard', log),
    ];
    await lock.release();
    const next = await lockDataFolder(data, 'relaygate-guard', log);
    for (const { release } of [next, ...others]) await release();
  });

  test('of a folder that is not there says what to do', async () => {
    await expect(lockDataFolder(join(folder, 'data'), 'relaygate-guard', log)).rejects.toMatchObject(
      errorWith('folder-not-writable', /data cannot be found .*ENOENT.*--data/),
    );
  });

  test('is not in the abstract name space, where any process of the machine could take its name', async () => {
    const name = createHash('sha256').update(`relaygate-guard of ${folder}`).digest('hex').slice(0, 32);
    const stranger = createServer();
    await new Promise<void>((resolve) => stranger.listen(`\0relaygate-${name}`, resolve));
    try {
      await lockDataFolder(folder, 'relaygate-guard', log).then(({ release }) => release());
    } finally {
      stranger.close();
    }
  });
});

describe('on a disk that hangs', () => {
  test('keeps no program from its start, is warned of, and is given back once it was taken after all', async () => {
    warnings.length = 0;
    let answer = (_lock: { release(): Promise<void> }): void => {};
    const hanging = new Promise<{ release(): Promise<void> }>((resolve) => {
      answer = resolve;
    });
    const lock = await lockDataFolder(folder, 'relaygate-guard', log, () => hanging);
    expect(warnings).toEqual([expect.stringMatching(/relaygate-guard\.lock cannot be made .*would go unnoticed$/)]);
    await lock.release();
    await new Promise<void>((release) => answer({ release: async () => release() }));
  });
});

const NO_MOUNT = 'needs root that may mount: it fills a disk';
const canMount = spawnSync('unshare', ['--mount', 'true']).status === 0;

describeWhere(canMount ? undefined : NO_MOUNT)('on a disk without room for its file', () => {
  test('keeps no program from its start, and is warned of; a file that is there does on a disk that is read only', () => {
    const script = `
      const { lockDataFolder } = require(${JSON.stringify(require.resolve('@relaygate/device-agent/platform/data-lock'))});
      const log = { warn: (text) => console.log('warned: ' + text) };
      lockDataFolder(process.argv[1], 'relaygate-guard', log).then(
        () => lockDataFolder(process.argv[1], 'relaygate-guard', log)).then(
        () => console.log('not locked'), (error) => console.log(error.code));`;
    const play = (mount: string): string =>
      spawnSync(
        'unshare',
        ['--mount', 'sh', '-ec', `${mount}; exec "$@"`, 'sh', process.execPath, '-e', script, folder],
        {
          encoding: 'utf8',
        },
      ).stdout;
    const mount = `mount -t tmpfs -o nr_inodes`;
    expect(play(`${mount}=1 none ${folder}`)).toMatch(/^warned: .*relaygate-guard.lock .*ENOSPC/);
    expect(play(`${mount}=9 none ${folder}; touch ${folder}/relaygate-guard.lock; mount -o remount,ro ${folder}`)).toBe(
      'already-running\n',
    );
  });
});
