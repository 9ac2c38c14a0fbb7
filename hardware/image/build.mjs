// `npm run image`: a card image for Raspberry Pi Zero 2, 3 and 4 from Debian's packages and ours, in dist/.
//   npm run image -- --package FILE     with this package instead of one that is built now
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { buildPackage } from '../package/build.mjs';
import { BuildError, CACHE, needPrograms, OUTPUT, orExplain, run, say } from '../package/workshop.mjs';
import { writeBootPartition } from './boot-partition.mjs';
import { bootFiles, installedRoot, kernelRelease, ROOT_PROGRAMS } from './debian-root.mjs';
import { DISK_PROGRAMS, writeDisk } from './disk.mjs';
import { finishRoot } from './finish-root.mjs';

function buildImage(packageFile) {
  needPrograms({ cpio: 'cpio', depmod: 'kmod', xz: 'xz-utils', ...ROOT_PROGRAMS, ...DISK_PROGRAMS });
  if (process.getuid?.() !== 0) throw new BuildError('Only root can build an image: sudo npm run image.');
  const deb = packageFile ?? buildPackage();
  const boot = bootFiles();
  mkdirSync(CACHE, { recursive: true });
  const scratch = mkdtempSync(join(CACHE, 'image-'));
  try {
    const root = join(scratch, 'root');
    installedRoot(deb, root);
    const release = kernelRelease(boot);
    finishRoot(root, boot, release);
    const partition = join(scratch, 'boot');
    writeBootPartition({ partition, root, boot, release, scratch });
    const data = join(scratch, 'data');
    writeData(data, root);
    say('Putting the partitions together ...');
    mkdirSync(OUTPUT, { recursive: true });
    const image = join(
      OUTPUT,
      basename(deb).replace(/^relaygate-device_(.*)_arm64\.deb$/, 'relaygate_$1_raspberry-pi.img'),
    );
    writeDisk({ boot: partition, root, data, image: `${image}.new`, scratch });
    run('mv', [`${image}.new`, image]);
    return image;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function writeData(data, root) {
  mkdirSync(join(data, 'connections'), { recursive: true });
  chmodSync(join(data, 'connections'), 0o700);
  run('cp', ['--archive', join(root, 'var/lib/relaygate'), join(data, 'relaygate')]);
}

await orExplain(async () => {
  const args = process.argv.slice(2);
  const at = args.indexOf('--package');
  say(`Done: ${buildImage(at < 0 ? undefined : args[at + 1])}`);
});
