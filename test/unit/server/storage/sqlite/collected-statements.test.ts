import { spawnSync } from 'node:child_process';
import { expect, test } from '@jest/globals';

const SCRIPT = `
  const { openSqlite } = require(${JSON.stringify(require.resolve('@relaygate/server/storage/sqlite/sqlite'))});
  const db = openSqlite(':memory:');
  let rounds = 0;
  const timer = setInterval(() => {
    for (let n = 0; n < 2_000; n += 1) db.prepare('SELECT ' + n).get();
    if (++rounds < 50) return;
    clearInterval(timer);
    console.log('alive');
  });`;

test('statements that are collected as garbage do not end the process', () => {
  // Node aborts on a fault of the driver, which no test could catch in its own process.
  const { stdout, stderr, signal } = spawnSync(process.execPath, ['-e', SCRIPT], { encoding: 'utf8' });
  expect({ stdout, stderr, signal }).toEqual({ stdout: 'alive\n', stderr: '', signal: null });
});
