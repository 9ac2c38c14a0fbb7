import { beforeEach, describe, expect, test } from '@jest/globals';
import { startClock } from '@relaygate/device-agent/provisioning/clock-start';
import { MemoryFiles } from '../../../support/device/memory-files';
import { quietLog } from '../../../support/device/quiet-log';

const PATH = '/data/last-good-time.json';
const BUILT_MS = Date.UTC(2026, 5, 1);
const LINKED_MS = Date.UTC(2026, 10, 22);

let files: MemoryFiles;
let set: number[];
beforeEach(() => {
  files = new MemoryFiles();
  set = [];
});

const start = (nowMs: number): Promise<void> =>
  startClock({
    files,
    path: PATH,
    wallClock: { epochMs: () => nowMs },
    log: quietLog(),
    setClock: async (epochMs) => void set.push(epochMs),
  });

describe('a clock without a battery', () => {
  test('goes on from when the device was last linked', async () => {
    files.texts.set(PATH, JSON.stringify({ epochMs: LINKED_MS }));
    await start(BUILT_MS);
    expect(set).toEqual([LINKED_MS]);
  });

  test('never goes back', async () => {
    files.texts.set(PATH, JSON.stringify({ epochMs: BUILT_MS }));
    await start(LINKED_MS);
    expect(set).toEqual([]);
  });

  test.each([
    ['of a device that was never linked', null],
    ['that was torn', '{"epochMs":17'],
    ['that holds no time', '{"epochMs":"tomorrow"}'],
    ['beyond what a clock can show', '{"epochMs":1e15}'],
  ])('stays as it is with a file %s', async (_which, text) => {
    if (text !== null) files.texts.set(PATH, text);
    await start(BUILT_MS);
    expect(set).toEqual([]);
  });
});
