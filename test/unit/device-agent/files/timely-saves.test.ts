import { expect, test } from '@jest/globals';
import { TimelySaves } from '@relaygate/device-agent/files/timely-saves';
import { SAVE_PATIENCE_MS } from '@relaygate/shared';
import { VirtualClock } from '../../../support/time/virtual-clock';

/** An unhandled rejection ends a program, and fails a test. */
test('a write that nobody waits for, since the disk hangs, may fail: it ends no program', async () => {
  const clock = new VirtualClock();
  const writes: ((error: Error) => void)[] = [];
  const write = (): Promise<void> => new Promise((_resolve, reject) => void writes.push(reject));
  const saves = new TimelySaves({ clock, write, silent: () => {} });
  const first = saves.save().catch((error: Error) => error.message);
  await clock.advance(SAVE_PATIENCE_MS);
  expect(await first).toBe('the disk does not answer');
  await expect(saves.save()).rejects.toThrow('the disk does not answer');
  for (const nth of [0, 1]) {
    writes[nth]?.(new Error('no space left'));
    await new Promise(setImmediate);
  }
  expect(writes).toHaveLength(2);
});
