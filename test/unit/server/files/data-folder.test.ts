import { chownSync, linkSync, lstatSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { giveToOwnerOf } from '@relaygate/server/files/data-folder';
import { folderForEach } from '../../../support/processes/fresh-folder';
import { describeWhere } from '../../../support/processes/needs';

describeWhere(process.geteuid?.() === 0 ? undefined : 'only root can give files away')('root', () => {
  const OWNER = 1_234;
  const folder = folderForEach('rg-data-');

  function ownerOf(name: string): number {
    return lstatSync(join(folder, name)).uid;
  }

  test('gives the owner of the data folder the files that it made there', () => {
    writeFileSync(join(folder, 'file'), '');
    chownSync(folder, OWNER, OWNER);
    giveToOwnerOf(folder, join(folder, 'file'), join(folder, 'missing'));
    expect(ownerOf('file')).toBe(OWNER);
  });

  test.each([
    ['a link', symlinkSync],
    ['another name', linkSync],
  ])('gives nobody a file that %s leads to: somebody else may have made it', (_, plant) => {
    writeFileSync(join(folder, 'victim'), '');
    plant(join(folder, 'victim'), join(folder, 'planted'));
    chownSync(folder, OWNER, OWNER);
    giveToOwnerOf(folder, join(folder, 'planted'));
    expect(ownerOf('victim')).toBe(0);
  });
});
