// Runs the compiled suites one after the other and ends with one line: `N passed, N failed`.
//   npm test                        the quick ones, and one end-to-end way for each program
//   npm test -- unit/tokens         only files whose path holds this (Jest's own patterns and options go through)
//   npm run test:full               all suites, some with more rounds; what lacks a tool fails
//   --after-test                    with --full: without what `npm test` has just played in the same way
//   --suite NAME[,NAME]             only these suites, as far as `npm test` plays them; one of which it plays nothing, whole
//                                   (`npm run test:browser`, `test:faults`, `test:hardware`, `test:quiet`); with --full: with
//                                   more rounds
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from '../prepare.mjs';
import { faultTable } from './fault-table.mjs';
import { filesOf, hasTests, IMAGE, labelOf, PARTS, QUIET, SEEDS } from './suites.mjs';

const JEST = fileURLToPath(import.meta.resolve('jest/bin/jest'));
const SIMULATION = join(ROOT, 'test/simulation/launch.mjs');
const SUITE_LIMIT_MS = 40 * 60_000 * Number(process.env.RELAYGATE_REPEAT ?? 1);
/** Jest writes its results, then ends; when it does not, a test has left a socket, a timer or a process behind. */
const EXIT_LIMIT_MS = 10_000;
const POLL_MS = 250;
/** It keeps one processor busy, so timeless parts play beside it. */
const BUSY_WITH_ONE = 'hardware-vm';
/** How they play: they must not slow it down. */
const QUIETLY = ['nice', '-n', '10'];

const args = process.argv.slice(2);
const full = args.includes('--full');
const afterTest = args.includes('--after-test');
const only = args.includes('--suite') ? args[args.indexOf('--suite') + 1].split(',') : null;
const OWN_OPTIONS = ['--full', '--after-test', '--suite'];
const jestArgs = args.filter((arg, n) => !OWN_OPTIONS.includes(arg) && args[n - 1] !== '--suite');
const results = mkdtempSync(join(tmpdir(), 'rg-suites-'));
const faultResults = join(results, 'faults.jsonl');

try {
  const wanted = [...PARTS, IMAGE, QUIET].filter((part) => hasTests(part) && isWanted(part));
  // Patterns and options are for test files; seeds are played by `npm run test:simulation` then.
  const isWhole = jestArgs.length === 0 && only === null;
  const hasRoomBeside = isWhole && full && wanted.some(({ name }) => name === BUSY_WITH_ONE);
  const beside = hasRoomBeside ? wanted.filter(({ isTimeless }) => isTimeless) : [];
  const order = [...wanted.filter((part) => !beside.includes(part)), ...beside];
  const counts = [];
  for (const part of order.slice(0, order.length - beside.length)) {
    if (part.name !== BUSY_WITH_ONE || beside.length === 0) counts.push(await runPart(part, order));
    else counts.push(...(await Promise.all([runPart(part, order), runBeside(beside, order)])).flat());
  }
  if (isWhole && beside.length === 0) counts.push(await playSeeds());
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
function isWanted({ name, inFull, hasMore, isAlone }) {
  if (only !== null) return only.includes(name) && (full || !inFull || isOnlyInFull(name));
  if (jestArgs.length > 0) return true;
  if (isAlone) return false;
  if (!full) return !inFull;
  return !afterTest || inFull === true || hasMore === true;
}

function isOnlyInFull(name) {
  return PARTS.every((part) => part.name !== name || part.inFull);
}

function leftOut() {
  return [...PARTS, IMAGE, QUIET]
    .filter((part) => !isWanted(part))
    .map((part) => `${labelOf(part)} (npm ${commandOf(part)} does)`)
    .join('; ');
}

function commandOf({ by, inFull }) {
  if (by) return `run ${by}`;
  return inFull ? 'run test:full' : 'test';
}

/** Where the tests of a suite write down each excuse for a late machine. */
function excusesFileOf(name) {
  return join(results, `${name}-excuses.jsonl`);
}

/** What was excused is judged over all parts of a suite, with the last one of `order`. */
async function runPart(part, order, { isBeside = false } = {}) {
  const { name } = part;
  const label = labelOf(part);
  const startedAt = Date.now();
  const outputFile = join(results, `${order.indexOf(part)}.json`);
  const ended = await runJest(part, outputFile, isBeside);
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  const excusesFile = excusesFileOf(name);
  const { tallyOf } = createRequire(import.meta.url)('../../dist/support/time/excuse-tally.js');
  const excuses = tallyOf(existsSync(excusesFile) ? readFileSync(excusesFile, 'utf8') : '');
  const count = { passed: 0, failed: 0, skipped: 0 };
  if (existsSync(outputFile)) {
    const report = JSON.parse(readFileSync(outputFile, 'utf8'));
    count.passed = report.numPassedTests;
    // A file that cannot even be loaded holds no test that could fail, so it counts as one.
    count.failed = report.numFailedTests + report.numRuntimeErrorTestSuites;
    count.skipped = report.numPendingTests + report.numTodoTests;
  }
  if (ended.fault) console.log(`${label}: ${ended.fault}`);
  if (!ended.well && count.failed === 0) count.failed = 1;
  const isLast = !order.slice(order.indexOf(part) + 1).some((later) => later.name === name);
  if (isLast && excuses.isTooMany) count.failed += 1;
  // Nothing here matches the patterns that were given.
  if (ended.well && count.passed + count.failed + count.skipped === 0) return count;
  const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : '';
  console.log(`${label}: ${count.passed} passed, ${count.failed} failed${skipped} (${seconds} s)`);
  console.log(`${name}: ${excuses.line}`);
  return count;
}

/** One after the other, and the seeds. What each prints comes when it has ended. */
async function runBeside(parts, order) {
  const counts = [];
  for (const part of parts) counts.push(await runPart(part, order, { isBeside: true }));
  return [...counts, await playSeeds({ isBeside: true })];
}

/** Behind those of `npm test` with `--after-test`. Seeds that have failed once are played in each full run. */
async function playSeeds({ isBeside = false } = {}) {
  const before = afterTest ? SEEDS.normal : 0;
  const seeds = (full ? SEEDS.full : SEEDS.normal) - before;
  const options = ['--from', String(before + 1), '--seeds', String(seeds), ...(full ? [] : ['--new-only'])];
  const child = start([process.execPath, SIMULATION, ...options], { isBeside, stdout: 'pipe' });
  const said = (await child.stdout.setEncoding('utf8').toArray()).join('');
  const [line, passed, failed] = /^(\d+) passed, (\d+) failed\n/m.exec(said) ?? ['', 0, 1];
  process.stdout.write(said.replace(line, ''));
  return { passed: Number(passed), failed: Number(failed), skipped: 0 };
}

/** What it says on stderr is shown as it comes; of what plays beside something else, when it has ended. */
function start(command, { isBeside, stdout, env = process.env }) {
  const [program, ...args] = isBeside ? [...QUIETLY, ...command] : command;
  const child = spawn(program, args, { cwd: ROOT, stdio: ['inherit', stdout, isBeside ? 'pipe' : 'inherit'], env });
  child.stderr?.toArray().then((said) => process.stderr.write(Buffer.concat(said)));
  return child;
}

/** Resolves with whether Jest ended well, and what went wrong beyond failing tests. */
function runJest(part, outputFile, isBeside) {
  const { name, hasMore = false, isAloneWhenWhole = false, reporters = [], limitMs = SUITE_LIMIT_MS } = part;
  const workers = isBeside || (isAloneWhenWhole && process.env.RELAYGATE_REPEAT !== undefined) ? 1 : part.workers;
  const command = [
    process.execPath,
    JEST,
    ...reporters.flatMap((reporter) => ['--reporters', reporter]),
    ...[...filesOf(part), '--passWithNoTests', '--json', '--outputFile', outputFile],
    ...(workers === 1 ? ['--runInBand'] : ['--maxWorkers', String(workers)]),
    ...jestArgs,
  ];
  const env = {
    ...process.env,
    NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --enable-source-maps`.trim(),
    RELAYGATE_FAULT_RESULTS: faultResults,
    RELAYGATE_EXCUSES: excusesFileOf(name),
    ...(full ? { RELAYGATE_ALL_TOOLS: '1' } : {}),
    ...(full && (hasMore || only !== null) ? { RELAYGATE_FULL: '1' } : {}),
  };
  const child = start(command, { isBeside, stdout: 'ignore', env });
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
