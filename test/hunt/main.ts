import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { playSeeds, seedsFrom } from '../simulation/seeds';

export interface HuntOptions {
  minutes: number;
  /** The first seed. */
  from: number;
  json: boolean;
}

/** What broke, and the command that plays it again. */
interface Find {
  what: string;
  replay: string;
}

/** Seeds of the simulation between two test files. */
const SEEDS_A_TURN = 250;
const DIST = join(__dirname, '..');
const ROOT = join(DIST, '../..');
const JEST = join(ROOT, 'node_modules/jest/bin/jest.js');

/** Plays seeds from `from` on until the time is over. Resolves with whether something was found. */
export async function hunt({ minutes, from, json }: HuntOptions): Promise<boolean> {
  const untilMs = Date.now() + minutes * 60_000;
  const files = testFiles();
  const found: Find[] = [];
  const tell = (find: Find): void => {
    found.push(find);
    const line = `${find.what}; replay: ${find.replay}`;
    if (json) process.stderr.write(`${line}\n`);
    else console.log(line);
  };
  process.stderr.write(`hunting for ${minutes} min from seed ${from}\n`);
  let turns = 0;
  for (; Date.now() < untilMs; turns += 1) {
    await playSeeds(seedsFrom(from + turns * SEEDS_A_TURN, SEEDS_A_TURN), ({ seed, violations: [first] }) => {
      if (!first) return;
      const replay = `npm run --silent test:simulation -- --seed ${seed}`;
      tell({ what: `seed ${seed} breaks ${first.invariant}: ${first.sentence.split('\n')[0]}`, replay });
    });
    const file = files[turns % files.length];
    const seed = from + turns;
    if (file !== undefined && Date.now() < untilMs && !(await passes(file, seed))) {
      tell({ what: `${file} fails with seed ${seed}`, replay: `RELAYGATE_SEED=${seed} npm test -- ${file}` });
    }
    const seconds = Math.max(0, (untilMs - Date.now()) / 1_000).toFixed(0);
    const count = (turns + 1) * SEEDS_A_TURN;
    process.stderr.write(`${count} seeds, ${turns + 1} test files, ${found.length} failures, ${seconds} s left\n`);
  }
  const seeds = turns * SEEDS_A_TURN;
  if (json) console.log(JSON.stringify({ from, seeds, testFiles: turns, found }));
  else console.log(`hunt: seeds ${from} to ${from + seeds - 1}, ${turns} test files, ${found.length} failures`);
  return found.length > 0;
}

/** Models and generated suites, as `npm test -- PATH` names them. */
function testFiles(): string[] {
  return readdirSync(DIST, { recursive: true, encoding: 'utf8' })
    .filter(
      (path) => path.endsWith('.model.test.js') || (path.startsWith(`generated${sep}`) && path.endsWith('.test.js')),
    )
    .map((path) => relative(DIST, join(DIST, path)).replaceAll(sep, '/').replace(/\.js$/, ''))
    .toSorted();
}

function passes(file: string, seed: number): Promise<boolean> {
  const args = [JEST, '--runInBand', '--silent', '--runTestsByPath', join(DIST, `${file}.js`)];
  const env = { ...process.env, RELAYGATE_SEED: String(seed) };
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: 'ignore' });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => resolve(code === 0));
  });
}
