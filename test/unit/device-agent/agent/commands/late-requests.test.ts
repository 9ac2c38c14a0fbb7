/** I2: what changes anything carries a deadline, and does not begin behind it. */
import { beforeEach, expect, test } from '@jest/globals';
import { AgentInMemory, SETTINGS_PATH } from '../../../../support/device/agent-in-memory';
import { errorWith } from '../../../../support/device/error-with';

const BOARD = { kind: 'gpio', lines: [5] };
const CHANGES: [string, object][] = [
  ['set', { numOutput: 0, state: 1 }],
  ['pulse', { numOutput: 2 }],
  ['stop', { numOutput: 2, pulseSinceMs: null }],
  ['click', { numOutput: 2 }],
  ['prove', { by: 'Ada', wiring: { kind: 'simulated', chip: null, lines: null, activeLevels: [] }, answers: [] }],
  ['output', { numOutput: 2, change: { pulseMs: 750 }, force: false }],
  ['lock', { numOutput: 0, forMs: 60_000 }],
  ['unlock', { numOutput: 0 }],
  ['board', { board: BOARD, relays: ['1'], activeLevel: 'high' }],
  ['new-pin', {}],
  ['web-on', { forMs: 60_000, hotspot: false }],
  ['web-off', {}],
  ['factory-reset', { productLogin: 'test-product' }],
];

let device: AgentInMemory;
beforeEach(async () => {
  device = await AgentInMemory.started();
});

test.each(CHANGES)('%s is refused and not begun behind its deadline', async (type, body) => {
  const before = new Map(device.files.texts);
  const entries = await device.historyEntries({ limit: 10 });
  const notAfterMs = device.clock.nowMs();
  await expect(device.localRequest(type, { ...body, notAfterMs })).rejects.toMatchObject(
    errorWith('refused', 'came too late and was not begun'),
  );
  await device.passed(5_000);
  expect(device.board.edges).toEqual([]);
  // That a command was refused is told; nothing else is to tell.
  const told = (await device.historyEntries({ limit: 10 })).slice(entries.length);
  expect(told.every(({ outcome }) => outcome === 'expired')).toBe(true);
  if (told.length === 0) expect(new Map(device.files.texts)).toEqual(before);
});

test.each(CHANGES)('%s without a deadline is no request', async (type, body) => {
  await expect(device.localRequest(type, { ...body, notAfterMs: undefined })).rejects.toMatchObject(
    errorWith('bad-usage', 'notAfterMs'),
  );
});

test('a deadline far away is no later than that of a command of the server', async () => {
  const change = (pulseMs: number, notAfterMs: number): Promise<unknown> =>
    device.localRequest('output', { numOutput: 2, change: { pulseMs }, force: false, notAfterMs });
  const release = device.files.hold(SETTINGS_PATH);
  const slow = change(600, 1e12);
  await device.passed(100);
  const late = change(700, 1e12).catch((error) => error);
  await device.passed(4_500);
  release();
  await slow;
  expect(await late).toMatchObject(errorWith('refused', 'not begun'));
});
