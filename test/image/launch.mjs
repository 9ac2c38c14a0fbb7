// `npm run test:image`: builds package and card image, and runs the image in an emulated Raspberry Pi.
//   npm run test:image -- --image FILE     this image instead
//   npm run test:image -- -t 'moves a pin' Jest's own options go through
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { orExplain, PrepareError, prepare, ROOT } from '../support/prepare.mjs';

const args = process.argv.slice(2);

function build() {
  const { status } = spawnSync(process.execPath, [join(ROOT, 'hardware/image/build.mjs')], { stdio: 'inherit' });
  if (status !== 0) throw new PrepareError('There is no image to be tested.');
  const folder = join(ROOT, 'dist');
  const images = readdirSync(folder).filter((name) => name.endsWith('.img'));
  const newest = images.sort((a, b) => statSync(join(folder, b)).mtimeMs - statSync(join(folder, a)).mtimeMs)[0];
  return join(folder, String(newest));
}

await orExplain(async () => {
  const at = args.indexOf('--image');
  const [, given] = at < 0 ? [] : args.splice(at, 2);
  await prepare();
  const image = given === undefined ? build() : resolve(given);
  const suite = [join(ROOT, 'test/support/tools/run-suites.mjs'), '--full', '--suite', 'image', ...args];
  const env = { ...process.env, RELAYGATE_IMAGE: image };
  process.exitCode = spawnSync(process.execPath, suite, { stdio: 'inherit', env }).status ?? 1;
});
