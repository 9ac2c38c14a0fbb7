import { spawn } from 'node:child_process';
import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from '@jest/globals';

/** Logs 3 MB to a pipe that nobody reads, then says on stdout that it lives; ends when its stdin does. */
const PROGRAM = `
  const { pinoLog } = require(process.argv[1]);
  const log = pinoLog('info', require('node:fs').openSync(process.argv[2], 'r+'));
  for (let n = 0; n < 3_000; n += 1) log.info({ n, padding: 'x'.repeat(1_000) }, 'line');
  setTimeout(() => console.log('alive'), 0);
  process.stdin.resume().on('end', () => process.exit(0));
`;

test('a log whose reader hangs holds nothing up, and its reader is told what it missed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rg-log-'));
  const fifo = join(folder, 'log');
  const child = spawn('sh', [
    '-c',
    'mkfifo "$2" && exec "$0" -e "$3" "$1" "$2"',
    process.execPath,
    module(),
    fifo,
    PROGRAM,
  ]);
  const [alive] = await Promise.race([
    new Promise<string[]>((resolve) => child.stdout.on('data', (data) => resolve([String(data)]))),
    new Promise<string[]>((resolve) => child.on('exit', (code) => resolve([`exit ${code}`]))),
  ]);
  expect(alive).toBe('alive\n');

  const kept: number[] = [];
  const lost = await new Promise<number>((resolve) => {
    createInterface(createReadStream(fifo)).on('line', (line) => {
      const { n, lines } = JSON.parse(line);
      if (lines === undefined) kept.push(n);
      else resolve(lines);
    });
  });
  child.stdin.end();
  expect(kept).toEqual(kept.map((_, n) => n));
  expect(kept.length + lost).toBe(3_000);
  expect(lost).toBeGreaterThan(1_000);
  rmSync(folder, { recursive: true });
});

function module(): string {
  return require.resolve('@relaygate/server/pino-log');
}
