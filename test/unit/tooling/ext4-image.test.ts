import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Ext4Image, ext4ImageMissing } from '../../support/faults/ext4-image';
import { describeWhere } from '../../support/processes/needs';

describeWhere(ext4ImageMissing())('a disk whose power is cut', () => {
  test('comes back while another mount namespace still holds the one that lost its power', async () => {
    const image = new Ext4Image();
    const file = join(image.folder, 'synced');
    writeFileSync(file, 'kept');
    image.sync();
    const holder = spawn('unshare', ['--mount', 'sh', '-c', 'echo held; cat'], { stdio: ['pipe', 'pipe', 'inherit'] });
    try {
      await once(holder.stdout, 'data');
      image.losePower();
      image.powerUp();
      expect(readFileSync(file, 'utf8')).toBe('kept');
    } finally {
      holder.kill();
      await once(holder, 'exit');
      image.remove();
    }
  });
});
