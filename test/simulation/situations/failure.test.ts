import { Worker } from 'node:worker_threads';
import { describe, expect, test } from '@jest/globals';
import { describeFailure, traced } from '../failure';
import { drawPlan } from '../plan/draw-plan';
import { onlySteps } from '../plan/plan';
import { runPlan } from '../run';
import type { Sabotage } from '../sabotage/sabotage';
import { type PlayedSeed, playSeeds, seedsFrom } from '../seeds';

const SEED = 3;
/** Of tests that play much, on a machine with other work. */
const PATIENCE_MS = 60_000;
/** The server's watch over revocations. */
const WATCH_MS = 250;

/** Once in the server's life a timer throws, and nothing catches it. */
function throwsOnce(): Sabotage {
  let hasThrown = false;
  return {
    serverClock: (clock) => ({
      nowMs: () => clock.nowMs(),
      after: (delayMs, run) =>
        clock.after(delayMs, () => {
          if (hasThrown || delayMs !== WATCH_MS) return run();
          hasThrown = true;
          throw new Error('a mistake in the program');
        }),
    }),
  };
}

/** What should come after a while comes at once, for ever. */
function spins(): Sabotage {
  return {
    serverClock: (clock) => ({
      nowMs: () => clock.nowMs(),
      after: (delayMs, run) => clock.after(delayMs === WATCH_MS ? 0 : delayMs, run),
    }),
  };
}

async function playIn(startWorker: () => Worker, patienceMs: number): Promise<PlayedSeed[]> {
  const played: PlayedSeed[] = [];
  await playSeeds(seedsFrom(SEED, 2), (one) => played.push(one), { startWorker, patienceMs });
  return played.toSorted((one, other) => one.seed - other.seed);
}

describe('a failure', () => {
  test('by an exception that nobody catches ends that life only, and is described like any other', async () => {
    const violations = await runPlan(drawPlan(SEED), { sabotage: throwsOnce() });
    expect(violations).toEqual([
      expect.objectContaining({ invariant: 'uncaught', sentence: expect.stringContaining('a mistake in the program') }),
    ]);
    const [first] = violations;
    if (!first) return;
    const text = await describeFailure(SEED, first, throwsOnce);
    expect(text).toContain(`seed ${SEED} breaks uncaught: server: Error: a mistake in the program`);
    expect(text).toContain('0 steps are enough');
    expect(text).toContain(`--seed ${SEED} --trace --steps -`);
  });

  test(
    'by a seed that never ends is a violation of liveness',
    async () => {
      const violations = await runPlan(drawPlan(SEED), { sabotage: spins() });
      expect(violations).toEqual([
        expect.objectContaining({ invariant: 'liveness', sentence: expect.stringContaining('and no end') }),
      ]);
    },
    PATIENCE_MS,
  );

  test(
    'is none where nothing fails: one thread plays many seeds',
    async () => {
      const played: PlayedSeed[] = [];
      await playSeeds(seedsFrom(SEED, 8), (one) => played.push(one));
      const clean = Array.from({ length: 8 }, (_none, n) => ({ seed: SEED + n, violations: [] }));
      expect(played.toSorted((one, other) => one.seed - other.seed)).toEqual(clean);
    },
    PATIENCE_MS,
  );

  test('names the seed that its thread hangs in, and the next one is played all the same', async () => {
    const hung = await playIn(() => new Worker('for (;;) {}', { eval: true }), 300);
    expect(hung.map(({ seed, isUnplayable }) => ({ seed, isUnplayable }))).toEqual([
      { seed: SEED, isUnplayable: true },
      { seed: SEED + 1, isUnplayable: true },
    ]);
    expect(hung[0]?.violations[0]?.sentence).toContain(`seed ${SEED} has not ended`);
  });

  test('names the seed that its thread died of', async () => {
    const died = await playIn(() => new Worker('throw new Error("no memory left")', { eval: true }), 20_000);
    expect(died[0]?.violations[0]?.sentence).toMatch(/^seed 3 ended its thread: .*no memory left/s);
  });

  test('can be replayed by the numbers of its steps', async () => {
    const plan = drawPlan(SEED);
    const shorter = onlySteps(plan, [0, 2]);
    expect(shorter.steps).toEqual([plan.steps[0], plan.steps[2]]);
    expect(onlySteps(plan, null)).toEqual(plan);
    expect((await traced(shorter)).lines).not.toEqual((await traced(plan)).lines);
  });
});
