import { expect, test } from '@jest/globals';
import { stdoutLog } from '@relaygate/device-agent/platform/stdout-log';
import { LOG_MAX_BYTES } from '@relaygate/shared';

/** A pipe whose reader takes nothing until it is told to. */
class HungReader {
  readonly taken: string[] = [];
  #waiting: string[] = [];

  get writableLength(): number {
    return this.#waiting.reduce((sum, text) => sum + text.length, 0);
  }
  write(text: string): boolean {
    this.#waiting.push(text);
    return false;
  }
  read(): void {
    this.taken.push(...this.#waiting);
    this.#waiting = [];
  }
}

test('a reader that hangs costs lines, not memory, and is told how many', () => {
  const stdout = new HungReader();
  const stderr = new HungReader();
  const log = stdoutLog({ epochMs: () => 0 }, { stdout, stderr } as never);
  const kilobyte = 'x'.repeat(1024);
  for (let n = 0; n < 2_000; n += 1) log.info(kilobyte);
  expect(stdout.writableLength).toBeLessThan(LOG_MAX_BYTES + 2 * 1024);
  log.warn('stderr has a reader of its own');
  stderr.read();
  expect(stderr.taken).toHaveLength(1);

  stdout.read();
  const kept = stdout.taken.length;
  log.info('read again');
  stdout.read();
  expect(stdout.taken.slice(kept)).toEqual([
    `1970-01-01T00:00:00.000Z info ${2_000 - kept} lines of the log lost: nobody read them\n`,
    '1970-01-01T00:00:00.000Z info read again\n',
  ]);
});

test.each([
  ['stays one line', 'a\r\nb\n c', 'a b c'],
  [
    'moves no cursor, and reads as what it is',
    'a\u202eb\u009b2J\u001b[2J\ud800',
    'a\\u202eb\\u009b2J\\u001b[2J\\ud800',
  ],
])('a text of others %s', (_what, text, written) => {
  const stdout = new HungReader();
  stdoutLog({ epochMs: () => 0 }, { stdout, stderr: stdout } as never).info(text);
  stdout.read();
  expect(stdout.taken).toEqual([`1970-01-01T00:00:00.000Z info ${written}\n`]);
});
