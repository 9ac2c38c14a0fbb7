// `npm run image`: a card image for Raspberry Pi Zero 2, 3 and 4 from Debian's packages and ours, in dist/.
//   npm run image -- --package FILE     with this package instead of one that is built now
//   npm run image -- --firmware FOLDER  with these files beside Debian's Wi-Fi firmware (hardware/IMAGE.md)
import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildPackage, PACKAGE_PROGRAMS } from '../package/build.mjs';
import { asOnlyBuild } from '../package/build-lock.mjs';
import { earlierBuilds } from '../package/version.mjs';
import {
  BuildError,
  CACHE,
  needPrograms,
  OUTPUT,
  orExplain,
  run,
  say,
  withScratch,
  writeWhole,
} from '../package/workshop.mjs';
import { writeBootPartition } from './boot-partition.mjs';
import { bootFiles, installedRoot, kernelRelease, ROOT_PROGRAMS } from './debian-root.mjs';
import { DEVICE_TREE_PROGRAMS } from './device-trees.mjs';
import { DISK_PROGRAMS, writeDisk } from './disk.mjs';
import { finishRoot } from './finish-root.mjs';

/** What this build makes, and others have made before. */
const [NAME, END] = ['relaygate', 'raspberry-pi.img'];
const IMAGE_PROGRAMS = {
  cpio: 'cpio',
  depmod: 'kmod',
  xz: 'xz-utils',
  ...ROOT_PROGRAMS,
  ...DEVICE_TREE_PROGRAMS,
  ...DISK_PROGRAMS,
};

/** All that can be known before anything is begun. */
function refuseUnable({ package: packageFile, firmware }) {
  needPrograms({ ...IMAGE_PROGRAMS, ...(packageFile === undefined ? PACKAGE_PROGRAMS : { 'dpkg-deb': 'dpkg' }) });
  if (process.getuid?.() !== 0) throw new BuildError('Only root can build an image: sudo npm run image.');
  for (const [option, path] of Object.entries({ package: packageFile, firmware }))
    if (path !== undefined && !existsSync(path)) throw new BuildError(`--${option}: ${path} is not there.`);
}

async function buildImage({ package: packageFile, firmware }) {
  const deb = packageFile ?? (await buildPackage());
  const version = run('dpkg-deb', ['--field', deb, 'Version']).trim();
  const boot = bootFiles();
  return withScratch(CACHE, 'image', (scratch) => {
    const root = join(scratch, 'root');
    installedRoot(deb, root);
    const release = kernelRelease(boot);
    finishRoot(root, boot, release);
    if (firmware !== undefined) run('cp', ['--archive', '--', `${firmware}/.`, join(root, 'usr/lib/firmware/brcm')]);
    const partition = join(scratch, 'boot');
    writeBootPartition({ partition, root, boot, release, scratch });
    const data = join(scratch, 'data');
    writeData(data, root);
    say('Putting the partitions together ...');
    const image = join(OUTPUT, `${NAME}_${version}_${END}`);
    writeWhole(
      image,
      (fresh) => writeDisk({ boot: partition, root, data, image: fresh, scratch }),
      earlierBuilds(NAME, END),
    );
    return image;
  });
}

function writeData(data, root) {
  mkdirSync(join(data, 'connections'), { recursive: true });
  chmodSync(join(data, 'connections'), 0o700);
  run('cp', ['--archive', join(root, 'var/lib/relaygate'), join(data, 'relaygate')]);
}

function givenOptions() {
  try {
    return parseArgs({ options: { package: { type: 'string' }, firmware: { type: 'string' } } }).values;
  } catch (error) {
    throw new BuildError(`${error.message}\nUsage: sudo npm run image -- [--package FILE] [--firmware FOLDER]`);
  }
}

await orExplain(() => {
  const options = givenOptions();
  refuseUnable(options);
  return asOnlyBuild(async () => say(`Done: ${await buildImage(options)}`));
});
