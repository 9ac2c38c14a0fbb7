import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { freshCli, type Run } from './fresh-cli';

const cli = freshCli();

/** What Node says of a package that npm left out, and of one that is compiled for another Node. */
const FAULTS = {
  'is not installed': `
    const { _resolveFilename } = Module;
    Module._resolveFilename = function (name, ...rest) {
      if (!name.startsWith('better-sqlite3')) return _resolveFilename.call(this, name, ...rest);
      throw Object.assign(new Error('Cannot find module'), { code: 'MODULE_NOT_FOUND' });
    };`,
  'is compiled for another Node': `
    process.dlopen = () => {
      throw Object.assign(new Error('The module was compiled\\nfor another one.'), { code: 'ERR_DLOPEN_FAILED' });
    };`,
};
const ONE_LINE =
  /^relaygate-server: better-sqlite3\S*, which Node \S+ needs, does not load: [^\n]*npm ci[^\n]* \(database-unusable\)\n?$/;

function runWith(fault: string, words: string): Promise<Run> {
  const hook = join(cli.folder, 'hook.js');
  writeFileSync(hook, `const Module = require('node:module');${fault}`);
  return cli.run(words.split(' '), { RELAYGATE_DATA_DIR: cli.dataDir, NODE_OPTIONS: `--require=${hook}` });
}

describe.each(Object.entries(FAULTS))('a database driver that %s', (_what, fault) => {
  test.each(['start', 'client create --name Desk', 'product create --outputs 1'])(
    '%s says in one line what to do',
    async (words) => {
      const { out, err, code } = await runWith(fault, words);
      expect([out, code]).toEqual(['', 1]);
      expect(err).toMatch(ONE_LINE);
    },
  );

  test('is told as JSON where that was asked for, and --version and --help need none', async () => {
    const { err } = await runWith(fault, 'product create --outputs 1 --json');
    expect(JSON.parse(err)).toMatchObject({ error: 'database-unusable' });
    for (const words of ['--version', '--help'])
      expect(await runWith(fault, words)).toMatchObject({ code: 0, err: '' });
  });
});
