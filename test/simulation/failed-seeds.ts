import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The compiled simulation lies in test/dist. */
const FILE = join(__dirname, '../../simulation/failed-seeds.json');

interface FailedSeed {
  seed: number;
  why: string;
  /** Additions to plans that came later: with them it would not play what it has failed by. */
  without?: string[];
}

const SEEDS: readonly FailedSeed[] = JSON.parse(readFileSync(FILE, 'utf8'));

/** Seeds that have failed once: every run plays them first. */
export function failedSeeds(): number[] {
  return SEEDS.map(({ seed }) => seed);
}

/** The additions that this seed's plan is drawn without. */
export function leftOutOf(seed: number): readonly string[] {
  return SEEDS.find((failed) => failed.seed === seed)?.without ?? [];
}
