import type { ChildProcess } from 'node:child_process';
import { afterAll, expect, test } from '@jest/globals';
import { crowdedProcessor } from '../../support/processes/crowded-processor';
import { ownTimes, stolenMs, ThreadWaits } from '../../support/time/processor-wait';
import { eventually } from '../../support/time/waiting';

const busy: ChildProcess[] = [];
afterAll(() => {
  for (const child of busy) child.kill('SIGKILL');
});

test('a process that shares its processor with others waits for it, and that is told', async () => {
  busy.push(...crowdedProcessor());
  const waits = new ThreadWaits(busy[0]?.pid ?? 0);
  await eventually(() => waits.newlyWaitedMs() > 0);
  waits.close();
});

test('a process that is not there has not waited', () => {
  expect(new ThreadWaits(2 ** 30).newlyWaitedMs()).toBe(0);
});

test('what a thread computes is time that it ran, not that it waited', () => {
  const before = ownTimes();
  const endMs = performance.now() + 50;
  while (performance.now() < endMs);
  // What is running now is counted when the kernel looks next.
  const after = ownTimes();
  expect(after.ranMs + after.waitedMs - before.ranMs - before.waitedMs).toBeGreaterThan(20);
});

test('what the host took is a time that only grows', () => {
  const before = stolenMs();
  expect(before).toBeGreaterThanOrEqual(0);
  expect(stolenMs()).toBeGreaterThanOrEqual(before);
});
