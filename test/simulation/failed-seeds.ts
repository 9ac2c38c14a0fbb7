import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The compiled simulation lies in test/dist. */
const FILE = join(__dirname, '../../simulation/failed-seeds.json');

/** Seeds that have failed once: every run plays them first. */
export function failedSeeds(): number[] {
  return JSON.parse(readFileSync(FILE, 'utf8')).map(({ seed }: { seed: number }) => seed);
}
