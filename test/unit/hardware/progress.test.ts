import { beforeEach, expect, test } from '@jest/globals';
import { Progress, type ProgressStyle, sizeWords } from '@relaygate/hardware/progress';

let written: string;
let nowMs: number;
beforeEach(() => {
  written = '';
  nowMs = 0;
});

/** 100 MB in 10 s, a step each 100 ms. */
function run(style: ProgressStyle): void {
  const write = (text: string): void => {
    written += text;
  };
  const progress = new Progress({ style, write, nowMs: () => nowMs }, 'copying', 100_000_000);
  for (let done = 1_000_000; done < 100_000_000; done += 1_000_000) {
    nowMs += 100;
    progress.at(done);
  }
  nowMs += 100;
  progress.end();
}

test('a bar shows how far it is, how fast, and how long it takes yet', () => {
  run('bar');
  expect(written).toContain('\r\x1b[Kcopying [############............]  51 %, 10.0 MB/s, 5s left');
  expect(written.endsWith('\r\x1b[Kcopying: done, 100 MB in 10s\n')).toBe(true);
});

test('without a terminal there is a line each tenth, without signs of a terminal', () => {
  run('lines');
  const lines = written.trimEnd().split('\n');
  expect(lines).toHaveLength(10);
  expect(lines[4]).toBe('copying:  50 %, 10.0 MB/s, 5s left');
  for (const sign of ['\r', '\x1b']) expect(written).not.toContain(sign);
});

test('for programs there is a line of JSON a second', () => {
  run('json');
  const lines = written
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.at(-1)).toEqual({ phase: 'copying', doneBytes: 100_000_000, totalBytes: 100_000_000, tookMs: 10_000 });
  expect(lines.length).toBeLessThanOrEqual(12);
});

test('sizes are in the units of who sells cards', () => {
  expect([1, 42_000_000, 31_900_000_000].map(sizeWords)).toEqual(['1 MB', '42 MB', '31.9 GB']);
});
