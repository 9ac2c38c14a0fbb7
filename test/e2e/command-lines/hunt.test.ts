/** `npm run hunt` as people start it: what it prints, its exit code, and what becomes of a Ctrl-C. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, jest, test } from '@jest/globals';
import { folderForEach } from '../../support/processes/fresh-folder';
import { Program, ROOT } from '../../support/processes/program';
import { eventually } from '../../support/time/waiting';

const FIRST = 31_000_001;
const LIMIT_MS = 120_000;
/** A round plays a whole test file. */
jest.setTimeout(LIMIT_MS + 10_000);
const DELIBERATE = join(ROOT, 'test/dist/hunt/deliberate-failures.js');

const folder = folderForEach('rg-hunt-');

interface Hunt {
  program: Program;
  /** On stdout. */
  lines: string[];
  ended(): Promise<number | null>;
  /** As a terminal does it: everything that it runs hears of it. */
  pressCtrlC(): void;
}

/** `fault`: see deliberate-failures.ts. Real seeds and test files are played; what they find decides about no test here. */
async function startHunt(args: readonly string[], fault: string): Promise<Hunt> {
  const lines: string[] = [];
  const program = await Program.start({
    name: 'hunt',
    file: 'test/hunt/launch.mjs',
    args: ['--from', String(FIRST), ...args],
    detached: true,
    env: { NODE_OPTIONS: `--require=${DELIBERATE}`, RELAYGATE_HUNT_FAULT: fault },
    onLine: (line, stream) => void (stream === 'stdout' && lines.push(line)),
  });
  return {
    program,
    lines,
    async ended() {
      const timer = setTimeout(() => process.kill(-program.pid, 'SIGKILL'), LIMIT_MS);
      const { code } = await program.ended;
      clearTimeout(timer);
      return code;
    },
    pressCtrlC: () => void process.kill(-program.pid, 'SIGINT'),
  };
}

describe('a hunt', () => {
  test('plays seeds and one test file a round, says which, and ends with 0 when nothing is found', async () => {
    const { lines, ended } = await startHunt(['--minutes', '5', '--rounds', '1', '--seeds', '3'], 'passes');
    expect(await ended()).toBe(0);
    expect(lines).toEqual([`hunt: seeds ${FIRST} to ${FIRST + 2}, 1 test files, 0 failures`]);
  });

  test('prints how to replay each failure, and ends with 1', async () => {
    const { lines, ended } = await startHunt(['--minutes', '5', '--rounds', '2', '--seeds', '1'], 'fails');
    expect(await ended()).toBe(1);
    const file = expect.stringMatching(
      `^(generated|unit)/[-a-z/.]+ fails with seed ${FIRST}; replay: RELAYGATE_SEED=${FIRST} npm test -- (generated|unit)/`,
    );
    const seed = (n: number): string =>
      `seed ${FIRST + n} breaks I1: a deliberate fault; replay: npm run --silent test:simulation -- --seed ${FIRST + n}`;
    expect(lines).toEqual([
      seed(0),
      file,
      seed(1),
      expect.stringContaining(` fails with seed ${FIRST + 1}; replay: RELAYGATE_SEED=${FIRST + 1} npm test -- `),
      `hunt: seeds ${FIRST} to ${FIRST + 1}, 2 test files, 4 failures`,
    ]);
  });

  test('says the same in one JSON line', async () => {
    const { lines, ended } = await startHunt(['--minutes', '5', '--rounds', '1', '--seeds', '1', '--json'], 'fails');
    expect(await ended()).toBe(1);
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      from: FIRST,
      seeds: 1,
      testFiles: 1,
      interrupted: false,
      found: [
        expect.objectContaining({ replay: `npm run --silent test:simulation -- --seed ${FIRST}` }),
        expect.objectContaining({ replay: expect.stringContaining(`RELAYGATE_SEED=${FIRST} npm test -- `) }),
      ],
    });
  });

  test('ends within a seed when its time is over', async () => {
    const { lines, ended } = await startHunt(['--minutes', '0.05', '--seeds', '100000'], 'fails');
    expect(await ended()).toBe(1);
    const finds = lines.length - 1;
    expect(lines.at(-1)).toBe(`hunt: seeds ${FIRST} to ${FIRST + finds - 1}, 0 test files, ${finds} failures`);
  });

  test('ends when its time is over also when the garbage is collected', async () => {
    const args = ['--minutes', '0.1', '--seeds', '100000'];
    const { lines, ended } = await startHunt(args, 'collects');
    expect(await ended()).toBe(0);
    expect(lines.at(-1)).toMatch(/^hunt: seeds [0-9]+ to [0-9]+, 0 test files, 0 failures$/);
  });
});

describe('Ctrl-C', () => {
  test('ends it among its seeds, and it says which it has played', async () => {
    const { program, lines, ended, pressCtrlC } = await startHunt(['--minutes', '5', '--seeds', '100000'], 'fails');
    await program.line(/breaks I1/, LIMIT_MS);
    pressCtrlC();
    expect(await ended()).toBe(1);
    const finds = lines.length - 1;
    expect(lines.at(-1)).toBe(
      `hunt: seeds ${FIRST} to ${FIRST + finds - 1}, 0 test files, ${finds} failures, interrupted`,
    );
  });

  test('ends the test file that it plays, which counts neither as played nor as a failure', async () => {
    const pidFile = join(folder, 'pid');
    const { program, lines, ended, pressCtrlC } = await startHunt(['--minutes', '5', '--seeds', '1'], pidFile);
    await program.line(/^hunting/, LIMIT_MS);
    await eventually(async () => existsSync(pidFile) && readFileSync(pidFile, 'utf8') !== '');
    pressCtrlC();
    expect(await ended()).toBe(0);
    expect(lines).toEqual([`hunt: seeds ${FIRST} to ${FIRST}, 0 test files, 0 failures, interrupted`]);
    expect(() => process.kill(Number(readFileSync(pidFile, 'utf8')), 0)).toThrow('ESRCH');
  });
});
