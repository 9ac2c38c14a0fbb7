// `npm run test:hardware`: installs and builds what is missing, then runs the suite of the emulated machines.
//   npm run test:hardware -- persist-0     only files whose path holds this (Jest's own options go through)
//   npm run test:hardware -- --fresh       downloads everything anew
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { orExplain, PrepareError, prepare, ROOT } from '../support/prepare.mjs';

const APT_LIMIT_MS = 5 * 60_000;
const args = process.argv.slice(2);

/** Root gets the Debian packages; who is not is told which are missing. */
function installTools() {
  const { missingPackages } = createRequire(import.meta.url)('../dist/hardware-vm/image/tools.js');
  const missing = missingPackages();
  if (missing.length === 0) return;
  const command = `apt-get install -y --no-install-recommends ${missing.join(' ')}`;
  if (process.getuid?.() !== 0) throw new PrepareError(`These Debian packages are missing: sudo ${command}`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const script of ['apt-get -qq update', command]) {
    process.stderr.write(`${script} ...\n`);
    const { status } = spawnSync('sh', ['-c', script], { stdio: ['ignore', 2, 2], env, timeout: APT_LIMIT_MS });
    if (status !== 0) throw new PrepareError(`"${script}" has failed, and these packages are needed.`);
  }
}

await orExplain(async () => {
  await prepare();
  installTools();
  if (args.includes('--fresh')) rmSync(join(ROOT, '.cache/hardware-vm'), { recursive: true, force: true });
  const suite = [join(ROOT, 'test/support/tools/run-suites.mjs'), '--full', '--suite', 'hardware-vm'];
  const options = args.filter((arg) => arg !== '--fresh');
  process.exitCode = spawnSync(process.execPath, [...suite, ...options], { stdio: 'inherit' }).status ?? 1;
});
