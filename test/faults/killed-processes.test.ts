/** T1, T2, T3: server, agent or guard killed while a command or a pulse runs. Moments come from a seed. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { monotonicNowMs } from '@relaygate/shared/system';
import type { SeededChance } from '../support/chance/seeded-chance';
import { elapsedMs, Fault, FEW_PAIRS, HALF, LONG, MANY_PAIRS, PLAY_LIMIT_MS, SHORT } from '../support/faults/fault';
import { type Pair, PULSED } from '../support/faults/pair';
import { siteForAll } from '../support/faults/site-for-all';
import { expectWithin } from '../support/time/timed';
import { eventually, pause } from '../support/time/waiting';

/** A command is sent, executed and confirmed within this. */
const COMMAND_MS = 12;
const PULSE_MS = 500;
const READY_WITHIN_MS = 2_000;

const site = siteForAll({ pairs: MANY_PAIRS });
let few: Pair[];
beforeAll(() => {
  few = site.pairs.slice(0, FEW_PAIRS);
});

describe('T1: the server is killed in a command', () => {
  const T1 = new Fault('T1', 'server killed in a command', 'ready again');

  /** Resolves with how long it takes to be ready again. */
  async function serverStarted(): Promise<number> {
    const startMs = monotonicNowMs();
    await site.startServer();
    await eventually(() => site.isReady());
    const readyMs = elapsedMs(startMs);
    expectWithin({ sentMs: startMs, answeredMs: startMs + readyMs, tookMs: readyMs }, READY_WITHIN_MS, [
      site.server.pid,
    ]);
    return readyMs;
  }

  interface Held {
    readonly pair: Pair;
    readonly way: 'to-device' | 'to-server';
    readonly answered: ReturnType<Pair['set']>;
  }

  /** Held on its way there it never moves the relay; on its way back it has moved it. */
  async function hold(pair: Pair, chance: SeededChance): Promise<Held> {
    const way = chance.pick('to-device' as const, 'to-server' as const);
    await pause(chance.between(500, 4_700));
    pair.relay.hold(way);
    const begun = pair.relay.atNextFrame(way === 'to-device' ? 'command' : 'result');
    const answered = pair.set(0, 1);
    await begun;
    return { pair, way, answered };
  }

  test(
    'whose way is held: a reset; unknown until the device comes back and tells; one edge at most',
    () =>
      T1.playOnAll(site, LONG, async (chance) => {
        await site.renewAgents();
        const [held] = await Promise.all([Promise.all(site.pairs.map((pair) => hold(pair, chance))), pause(4_750)]);
        for (const { relay } of site.pairs) relay.isRefusing = true;
        await site.killServer();
        for (const { relay } of site.pairs) relay.cut();
        const readyMs = await serverStarted();
        await Promise.all(
          held.map(async ({ pair, way, answered }) => {
            expect((await answered).status).toBe(null);
            expect(pair.commands()).toMatchObject([{ outcome: 'unknown' }]);
            pair.relay.heal();
            const told = way === 'to-server' ? ['confirmed-late'] : ['expired', 'refused'];
            await eventually(() => told.includes(pair.commands()[0]?.outcome ?? ''), 30_000);
            // The product is free again at once (I6).
            expect((await pair.set(0, 0)).status).toBe(200);
          }),
        );
        return readyMs;
      }),
    PLAY_LIMIT_MS,
  );

  test(
    'that nothing holds up, at any moment of it: what the audit says is what the relay did',
    () =>
      T1.playOnAll(site, { few: 4, full: 80 }, async (chance) => {
        await site.renewAgents();
        const answered = site.pairs.map(async (pair) => {
          await pause(chance.between(0, 2 * COMMAND_MS));
          return pair.set(0, 1);
        });
        await pause(chance.between(0, 3 * COMMAND_MS));
        await site.killServer();
        await Promise.all(answered);
        return serverStarted();
      }),
    PLAY_LIMIT_MS,
  );
});

describe('T2: the agent is killed in a pulse', () => {
  const T2 = new Fault('T2', 'agent killed in a pulse', 'answer');

  /** Kills the agent when its confirmation is on its way, and loses that. */
  async function killedAtConfirmation(pair: Pair): Promise<void> {
    pair.relay.copies = ({ type }) => (type === 'result' ? 0 : 1);
    await pair.relay.atNextFrame('result', () => pair.agent.kill('SIGKILL'));
    await pair.agent.ended;
    pair.relay.copies = () => 1;
  }

  test(
    'and is back inside the 5 s: the pulse keeps its length, and the answer is 200',
    () =>
      T2.play(few, HALF, async (pair) => {
        const killed = killedAtConfirmation(pair);
        const pending = pair.set(PULSED, 1);
        await killed;
        await pair.startAgent();
        const { status, tookMs } = await pending;
        expect(status).toBe(200);
        return tookMs;
      }),
    PLAY_LIMIT_MS,
  );

  test(
    'and is back later: 504 at 5.0 to 5.1 s, then confirmed-late; not pulsed again',
    () =>
      T2.play(site.pairs, LONG, async (pair) => {
        const killed = killedAtConfirmation(pair);
        const pending = pair.set(PULSED, 1);
        await killed;
        const answer = await pending;
        expect(answer.status).toBe(504);
        await pair.startAgent();
        await eventually(async () => (await pair.outcomeOf(answer)) === 'confirmed-late');
        expect(pair.edges()).toHaveLength(2);
        return answer.tookMs;
      }),
    PLAY_LIMIT_MS,
  );

  test(
    'at any moment of a command: 200 if and only if there was a pulse, of full length',
    () =>
      T2.play(few, HALF, async (pair, chance) => {
        const pending = pair.set(PULSED, 1);
        await pause(chance.between(0, COMMAND_MS));
        await pair.killAgent();
        await pair.startAgent();
        const { status, tookMs } = await pending;
        const pulsed = pair.edges().length > 0;
        expect([status, pulsed]).toEqual(pulsed ? [200, true] : [504, false]);
        return tookMs;
      }),
    PLAY_LIMIT_MS,
  );
});

describe('T3: the guard is killed in a pulse', () => {
  const T3 = new Fault('T3', 'guard killed in a pulse', 'off after its successor’s start');

  test(
    'off before the next one is ready, and not pulsed again (I4)',
    () =>
      // A guard that starts beside three others takes its time, and that is not what is asked here.
      T3.play(few.slice(0, 2), SHORT, async (pair, chance) => {
        expect((await pair.set(PULSED, 1)).status).toBe(200);
        await pause(chance.between(0, PULSE_MS));
        const downtime = await pair.replaceGuard();
        const [, off] = await pair.untilEdges(2);
        expect(off?.atMs).toBeLessThanOrEqual(downtime.readyMs);
        await eventually(async () => (await pair.toggle(0)).status === 200);
        expect(pair.edges().map(({ output }) => output)).toEqual([PULSED, PULSED, 0]);
        const lateMs = (off?.atMs ?? Number.POSITIVE_INFINITY) - downtime.startedMs;
        return lateMs > 0 ? lateMs : undefined;
      }),
    PLAY_LIMIT_MS,
  );
});
