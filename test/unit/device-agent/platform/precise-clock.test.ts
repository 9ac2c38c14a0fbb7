import { expect, test } from '@jest/globals';
import { preciseClock } from '@relaygate/device-agent/platform/precise-clock';

test.each([0, 0.4, 1, 3.7, 20])('a wait of %d ms never ends early, nor inside the call', async (delayMs) => {
  const fromMs = preciseClock.nowMs();
  let isInside = true;
  const tookMs = await new Promise<number>((resolve) => {
    preciseClock.after(delayMs, () => {
      expect(isInside).toBe(false);
      resolve(preciseClock.nowMs() - fromMs);
    });
    isInside = false;
  });
  expect(tookMs).toBeGreaterThanOrEqual(delayMs);
});

test('a cancelled wait never ends', async () => {
  let ran = 0;
  const cancel = preciseClock.after(5, () => {
    ran += 1;
  });
  cancel();
  await new Promise<void>((resolve) => preciseClock.after(15, resolve));
  cancel();
  expect(ran).toBe(0);
});
