import { beforeEach, describe, expect, test } from '@jest/globals';
import { statusWriter } from '@relaygate/device-agent/provisioning/status-file';
import {
  BETWEEN_WRITES_MS,
  LOOK_MS,
  SETTLED_MS,
  startStatusWatch,
} from '@relaygate/device-agent/provisioning/status-watch';
import { MemoryFiles } from '../../../support/device/memory-files';
import { quietLog } from '../../../support/device/quiet-log';
import { BOOT, bootIn } from '../../../support/device/site-in-memory';
import { VirtualClock } from '../../../support/time/virtual-clock';

const PATH = `${BOOT}/relaygate-status.txt`;
const LONG_MS = 3_600_000;

let clock: VirtualClock;
let files: MemoryFiles;
let log: ReturnType<typeof quietLog>;
let words: string | null;
let epochMs: number;
let isClockSet: boolean;
beforeEach(() => {
  clock = new VirtualClock();
  files = new MemoryFiles();
  log = quietLog();
  words = 'LINKED.';
  epochMs = Date.UTC(2026, 10, 21, 23, 50);
  isClockSet = true;
});

const start = (): (() => void) => {
  const write = statusWriter(bootIn(files), { epochMs: () => epochMs, isSet: () => isClockSet });
  return startStatusWatch({ clock, log, look: async () => words, write });
};
const writes = (): number => files.log.length;

describe('the file of the status', () => {
  test('is written once for words that stay, with its time and the line ends of a PC', async () => {
    start();
    await clock.advance(LONG_MS);
    expect(files.texts.get(PATH)).toBe('LINKED.\r\n\r\nSince 2026-11-21 23:50 UTC.\r\n');
    expect(writes()).toBe(1);
  });

  test('is told to the screen also after a restart that writes nothing', async () => {
    const stop = start();
    await clock.advance(LONG_MS);
    stop();
    start();
    await clock.advance(LONG_MS);
    expect(log.lines).toEqual(['LINKED.', 'LINKED.']);
    expect(writes()).toBe(1);
  });

  test('says so where the clock was not set', async () => {
    isClockSet = false;
    start();
    await clock.advance(LONG_MS);
    expect(files.texts.get(PATH)).toMatch(/The clock of the device was not set when this was written\.\r\n$/);
    start();
    await clock.advance(LONG_MS);
    expect(writes()).toBe(1);
  });

  test('waits until words have settled', async () => {
    start();
    await clock.advance(SETTLED_MS - LOOK_MS);
    expect(writes()).toBe(0);
    words = 'NOT LINKED.';
    await clock.advance(LOOK_MS + SETTLED_MS);
    expect(files.texts.get(PATH)).toMatch(/^NOT LINKED\./);
    expect(writes()).toBe(1);
  });

  test('is written once a minute at most by a link that flaps, and not at all by one that flaps fast', async () => {
    start();
    await clock.advance(SETTLED_MS);
    for (let n = 0; n < 60; n += 1) {
      words = n % 2 === 0 ? 'NOT LINKED.' : 'LINKED.';
      await clock.advance(SETTLED_MS + LOOK_MS);
    }
    expect(writes()).toBeLessThanOrEqual(1 + (60 * (SETTLED_MS + LOOK_MS)) / BETWEEN_WRITES_MS);
    const before = writes();
    for (let n = 0; n < 60; n += 1) {
      words = n % 2 === 0 ? 'NOT LINKED.' : 'LINKED.';
      await clock.advance(LOOK_MS);
    }
    expect(writes()).toBe(before);
  });

  test('is left alone once it was stopped', async () => {
    const stop = start();
    await clock.advance(LOOK_MS);
    stop();
    await clock.advance(LONG_MS);
    expect(clock.pendingTimers).toBe(0);
    expect(writes()).toBe(0);
  });
});
