// Runs the compiled suites one after the other and ends with one line: `N passed, N failed`.
//   npm test                        every suite that needs nothing but npm
//   npm test -- unit/tokens         only files whose path holds this (Jest's own patterns and options go through)
//   npm run test:full               RELAYGATE_FULL=1: all suites, more rounds, and what lacks a tool fails
//   --after-test                    with --full: without the suites that `npm test` has just played in the same way
//   --suite NAME[,NAME]             only these suites (`npm run test:browser`, `test:faults`, `test:hardware`, `test:quiet`)
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { faultTable } from './fault-table.mjs';
import { ROOT } from './prepare.mjs';

/** In order: the quick ones first. Suites that start processes or measure time get one worker, or they disturb each other. */
const SUITES = [
  { name: 'unit', workers: 2 },
  { name: 'contract', workers: 2, sameInFull: true },
  { name: 'integration', workers: 1, sameInFull: true },
  { name: 'generated', workers: 2 },
  { name: 'simulation', workers: 2, sameInFull: true },
  { name: 'e2e', workers: 1, sameInFull: true },
  // A browser.
  { name: 'browser', workers: 1, inFull: true, by: 'test:browser' },
  // Root and Debian packages.
  { name: 'faults', workers: 1, inFull: true, by: 'test:faults' },
  {
    name: 'hardware-vm',
    // A machine each; they judge times by how long they were held up.
    workers: 2,
    // Half a gigabyte of downloads, and minutes of starts.
    inFull: true,
    by: 'test:hardware',
    reporters: ['default', join(ROOT, 'test/hardware-vm/live-reporter.cjs')],
  },
  {
    name: 'image',
    workers: 1,
    // Root, a Debian made for it, and half an hour of boots, or four times that on a busy machine.
    isAlone: true,
    limitMs: 3 * 60 * 60_000,
    by: 'test:image',
    reporters: ['default', join(ROOT, 'test/hardware-vm/live-reporter.cjs')],
  },
];
/** I4's real bounds. It runs alone, after everything else. */
const QUIET = { name: 'quiet', workers: 1, inFull: true, by: 'test:quiet' };
const JEST = fileURLToPath(import.meta.resolve('jest/bin/jest'));
/** Seeds of the simulation, beside what its test files prove about itself; `npm run test:simulation` plays as many as `full`. */
const SEEDS = { normal: 200, full: 5_000 };
const SUITE_LIMIT_MS = 40 * 60_000 * Number(process.env.RELAYGATE_REPEAT ?? 1);
/** Jest writes its results, then ends; when it does not, a test has left a socket, a timer or a process behind. */
const EXIT_LIMIT_MS = 10_000;
const POLL_MS = 250;

const args = process.argv.slice(2);
const full = args.includes('--full');
const afterTest = args.includes('--after-test');
const only = args.includes('--suite') ? args[args.indexOf('--suite') + 1].split(',') : null;
const OWN_OPTIONS = ['--full', '--after-test', '--suite'];
const jestArgs = args.filter((arg, n) => !OWN_OPTIONS.includes(arg) && args[n - 1] !== '--suite');
const results = mkdtempSync(join(tmpdir(), 'rg-suites-'));
const faultResults = join(results, 'faults.jsonl');

try {
  const counts = [];
  const wanted = SUITES.filter((suite) => hasTests(suite.name) && isWanted(suite));
  for (const suite of wanted) counts.push(await runSuite(suite));
  // Patterns and options are for test files; seeds are played by `npm run test:simulation` then.
  const isWhole = jestArgs.length === 0 && only === null;
  if (isWhole) counts.push(await playSeeds(full ? SEEDS.full : SEEDS.normal));
  if (isWanted(QUIET)) counts.push(await runSuite(QUIET));
  if (isWhole && leftOut() !== '') console.log(`Not played here: ${leftOut()}.`);
  if (full && existsSync(faultResults)) console.log(faultTable(readFileSync(faultResults, 'utf8')));
  const passed = counts.reduce((sum, count) => sum + count.passed, 0);
  const failed = counts.reduce((sum, count) => sum + count.failed, 0);
  if (passed + failed === 0) console.log('No test ran: nothing matches.');
  process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
  console.log(`${passed} passed, ${failed} failed`);
} finally {
  rmSync(results, { recursive: true, force: true });
}

/** A file that is asked for by its path may be of any suite. */
function isWanted({ name, inFull, sameInFull, isAlone }) {
  if (only !== null) return only.includes(name);
  if (jestArgs.length > 0) return true;
  return !isAlone && !(afterTest && sameInFull) && (full || !inFull);
}

function leftOut() {
  return [...SUITES, QUIET]
    .filter((suite) => !isWanted(suite))
    .map(({ name, by }) => `${name} (npm ${by ? `run ${by}` : 'test'} does)`)
    .join(', ');
}

/** Where the tests of a suite write down each excuse for a late machine. */
function excusesFileOf(name) {
  return join(results, `${name}-excuses.jsonl`);
}

/** A suite that is not written yet is no fault. */
function hasTests(name) {
  const folder = join(ROOT, 'test', name);
  return existsSync(folder) && readdirSync(folder, { recursive: true }).some((file) => file.endsWith('.test.ts'));
}

async function runSuite({ name, workers, reporters = [], limitMs = SUITE_LIMIT_MS }) {
  const startedAt = Date.now();
  const outputFile = join(results, `${name}.json`);
  const ended = await runJest({ name, workers, reporters, limitMs, outputFile });
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  const excusesFile = excusesFileOf(name);
  const { tallyOf } = createRequire(import.meta.url)('../dist/support/time/excuse-tally.js');
  const excuses = tallyOf(existsSync(excusesFile) ? readFileSync(excusesFile, 'utf8') : '');
  const count = { passed: 0, failed: 0, skipped: 0 };
  if (existsSync(outputFile)) {
    const report = JSON.parse(readFileSync(outputFile, 'utf8'));
    count.passed = report.numPassedTests;
    // A file that cannot even be loaded holds no test that could fail, so it counts as one.
    count.failed = report.numFailedTests + report.numRuntimeErrorTestSuites;
    count.skipped = report.numPendingTests + report.numTodoTests;
  }
  if (ended.fault) console.log(`${name}: ${ended.fault}`);
  if (!ended.well && count.failed === 0) count.failed = 1;
  if (excuses.isTooMany) count.failed += 1;
  // Nothing here matches the patterns that were given.
  if (ended.well && count.passed + count.failed + count.skipped === 0) return count;
  const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : '';
  console.log(`${name}: ${count.passed} passed, ${count.failed} failed${skipped} (${seconds} s)`);
  console.log(`${name}: ${excuses.line}`);
  return count;
}

async function playSeeds(count) {
  const { runSimulation } = createRequire(import.meta.url)('../dist/simulation/main.js');
  const { passed, failed } = await runSimulation({ seeds: count, from: 1, seed: null, trace: false, steps: null });
  return { passed, failed, skipped: 0 };
}

/** Resolves with whether Jest ended well, and what went wrong beyond failing tests. */
function runJest({ name, workers, reporters, limitMs, outputFile }) {
  const child = spawn(
    process.execPath,
    [
      JEST,
      ...reporters.flatMap((reporter) => ['--reporters', reporter]),
      ...['--roots', join(ROOT, 'test/dist', name), '--passWithNoTests', '--json', '--outputFile', outputFile],
      ...(workers === 1 ? ['--runInBand'] : ['--maxWorkers', String(workers)]),
      ...jestArgs,
    ],
    {
      cwd: ROOT,
      stdio: ['inherit', 'ignore', 'inherit'],
      env: {
        ...process.env,
        NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --enable-source-maps`.trim(),
        RELAYGATE_FAULT_RESULTS: faultResults,
        RELAYGATE_EXCUSES: excusesFileOf(name),
        ...(full ? { RELAYGATE_FULL: '1' } : {}),
      },
    },
  );
  return new Promise((resolve) => {
    const startedAt = Date.now();
    let reportedAt = null;
    let fault = null;
    const watch = setInterval(() => {
      const now = Date.now();
      if (reportedAt === null && existsSync(outputFile)) reportedAt = now;
      if (reportedAt !== null && now - reportedAt > EXIT_LIMIT_MS) {
        fault = 'a test left something open (socket, timer or process), so Jest did not end by itself';
      } else if (now - startedAt > limitMs) {
        fault = `stopped after ${limitMs / 60_000} minutes`;
      }
      if (fault) child.kill('SIGKILL');
    }, POLL_MS);
    const settle = (well, outcome = null) => {
      clearInterval(watch);
      resolve({ well: well && !fault, fault: fault ?? outcome });
    };
    child.on('error', (error) => settle(false, `Jest cannot be started: ${error.message}`));
    child.on('exit', (code, signal) => {
      const hasReport = existsSync(outputFile);
      if (signal) settle(false, `Jest was stopped by ${signal}`);
      else settle(code === 0 && hasReport, hasReport ? null : `Jest ended with exit code ${code} and no results`);
    });
  });
}
