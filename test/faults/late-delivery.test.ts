/** T5, T8: what the server sends arrives late, or when nobody waits for it any more. Most of it is waiting. */
import { describe, expect, test } from '@jest/globals';
import { EXECUTION_DEADLINE_MS } from '@relaygate/shared';
import { monotonicNowMs } from '@relaygate/shared/system';
import { elapsedMs, Fault, IS_WHOLE, judge, LONG, MANY_PAIRS, PLAY_LIMIT_MS } from '../support/faults/fault';
import type { Pair } from '../support/faults/pair';
import { siteForAll } from '../support/faults/site-for-all';
import { inconclusive } from '../support/time/excuse';
import { eventually, pause } from '../support/time/waiting';

/** Five processes take part in what is left of the 4.5 s. */
const MACHINE_LATE_MS = 20;

const site = siteForAll({ pairs: MANY_PAIRS });

describe('T5: a partition before the execution', () => {
  const T5 = new Fault('T5', 'partition before the execution', 'answer');

  // After 8 s the link still stands and the command arrives; after 30 s both sides have given it up.
  test.each([8_000, 30_000])(
    'that heals after %i ms: 504 at 5.0 to 5.1 s, no edge ever',
    (healedMs) =>
      T5.play(site.pairs, { few: 1, full: 20 }, async (pair) => {
        pair.relay.partition();
        const startMs = monotonicNowMs();
        const answer = await pair.set(0, 1);
        expect(answer.status).toBe(504);
        await pause(healedMs - elapsedMs(startMs));
        pair.relay.heal();
        await pair.untilConnected();
        await eventually(async () => ['expired', 'refused'].includes(await pair.outcomeOf(answer)));
        expect(pair.edges()).toEqual([]);
        return answer.tookMs;
      }),
    PLAY_LIMIT_MS,
  );
});

describe('T8: the way to the device takes long after a clean time exchange', () => {
  const T8 = new Fault('T8', 'delivery to the device delayed', 'answer');
  /** The link stays up all the time: only the command is late. */
  const late = (pair: Pair, delayMs: number): void => {
    pair.relay.delayMs = ({ type }) => (type === 'command' ? delayMs : 0);
  };

  test.each([3_900, 4_400])(
    '%i ms: executed, 200',
    (delayMs) =>
      T8.play(site.pairs, LONG, async (pair) => {
        site.lateness.watch(pair.agent.pid);
        late(pair, delayMs);
        const { text, status, tookMs, sentMs } = await pair.set(0, 1);
        // Where the machine itself lost of what is left until the deadline, it must not have been executed.
        if (status === 504) {
          await eventually(() => pair.commands().every(({ outcome }) => ['refused', 'expired'].includes(outcome)));
          expect(pair.edges()).toEqual([]);
          const window = { fromMs: sentMs + delayMs, toMs: sentMs + EXECUTION_DEADLINE_MS };
          const lostMs = site.lateness.lostMs(window, [process.pid, pair.agent.pid, pair.guard.pid]);
          await judge([pair]);
          if (lostMs > MACHINE_LATE_MS) throw inconclusive('answer', lostMs);
        }
        expect(text).toBe('OK');
        expect(tookMs).toBeGreaterThanOrEqual(delayMs - 1);
        expect(pair.edges()).toHaveLength(1);
        return tookMs;
      }),
    PLAY_LIMIT_MS,
  );

  test.each([4_600, 6_000, ...(IS_WHOLE ? [60_000] : [])])(
    '%i ms: never executed, 504',
    (delayMs) =>
      T8.play(site.pairs, LONG, async (pair) => {
        late(pair, delayMs);
        const delivered = pair.relay.atNextFrame('result');
        const answer = await pair.set(0, 1);
        expect(answer.status).toBe(504);
        // The device tells what it did with the command as soon as it has it.
        await delivered;
        await eventually(async () => (await pair.outcomeOf(answer)) === 'expired');
        expect(pair.edges()).toEqual([]);
        return answer.tookMs;
      }),
    PLAY_LIMIT_MS,
  );
});
