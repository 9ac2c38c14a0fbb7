import { expect, test } from '@jest/globals';
import type { HeldLink } from '@relaygate/server/devices/device-store';
import { LinkRegistry } from '@relaygate/server/devices/link-registry';
import { LinkSettler } from '@relaygate/server/devices/link-settler';
import { SOLE_NODE } from '@relaygate/server/nodes/membership';
import { MAX_UNSETTLED_LINKS } from '@relaygate/shared';
import { collectingLog } from '../../../support/server/collecting-log';
import { VirtualClock } from '../../../support/time/virtual-clock';

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
  const store = { settleLink, closeLink };
  const settler = new LinkSettler({ store, registry, node: SOLE_NODE, clock, wallClock: clock, log: collectingLog() });
  for (let n = 0; n <= MAX_UNSETTLED_LINKS; n += 1) settler.ended(`gate-${n}`, 1, 0);
  await clock.advance(3_500);
  expect(tried).toHaveLength(3);
  works = true;
  await clock.advance(1_000);
  expect(new Set(settled).size).toBe(MAX_UNSETTLED_LINKS);
  expect(settled).not.toContain('gate-0');
  expect(clock.pendingTimers).toBe(0);
});

test('a device is written as last seen at its latest frame, by the wall clock of the writing, when that clock was put back meanwhile (I11)', async () => {
  const clock = new VirtualClock();
  let aheadMs = 3_600_000;
  const wallClock = { epochMs: () => clock.epochMs() + aheadMs };
  let works = false;
  const seen: number[] = [];
  const store = {
    async settleLink(_productLogin: string, _held: HeldLink | null, seenAtMs: number): Promise<void> {
      if (!works) throw new Error('locked');
      seen.push(seenAtMs);
    },
    async closeLink(): Promise<void> {
      throw new Error('locked');
    },
  };
  const registry = new LinkRegistry(clock);
  const settler = new LinkSettler({ store, registry, node: SOLE_NODE, clock, wallClock, log: collectingLog() });
  settler.ended('gate-0', 1, clock.nowMs());
  await clock.advance(100);
  const latestMs = clock.nowMs();
  aheadMs = 0;
  settler.ended('gate-0', 2, latestMs);
  // An opening that began before that frame has failed.
  settler.doubt('gate-0', latestMs - 50);
  works = true;
  await clock.advance(2_000);
  expect(seen).toEqual([clock.epochMs() - (clock.nowMs() - latestMs)]);
});
