import { execFileSync } from 'node:child_process';
import { expect, test } from '@jest/globals';

/** Begins where all file descriptors are taken. */
const WITHOUT_DESCRIPTORS = `
  const { openSync } = require('node:fs');
  const { runAndKill } = require(process.argv[1]);
  process.stdout.write('');
  try { for (;;) openSync('/dev/null'); } catch {}
  runAndKill('node:fs', 'existsSync', ['/']).catch((error) => console.log(error.code));
`;

test('a process that cannot begin is an error for whoever asked for it', () => {
  const entry = require.resolve('@relaygate/device-agent/platform/killed-process');
  const limited = ['-c', 'ulimit -n 64; exec "$@"', 'sh', process.execPath, '-e', WITHOUT_DESCRIPTORS, entry];
  expect(execFileSync('sh', limited, { encoding: 'utf8' })).toBe('EMFILE\n');
});
