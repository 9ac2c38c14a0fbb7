import { describe, expect, test } from '@jest/globals';
import { SeededChance } from '../../support/chance/seeded-chance';
import { drawPlan } from '../plan/draw-plan';
import type { Plan } from '../plan/plan';
import { drawStorms } from '../plan/storms';
import { runPlan } from '../run';
import { keepsLocksInMemory, tellsNoGuardOfLocks } from '../sabotage/lock-faults';
import type { Sabotage } from '../sabotage/sabotage';

/** The shortest lock that is accepted. */
const LOCK_MS = 60_000;
const MAX_STORMS = 40;
const PATIENCE_MS = 300_000;

/** Storms alone, of the first seeds whose storm locks an output. */
function* lockingStorms(): Generator<Plan> {
  for (let seed = 1, found = 0; found < MAX_STORMS; seed += 1) {
    const plan = drawPlan(seed);
    const storm = drawStorms(new SeededChance(seed).fork('storms'), plan);
    const isLocking = storm.some(
      (step) => step.do === 'technician' && step.request.type === 'lock' && step.request.forMs >= LOCK_MS,
    );
    if (!isLocking) continue;
    found += 1;
    yield { ...plan, steps: storm.toSorted((one, other) => one.atMs - other.atMs) };
  }
}

/** The first that shows the fault. */
async function firstCaught(fault: () => Sabotage): Promise<Plan | null> {
  for (const plan of lockingStorms()) {
    const violations = await runPlan(plan, { sabotage: fault() });
    if (violations.some(({ invariant }) => invariant === 'locks')) return plan;
  }
  return null;
}

describe('a storm', () => {
  test.each([
    ['tells no guard of locks', tellsNoGuardOfLocks],
    ['keeps locks in memory', keepsLocksInMemory],
  ])(
    'locks an output for long enough to show a device that %s',
    async (_name, fault) => {
      const plan = await firstCaught(fault);
      expect(plan).not.toBeNull();
      if (plan) expect(await runPlan(plan)).toEqual([]);
    },
    PATIENCE_MS,
  );
});
