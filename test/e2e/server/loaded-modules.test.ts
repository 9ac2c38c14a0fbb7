/** What a started server has loaded, in its main thread and in its writer thread. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from '@jest/globals';
import { folderForEach } from '../../support/processes/fresh-folder';
import { Program, ROOT } from '../../support/processes/program';

/** Loaded first in each thread: writes at its end which modules it had. */
const LIST_AT_EXIT = `
process.on('exit', () => {
  const list = { isMainThread: require('node:worker_threads').isMainThread, files: Object.keys(require.cache) };
  require('node:fs').appendFileSync(process.env.LOADED_MODULES, JSON.stringify(list) + '\\n');
});`;

const folder = folderForEach('rg-modules-');

test('a server loads nothing about boards and sites', async () => {
  const threads = await loadedByServer();
  expect(threads.map(({ isMainThread }) => isMainThread).sort()).toEqual([false, true]);
  const files = threads.flatMap((thread) => thread.files.map((file) => relative(ROOT, file)));
  expect(files).toContain('shared/dist/link-messages.js');
  expect(files.filter((file) => file.endsWith('/write-worker.js'))).toHaveLength(1);
  expect(files.filter((file) => /^shared\/dist\/(device\/|.*(board|site))/.test(file))).toEqual([]);
  expect(files.filter((file) => /^(device-agent|hardware)\//.test(file))).toEqual([]);
});

async function loadedByServer(): Promise<{ isMainThread: boolean; files: string[] }[]> {
  const [hook, list] = [join(folder, 'list-at-exit.cjs'), join(folder, 'loaded')];
  writeFileSync(hook, LIST_AT_EXIT);
  const server = await Program.start({
    name: 'relaygate-server',
    file: 'server/bin/relaygate-server.js',
    args: ['start'],
    env: {
      RELAYGATE_DATA_DIR: join(folder, 'data'),
      RELAYGATE_LISTEN: '127.0.0.1:0',
      NODE_OPTIONS: `--require ${hook}`,
      LOADED_MODULES: list,
    },
  });
  try {
    await server.line(/^listening on /);
  } finally {
    await server.stop();
  }
  const lines = readFileSync(list, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line));
}
