/** T15, T26: the agent stops where it is for a while, as on a machine that swaps. */
import { describe, expect, test } from '@jest/globals';
import { Fault, LONG, MANY_PAIRS, PLAY_LIMIT_MS, SHORT } from '../support/faults/fault';
import { siteForAll } from '../support/faults/site-for-all';
import { eventually, pause } from '../support/time/waiting';

const site = siteForAll({ pairs: MANY_PAIRS });

describe('T15: the agent is stopped', () => {
  const T15 = new Fault('T15', 'agent stopped for 3 s, 6 s', 'answer');

  test(
    'for 3 s: executed late but in time, 200',
    () =>
      T15.play(site.pairs, LONG, async (pair) => {
        const stalled = pair.stallAgent(3_000);
        const { text, tookMs } = await pair.set(0, 1);
        const { goesOnMs } = await stalled;
        expect(text).toBe('OK');
        const [edge, ...more] = pair.edges();
        expect(more).toEqual([]);
        expect(edge?.atMs).toBeGreaterThan(goesOnMs);
        return tookMs;
      }),
    PLAY_LIMIT_MS,
  );

  test(
    'for 6 s: 504 at 5.0 to 5.1 s, and no edge when it goes on (I2)',
    () =>
      T15.play(site.pairs, LONG, async (pair) => {
        const stalled = pair.stallAgent(6_000);
        const answer = await pair.set(0, 1);
        expect(answer.status).toBe(504);
        await stalled;
        await eventually(async () => (await pair.outcomeOf(answer)) === 'expired');
        expect(pair.edges()).toEqual([]);
        return answer.tookMs;
      }),
    PLAY_LIMIT_MS,
  );
});

describe('T26: 200 calls at once while the agent is stopped for 300 ms', () => {
  const T26 = new Fault('T26', '200 calls at once, agent stopped for 300 ms', 'the last answer');
  const CALLS = 200;

  test(
    'one 200, 199 times 409, one edge (I6)',
    () =>
      T26.play(site.pairs.slice(0, 1), SHORT, async (pair) => {
        pair.agent.kill('SIGSTOP');
        let answered = 0;
        const calling = Array.from({ length: CALLS }, async () => {
          const answer = await pair.set(1, 1);
          answered += 1;
          return answer;
        });
        // A slow machine needs more than the 300 ms to make them all.
        await Promise.all([pause(300), eventually(() => answered >= CALLS - 1)]);
        pair.agent.kill('SIGCONT');
        const answers = await Promise.all(calling);
        const count = (status: number): number => answers.filter((answer) => answer.status === status).length;
        const others = answers.filter(({ status }) => status !== 200 && status !== 409);
        expect({ done: count(200), refused: count(409), others }).toEqual({ done: 1, refused: CALLS - 1, others: [] });
        expect(pair.edges()).toHaveLength(1);
        return Math.max(...answers.map(({ tookMs }) => tookMs));
      }),
    PLAY_LIMIT_MS,
  );
});
