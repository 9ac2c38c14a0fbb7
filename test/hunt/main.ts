import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { playSeeds, seedsFrom } from '../simulation/seeds';

export interface HuntOptions {
  minutes: number;
  /** The first seed. */
  from: number;
  /** Of the simulation, between two test files. */
  seeds: number;
  /** At most so many times seeds and a test file; null: until the time is over. */
  rounds: number | null;
  json: boolean;
}

/** What broke, and the command that plays it again. */
interface Find {
  what: string;
  replay: string;
}

const DIST = join(__dirname, '..');
const ROOT = join(DIST, '../..');
const JEST = join(ROOT, 'node_modules/jest/bin/jest.js');

/**
 * Plays seeds from `from` on until the time is over, or `interrupted`. Resolves with whether something was found. What
 * is cut short by an interruption counts neither as played nor as a find.
 */
export async function hunt(
  { minutes, from, seeds: seedsARound, rounds, json }: HuntOptions,
  interrupted: AbortSignal,
): Promise<boolean> {
  const untilMs = Date.now() + minutes * 60_000;
  const ending = new AbortController();
  // Not `AbortSignal.any` of a time-out: Node collects that time-out as garbage, and the hunt never ends.
  const timer = setTimeout(() => ending.abort(), minutes * 60_000);
  interrupted.addEventListener('abort', () => ending.abort());
  const over = ending.signal;
  const files = testFiles();
  const found: Find[] = [];
  const tell = (find: Find): void => {
    found.push(find);
    const line = `${find.what}; replay: ${find.replay}`;
    if (json) process.stderr.write(`${line}\n`);
    else console.log(line);
  };
  process.stderr.write(`hunting for ${minutes} min from seed ${from}\n`);
  let seeds = 0;
  let played = 0;
  for (let round = 0; !over.aborted && round !== rounds; round += 1) {
    const next = seedsFrom(from + seeds, seedsARound);
    await playSeeds(
      next,
      ({ seed, violations: [first] }) => {
        seeds += 1;
        if (!first) return;
        const replay = `npm run --silent test:simulation -- --seed ${seed}`;
        tell({ what: `seed ${seed} breaks ${first.invariant}: ${first.sentence.split('\n')[0]}`, replay });
      },
      { stop: over },
    );
    const file = files[round % files.length];
    const seed = from + round;
    if (file !== undefined && !over.aborted) {
      const hasPassed = await passes(file, seed, interrupted);
      if (hasPassed !== null) played += 1;
      if (hasPassed === false) {
        tell({ what: `${file} fails with seed ${seed}`, replay: `RELAYGATE_SEED=${seed} npm test -- ${file}` });
      }
    }
    const seconds = Math.max(0, (untilMs - Date.now()) / 1_000).toFixed(0);
    process.stderr.write(`${seeds} seeds, ${played} test files, ${found.length} failures, ${seconds} s left\n`);
  }
  clearTimeout(timer);
  if (json) {
    const isInterrupted = interrupted.aborted;
    console.log(JSON.stringify({ from, seeds, testFiles: played, found, interrupted: isInterrupted }));
  } else {
    const range = seeds === 0 ? 'no seed' : `seeds ${from} to ${from + seeds - 1}`;
    const end = interrupted.aborted ? ', interrupted' : '';
    console.log(`hunt: ${range}, ${played} test files, ${found.length} failures${end}`);
  }
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

/** null: it was interrupted. */
function passes(file: string, seed: number, interrupted: AbortSignal): Promise<boolean | null> {
  const args = [JEST, '--runInBand', '--silent', '--runTestsByPath', join(DIST, `${file}.js`)];
  const env = { ...process.env, RELAYGATE_SEED: String(seed) };
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: 'ignore' });
  const end = (): void => void child.kill();
  interrupted.addEventListener('abort', end);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      interrupted.removeEventListener('abort', end);
      // A terminal's Ctrl-C goes to both: the child may have ended by it before this process has seen its own.
      setImmediate(() => resolve(interrupted.aborted || signal === 'SIGINT' ? null : code === 0));
    });
  });
}
