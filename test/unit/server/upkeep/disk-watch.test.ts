import { expect, test } from '@jest/globals';
import { DiskWatch } from '@relaygate/server/upkeep/disk-watch';
import { DISK_CHECK_MS } from '@relaygate/shared';
import { collectingLog } from '../../../support/server/collecting-log';
import { settled, VirtualClock } from '../../../support/time/virtual-clock';

const MIB = 2 ** 20;

function watched(first: number) {
  const [clock, log] = [new VirtualClock(), collectingLog()];
  const disk = { free: first as number | Error };
  const freeBytes = async () => {
    if (disk.free instanceof Error) throw disk.free;
    return disk.free * MIB;
  };
  const watch = new DiskWatch({ freeBytes, warnBelowBytes: 1_000 * MIB, lowBelowBytes: 200 * MIB }, clock, log);
  watch.start();
  /** At the next look. */
  const shows = async (free: number | Error) => {
    disk.free = free;
    await clock.advance(DISK_CHECK_MS);
    return [watch.isLow, log.lines.splice(0).map(({ level, fields }) => `${level} ${fields.code ?? ''}`)];
  };
  return { watch, clock, log, shows };
}

test('a disk that fills up is warned of once, is low once, and heals by itself', async () => {
  const { shows } = watched(5_000);
  expect(await shows(5_000)).toEqual([false, []]);
  expect(await shows(999)).toEqual([false, ['warn disk-warning']]);
  expect(await shows(500)).toEqual([false, []]);
  expect(await shows(199)).toEqual([true, ['error disk-low']]);
  expect(await shows(1)).toEqual([true, []]);
  expect(await shows(300)).toEqual([false, ['warn disk-warning']]);
  expect(await shows(1_200)).toEqual([false, ['info disk-enough']]);
});

test('free space about a limit does not fill the log', async () => {
  const { shows } = watched(1_000);
  const lines = [];
  for (let n = 0; n < 100; n += 1) lines.push(...((await shows(n % 2 ? 1_001 : 999))[1] as string[]));
  expect(lines).toEqual(['warn disk-warning']);
});

test('is looked at from the start', async () => {
  const { watch } = watched(10);
  await settled();
  expect(watch.isLow).toBe(true);
});

test('what cannot be read is said once, and changes nothing', async () => {
  const { shows, watch, clock } = watched(5_000);
  await shows(150);
  expect(await shows(new Error('EIO'))).toEqual([true, ['warn ']]);
  expect(await shows(new Error('EIO'))).toEqual([true, []]);
  expect(await shows(5_000)).toEqual([false, ['info disk-enough']]);
  watch.stop();
  expect(clock.pendingTimers).toBe(0);
});
