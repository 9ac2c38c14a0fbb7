// More of everything than `npm run test:full` plays: `npm run test:nightly [-- PART ...]`. Ends with one line a part.
import { spawn, spawnSync } from 'node:child_process';
import { ROOT } from '../prepare.mjs';

const SUITES = ['node', 'test/support/tools/run-suites.mjs', '--full', '--suite'];
const PARTS = {
  models: [...SUITES, 'unit,generated'],
  archives: [...SUITES, 'e2e', 'cli/archives'],
  simulation: ['npm', 'run', '--silent', 'test:simulation'],
  faults: ['npm', 'run', '--silent', 'test:faults'],
  bench: ['npm', 'run', '--silent', 'bench'],
  hunt: ['npm', 'run', '--silent', 'hunt', '--', '--minutes', '15'],
  image: ['npm', 'run', '--silent', 'test:image'],
};
const COUNTS = /^(\d+) passed, (\d+) failed$/;

const HELP = `npm run test:nightly [-- PART ...]

Plays for hours what npm run test:full plays less of, or not at all, and ends with one line a part.

  models       models and generated suites with all their rounds
  archives     an archive of the audit, killed at 60 moments
  simulation   5,000 seeds
  faults       all repetitions of the real faults (root)
  bench        the figures; the machine must do nothing else
  hunt         new seeds for a quarter of an hour; a find counts as a failure
  image        the card image in an emulated Raspberry Pi (root)

Ctrl-C, or SIGTERM, ends it with the lines of what has been played. A second one kills what does not end.`;
/** As shells have it. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 };

const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => !Object.hasOwn(PARTS, name));
if (unknown === undefined) await playAll();
else {
  const isHelp = ['--help', '-h'].includes(unknown);
  if (isHelp) console.log(HELP);
  else console.error(`${unknown} is no part of it.\n\n${HELP}`);
  process.exitCode = isHelp ? 0 : 2;
}

async function playAll() {
  const played = [];
  let interrupted = null;
  let running = null;
  for (const signal of Object.keys(EXIT_CODES)) {
    process.on(signal, () => {
      if (running) killAll(running, interrupted ? 'SIGKILL' : signal);
      interrupted ??= signal;
    });
  }
  for (const [name, command] of Object.entries(PARTS)) {
    if (interrupted || (wanted.length > 0 && !wanted.includes(name))) continue;
    running = start(name, command);
    const part = await resultOf(name, running);
    running = null;
    played.push(interrupted ? { ...part, said: `interrupted; ${part.said}` } : part);
  }
  const { stdout } = spawnSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: ROOT, encoding: 'utf8' });
  const version = (stdout ?? '').trim() || 'a tree without git';
  console.log(`\nnightly, ${new Date().toISOString().slice(0, 10)}, ${version}, Node ${process.versions.node}:`);
  for (const { name, said, minutes } of played)
    console.log(`${name.padEnd(10)}  ${minutes.toFixed(0).padStart(3)} min  ${said}`);
  for (const name of Object.keys(PARTS).filter((name) => played.every((part) => part.name !== name)))
    console.log(`${name.padEnd(10)}  not played`);
  const [passed, failed] = ['passed', 'failed'].map((what) => played.reduce((sum, part) => sum + part[what], 0));
  console.log(`${passed} passed, ${failed} failed`);
  if (interrupted) process.exitCode = EXIT_CODES[interrupted];
  else process.exitCode = failed > 0 ? 1 : 0;
}

/** In a group of its own, so that a signal reaches the programs of its programs too, and once. */
function start(name, [program, ...args]) {
  console.log(`\n== ${name}`);
  return spawn(program, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'], detached: true });
}

function killAll({ pid }, signal) {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

/** A part that counts nothing counts as one test. */
function resultOf(name, child) {
  const beganMs = Date.now();
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    process.stdout.write(chunk);
    text += chunk;
  });
  return new Promise((resolve) => {
    child.on('error', ({ message }) => {
      text += `${message}\n`;
    });
    child.on('close', (code, signal) => {
      const lines = text.split('\n').filter((line) => line.trim() !== '');
      const counted = COUNTS.exec(lines.findLast((line) => COUNTS.test(line)) ?? '');
      const isWell = code === 0;
      const passed = counted ? Number(counted[1]) : Number(isWell);
      const failed = Math.max(counted ? Number(counted[2]) : 0, Number(!isWell));
      const end = isWell ? '' : ` (${signal ?? `exit code ${code}`})`;
      const said = counted?.[0] ?? `${lines.at(-1) ?? 'it said nothing'}${end}`;
      resolve({ name, said, passed, failed, minutes: (Date.now() - beganMs) / 60_000 });
    });
  });
}
