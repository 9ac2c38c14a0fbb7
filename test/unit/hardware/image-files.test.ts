/** What the card image has beside Debian's own files. */
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { folderForEach } from '../../support/processes/fresh-folder';
import { missingProgram } from '../../support/processes/missing-program';
import { describeWhere } from '../../support/processes/needs';
import { ROOT } from '../../support/processes/program';

const FILES = join(ROOT, 'hardware/image/files/etc');
const EMERGENCY = 'systemd/system/emergency.service.d';
const DEBIANS = '/usr/lib/systemd/system/emergency.service';

describe('a file system that does not mount', () => {
  const text = readFileSync(join(FILES, EMERGENCY, 'relaygate.conf'), 'utf8');
  const [, orders = ''] = text.split('[Service]\n');
  const folder = folderForEach('rg-emergency-');
  beforeEach(() => writeFileSync(join(folder, 'sleep'), '#!/bin/sh\necho "waited $*"\n', { mode: 0o755 }));

  test('has the device say so and start anew after ten minutes, instead of asking for a password that there is not', () => {
    // The empty one takes Debian's away.
    const [, script = ''] = /^ExecStart=\nExecStart=\/bin\/sh -c '([^']+)'$/m.exec(orders) ?? [];
    const env = { PATH: `${folder}:${process.env.PATH}` };
    const printed = execFileSync('sh', ['-c', script], { encoding: 'utf8', env });
    expect(printed).toMatch(/^relaygate: .*\nwaited 600\n$/);
    for (const event of ['Success', 'Failure']) expect(text).toContain(`\n${event}Action=reboot-force\n`);
  });

  describeWhere(missingProgram('systemd-analyze', 'systemd'))('by an addition that', () => {
    test('systemd understands', () => {
      copyFileSync(DEBIANS, join(folder, 'emergency.service'));
      cpSync(join(FILES, EMERGENCY), join(folder, 'emergency.service.d'), { recursive: true });
      const args = ['verify', '--man=no', join(folder, 'emergency.service')];
      expect(spawnSync('systemd-analyze', args, { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
    });
  });
});

test('a boot partition that is away holds up neither the start nor, for more than 20 s, the guard behind its setup', () => {
  const [, options = ''] =
    /^LABEL=RELAYGATE \/boot\/firmware vfat (\S+) 0 0$/m.exec(readFileSync(join(FILES, 'fstab'), 'utf8')) ?? [];
  expect(options.split(',')).toEqual(expect.arrayContaining(['nofail', 'x-systemd.device-timeout=20s']));
});
