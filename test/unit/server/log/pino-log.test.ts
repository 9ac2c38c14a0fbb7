import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from '@jest/globals';
import { folderForEach } from '../../../support/processes/fresh-folder';

/** Logs 3 MB, says on stdout that it lives, logs one line more for each of its stdin, and ends with it. */
const PROGRAM = `
  const { pinoLog } = require(process.argv[1]);
  const log = pinoLog('info');
  for (let n = 0; n < 3_000; n += 1) log.info({ n, padding: 'x'.repeat(1_000) }, 'line');
  setImmediate(() => console.log('alive'));
  process.stdin.on('data', () => log.info({ n: 3_000 }, 'line')).on('end', () => process.exit(0));
`;
const MODULE = require.resolve('@relaygate/server/log/pino-log');

const folder = folderForEach('rg-log-');
const fifo = join(folder, 'log');

/** The program with its stderr as the shell's redirection says. */
function programWith(redirection: string) {
  const script = `mkfifo "$2" && exec "$0" -e "$3" "$1" ${redirection}`;
  const child = spawn('sh', ['-c', script, process.execPath, MODULE, fifo, PROGRAM], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise<string>((resolve) => child.on('exit', (code) => resolve(`exit ${code}`)));
  const firstWord = new Promise<string>((resolve) => child.stdout.once('data', (data) => resolve(String(data).trim())));
  return { child, ended, said: Promise.race([firstWord, ended]) };
}

test('a log whose reader hangs holds nothing up, and the log shows its reader what it missed', async () => {
  const { child, said, ended } = programWith('2<>"$2"');
  expect(await said).toBe('alive');

  // Asked for again and again: what comes before there is room again is lost too.
  const asking = setInterval(() => child.stdin.write('more\n'), 20);
  const kept: number[] = [];
  const lost = await new Promise<number>((resolve) => {
    createInterface(createReadStream(fifo)).on('line', (line) => {
      const { n, lines } = JSON.parse(line);
      if (lines !== undefined) resolve(lines);
      else if (n < 3_000) kept.push(n);
    });
  });
  clearInterval(asking);
  child.stdin.end();
  expect(await ended).toBe('exit 0');
  expect(kept).toEqual(kept.map((_, n) => n));
  expect(kept.length + lost).toBeGreaterThanOrEqual(3_000);
  expect(lost).toBeGreaterThan(1_000);
});

test.each([
  ['that nobody reads', '2<>"$2"'],
  ['on a full disk', '2>/dev/full'],
  ['that is closed', '2>&-'],
])('a log %s does not keep the process from living, nor from its end', async (_name, redirection) => {
  const { child, said, ended } = programWith(redirection);
  expect(await said).toBe('alive');
  child.stdin.end();
  expect(await ended).toBe('exit 0');
});
