/** T6, T7: the network between device and server breaks, or says everything twice. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { Fault, FEW_PAIRS, HALF, LONG, MANY_PAIRS, PLAY_LIMIT_MS } from '../support/faults/fault';
import { type Pair, PULSED } from '../support/faults/pair';
import { siteForAll } from '../support/faults/site-for-all';
import { eventually, pause } from '../support/time/waiting';

const site = siteForAll({ pairs: MANY_PAIRS });
let few: Pair[];
beforeAll(() => {
  few = site.pairs.slice(0, FEW_PAIRS);
});

describe('T6: a partition after the execution', () => {
  const T6 = new Fault('T6', 'partition after the execution', 'answer');

  test(
    'that heals inside the 5 s: 200',
    () =>
      T6.play(site.pairs, { few: 4, full: 60 }, async (pair, chance) => {
        const begun = pair.relay.atNextFrame('result', () => pair.relay.partition());
        const pending = pair.set(0, 1);
        await begun;
        const heldMs = chance.between(100, 3_500);
        await pause(heldMs);
        pair.relay.heal();
        const { text, tookMs } = await pending;
        expect(text).toBe('OK');
        expect(tookMs).toBeGreaterThanOrEqual(heldMs - 1);
        return tookMs;
      }),
    PLAY_LIMIT_MS,
  );

  test(
    'that heals later: 504 at 5.0 to 5.1 s, then confirmed-late, which answers nobody else (I10)',
    () =>
      T6.play(site.pairs, LONG, async (pair) => {
        const begun = pair.relay.atNextFrame('result', () => pair.relay.partition());
        const pending = pair.set(0, 1);
        await begun;
        const first = await pending;
        expect(first.status).toBe(504);
        // The slot is free: a second command is under way when the first one's confirmation arrives.
        const second = pair.set(1, 1);
        await pause(200);
        pair.relay.heal();
        expect((await second).text).toBe('OK');
        await eventually(async () => (await pair.outcomeOf(first)) === 'confirmed-late');
        expect(pair.edges().map(({ output }) => output)).toEqual([0, 1]);
        return first.tookMs;
      }),
    PLAY_LIMIT_MS,
  );

  test(
    'that breaks the connection: the resume report of the next one gives the 200',
    () =>
      T6.play(few, HALF, async (pair) => {
        await pair.renewAgent();
        const begun = pair.relay.atNextFrame('result', () => pair.relay.cut());
        const pending = pair.set(PULSED, 1);
        await begun;
        const { text, tookMs } = await pending;
        expect(text).toBe('OK');
        return tookMs;
      }),
    PLAY_LIMIT_MS,
  );

  test(
    'that breaks it for longer: 504, and the resume report makes it confirmed-late',
    () =>
      T6.play(site.pairs, LONG, async (pair) => {
        const begun = pair.relay.atNextFrame('result', () => {
          pair.relay.isRefusing = true;
          pair.relay.cut();
        });
        const pending = pair.set(0, 1);
        await begun;
        const timeout = await pending;
        expect(timeout.status).toBe(504);
        pair.relay.heal();
        await eventually(async () => (await pair.outcomeOf(timeout)) === 'confirmed-late', 30_000);
        return timeout.tookMs;
      }),
    PLAY_LIMIT_MS,
  );
});

describe('T7: every frame is delivered twice', () => {
  const T7 = new Fault('T7', 'every frame delivered twice', 'answer');

  test(
    'on a link that is up: one edge for each toggle, each answered once',
    () =>
      T7.play(few, HALF, async (pair) => {
        pair.relay.copies = () => 2;
        const answers = [];
        for (const level of [1, 0, 1, 0]) {
          answers.push(await pair.toggle(0));
          expect(pair.edges().at(-1)).toMatchObject({ output: 0, level });
        }
        answers.push(await pair.set(PULSED, 1));
        expect(answers.map(({ text }) => text)).toEqual(Array(5).fill('OK'));
        await pair.untilEdges(6);
        expect(await pair.isConnected()).toBe(true);
        expect(pair.edges()).toHaveLength(6);
        return Math.max(...answers.map(({ tookMs }) => tookMs));
      }),
    PLAY_LIMIT_MS,
  );

  test(
    'from the handshake on: the link comes up, and a command waiting for it is one edge',
    () =>
      T7.play(few, HALF, async (pair) => {
        await pair.renewAgent();
        pair.relay.copies = () => 2;
        pair.relay.cut();
        const waiting = await pair.toggle(0);
        const next = await pair.toggle(0);
        expect([waiting.text, next.text]).toEqual(['OK', 'OK']);
        expect(pair.edges().map(({ level }) => level)).toEqual([1, 0]);
        return waiting.tookMs;
      }),
    PLAY_LIMIT_MS,
  );

  test(
    'on a slow link: one edge',
    () =>
      T7.play(few, { few: 2, full: 20 }, async (pair) => {
        pair.relay.copies = () => 2;
        pair.relay.delayMs = () => 20;
        const answers = [await pair.toggle(0), await pair.toggle(0)];
        expect(answers.map(({ text }) => text)).toEqual(['OK', 'OK']);
        expect(pair.edges().map(({ level }) => level)).toEqual([1, 0]);
        return Math.max(...answers.map(({ tookMs }) => tookMs));
      }),
    PLAY_LIMIT_MS,
  );
});
