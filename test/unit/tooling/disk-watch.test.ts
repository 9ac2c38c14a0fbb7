/** A 500 `storage-unavailable` says nothing about the server only where the disk was slow for others, too. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { monotonicNowMs } from '@relaygate/shared/system';
import { DiskWatch, isNotTaken, judgeNotTaken, NotTaken } from '../../support/time/disk-watch';
import { Inconclusive } from '../../support/time/excuse';
import { pause } from '../../support/time/waiting';

const took = (ms: number) => ({ longestMs: async () => ms });

test('a write that a slow disk did not take is inconclusive; one that a quick disk did not take is a fault', async () => {
  await expect(judgeNotTaken(new NotTaken('a login'), took(800))).rejects.toBeInstanceOf(Inconclusive);
  const fault = judgeNotTaken(new NotTaken('a login'), took(40));
  await expect(fault).rejects.toThrow(
    "a login was not taken by the disk in time, and yet took each of the test's own within 40 ms",
  );
  await expect(fault).rejects.not.toBeInstanceOf(Inconclusive);
});

test('any other fault stays what it is', async () => {
  const other = new Error('wrong answer');
  await expect(judgeNotTaken(other, took(800))).rejects.toBe(other);
  expect(isNotTaken({ status: 500, text: '{"error":"storage-unavailable"}' })).toBe(true);
  expect(isNotTaken({ status: 500, text: '{"error":"internal"}' })).toBe(false);
  expect(isNotTaken({ status: 429, text: '{"error":"too-many-requests"}' })).toBe(false);
});

test('the watch writes to the disk all the time, and leaves nothing behind', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rg-disk-'));
  const watch = await DiskWatch.start(folder);
  try {
    const fromMs = monotonicNowMs();
    await pause(300);
    expect(await watch.longestMs({ fromMs, toMs: monotonicNowMs() })).toBeGreaterThan(0);
  } finally {
    await watch.stop();
  }
  expect(readdirSync(folder)).toEqual([]);
  rmSync(folder, { recursive: true });
});
