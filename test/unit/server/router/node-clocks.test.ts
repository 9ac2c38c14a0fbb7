import { expect, test } from '@jest/globals';
import type { AwaitedAnswers } from '@relaygate/server/router/awaited-answers';
import { NodeClocks } from '@relaygate/server/router/node-clocks';
import { SeededChance } from '../../../support/chance/seeded-chance';
import { VirtualClock } from '../../../support/time/virtual-clock';

test('an answer that a frozen process hears too late tells nothing of the other clock', async () => {
  const clock = new VirtualClock();
  let frozenMs = 30_000;
  const answer = async (): Promise<{ instance: string; nowMs: number }> => {
    const nowMs = clock.nowMs();
    clock.holdUp(frozenMs);
    return { instance: 'ab', nowMs };
  };
  const answers = { ask: answer } as unknown as AwaitedAnswers;
  const clocks = new NodeClocks({ answers, clock, randomness: new SeededChance(1) });
  expect(await clocks.momentOn('b', clock.nowMs(), 4_500)).toEqual({ kind: 'no-answer' });
  frozenMs = 0;
  const nowMs = clock.nowMs();
  expect(await clocks.momentOn('b', nowMs, 4_500)).toEqual({ kind: 'moment', instance: 'ab', atMs: nowMs });
});
