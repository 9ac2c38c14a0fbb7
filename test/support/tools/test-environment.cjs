// What each test file runs in: Jest's environment for Node, with two remedies.
const { AsyncLocalStorage } = require('node:async_hooks');
const { existsSync, readFileSync, statfsSync } = require('node:fs');
const { relative, sep } = require('node:path');
// As Jest itself finds it.
const { TestEnvironment } = require(require.resolve('jest-environment-node', { paths: [require.resolve('jest')] }));

// Jest makes a storage for each file and never gives it up. Before Node 24, every promise and timer behind it pays for every
// storage there is: the last file of 270 would take ten times the CPU of the first.
const used = new Set();
const { run } = AsyncLocalStorage.prototype;
AsyncLocalStorage.prototype.run = function (...args) {
  used.add(this);
  return run.apply(this, args);
};

// What a busy disk takes for a write says nothing about our programs. Where the disk is a part of what is tested, it stays.
const MEMORY = '/dev/shm';
const WITH_MEMORY = ['unit', 'contract', 'integration', 'generated', 'simulation', 'e2e'];
// Containers often have 64 MiB there.
const ENOUGH_BYTES = 1024 ** 3;
const DISK = process.env.TMPDIR;
const isMemoryUsed = DISK === undefined && hasMemory();

module.exports = class extends TestEnvironment {
  constructor(config, context) {
    const [suite] = relative(`${config.globalConfig.rootDir}/test/dist`, context.testPath).split(sep);
    if (isMemoryUsed && WITH_MEMORY.includes(suite)) process.env.TMPDIR = MEMORY;
    super(config, context);
  }

  async teardown() {
    await super.teardown();
    for (const storage of used) storage.disable();
    used.clear();
    if (isMemoryUsed) delete process.env.TMPDIR;
  }
};

/** Tests run programs that they write. */
function hasMemory() {
  if (!existsSync(MEMORY)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  const options = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
    .findLast(([, folder]) => folder === MEMORY)?.[3];
  return bavail * bsize >= ENOUGH_BYTES && options !== undefined && !options.split(',').includes('noexec');
}
