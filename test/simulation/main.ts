import { failedSeeds } from './failed-seeds';
import { describeFailure, traced } from './failure';
import { drawPlan } from './plan/draw-plan';
import { onlySteps } from './plan/plan';
import { type PlayedSeed, playSeeds, seedsFrom } from './seeds';

export interface SimulationOptions {
  /** How many, from this one on. */
  seeds: number;
  from: number;
  /** Only this one. */
  seed: number | null;
  trace: boolean;
  /** Only these of its steps, by their place in the plan; null: all. */
  steps: readonly number[] | null;
  /** Before the seeds those that have failed once. */
  playsKnown: boolean;
}

/** Failures that are made shorter and shown; of the others only the seeds are named. */
const SHOWN_FAILURES = 3;
const PROGRESS_EVERY = 250;

/** Plays seeds, before them those that have failed once, and says what they broke. */
export async function runSimulation({
  seeds,
  from,
  seed,
  trace,
  steps,
  playsKnown,
}: SimulationOptions): Promise<{ passed: number; failed: number }> {
  const failed: PlayedSeed[] = [];
  const asked = seed === null ? seedsFrom(from, seeds) : [seed];
  const known = seed === null && playsKnown ? failedSeeds().filter((one) => !asked.includes(one)) : [];
  const played = [...known, ...asked];
  const count = played.length;
  if (seed !== null && trace) {
    const { lines, violations } = await traced(onlySteps(drawPlan(seed), steps));
    for (const line of lines) console.log(line);
    for (const { invariant, sentence, atMs } of violations)
      console.log(`${atMs.toFixed(1)} ms: ${invariant}: ${sentence}`);
    if (violations.length > 0) failed.push({ seed, violations });
  } else {
    const startedMs = Date.now();
    let done = 0;
    await playSeeds(played, (result) => {
      done += 1;
      const [broken] = result.violations;
      if (broken) {
        failed.push(result);
        process.stderr.write(`seed ${result.seed} breaks ${broken.invariant}\n`);
      }
      if (done % PROGRESS_EVERY === 0) {
        const seconds = ((Date.now() - startedMs) / 1_000).toFixed(0);
        process.stderr.write(`${done} of ${count} seeds in ${seconds} s, ${failed.length} failed\n`);
      }
    });
    failed.sort((one, other) => one.seed - other.seed);
    for (const { seed: number, violations, isUnplayable } of failed.slice(0, SHOWN_FAILURES)) {
      const [first] = violations;
      if (first && isUnplayable) console.log(`${first.invariant}: ${first.sentence}\n`);
      else if (first) console.log(`${await describeFailure(number, first)}\n`);
    }
    const range =
      seed === null ? `seeds ${from} to ${from + seeds - 1}, and ${count - seeds} known ones,` : `seed ${seed}`;
    console.log(`simulation: ${range} in ${((Date.now() - startedMs) / 1_000).toFixed(1)} s${failedIn(failed)}`);
  }
  return { passed: count - failed.length, failed: failed.length };
}

function failedIn(failed: readonly PlayedSeed[]): string {
  if (failed.length === 0) return '';
  const names = failed.map(({ seed, violations }) => `${seed} (${violations[0]?.invariant})`);
  return `; failed: ${names.slice(0, 20).join(', ')}${names.length > 20 ? ', ...' : ''}`;
}
