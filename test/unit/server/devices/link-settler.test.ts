import { expect, test } from '@jest/globals';
import { LinkRegistry } from '@relaygate/server/devices/link-registry';
import { LinkSettler } from '@relaygate/server/devices/link-settler';
import { MAX_UNSETTLED_LINKS } from '@relaygate/shared';
import { collectingLog } from '../../../support/collecting-log';
import { VirtualClock } from '../../../support/virtual-clock';

test('while the database fails only so many are remembered, tried one a second, and settled once it works (I15)', async () => {
  const clock = new VirtualClock();
  const [tried, settled] = [[] as string[], [] as string[]];
  let works = false;
  const settleLink = async (productLogin: string): Promise<void> => {
    tried.push(productLogin);
    if (!works) throw new Error('locked');
    settled.push(productLogin);
  };
  const closeLink = async (): Promise<void> => {
    throw new Error('locked');
  };
  const registry = new LinkRegistry(clock);
  const settler = new LinkSettler({ store: { settleLink, closeLink }, registry, clock, log: collectingLog() });
  for (let n = 0; n <= MAX_UNSETTLED_LINKS; n += 1) settler.ended(`gate-${n}`, 1, 0);
  await clock.advance(3_500);
  expect(tried).toHaveLength(3);
  works = true;
  await clock.advance(1_000);
  expect(new Set(settled).size).toBe(MAX_UNSETTLED_LINKS);
  expect(settled).not.toContain('gate-0');
  expect(clock.pendingTimers).toBe(0);
});
