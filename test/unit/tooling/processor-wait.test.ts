import { type ChildProcess, spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { afterAll, expect, test } from '@jest/globals';
import { eventually } from '../../support/eventually';
import { processorWaitsMs, stolenMs } from '../../support/processor-wait';

const busy: ChildProcess[] = [];
afterAll(() => {
  for (const child of busy) child.kill('SIGKILL');
});

test('a process that shares its processor with others waits for it, and that is told', async () => {
  for (let n = 0; n <= availableParallelism(); n += 1) busy.push(spawn(process.execPath, ['-e', 'for (;;);']));
  const { pid = 0 } = busy[0] ?? {};
  await eventually(() => Math.max(...processorWaitsMs(pid).values()) > 0);
});

test('a process that is not there has not waited', () => {
  expect(processorWaitsMs(2 ** 30).size).toBe(0);
});

test('what the host took is a time that only grows', () => {
  const before = stolenMs();
  expect(before).toBeGreaterThanOrEqual(0);
  expect(stolenMs()).toBeGreaterThanOrEqual(before);
});
