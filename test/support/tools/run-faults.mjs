// The real faults in full: `npm run test:faults [-- --repeat N] [T5 T8 ...]`. Ends with one line a fault.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const HELP = `npm run test:faults [-- [--repeat N] [T5 T8 ...]]

Plays the faults of test/faults/README.md with real processes: short ones 100 times, those that last seconds in 20
devices at once; more than ten minutes on two cores. Ends with one line a fault. Some need root (test/faults/README.md).

  T5 T8 ...      only these
  --repeat N     N times as often
  --help         this text

RELAYGATE_SEED=N, as a failure prints it, plays that repetition's moments and choices again.`;

const SUITES = fileURLToPath(new URL('run-suites.mjs', import.meta.url));

try {
  const { repeat, faults, help } = optionsOf(process.argv.slice(2));
  if (help) console.log(HELP);
  else process.exitCode = await run(repeat, faults);
} catch (error) {
  if (!(error instanceof RangeError)) throw error;
  console.error(`${error.message}\n\n${HELP}`);
  process.exitCode = 2;
}

function optionsOf(args) {
  const options = { repeat: 1, faults: [], help: false };
  for (let arg = args.shift(); arg !== undefined; arg = args.shift()) {
    if (arg === '--help' || arg === '-h') options.help = true;
    else if (arg === '--repeat') options.repeat = countOf(args.shift());
    else if (/^T\d+$/.test(arg)) options.faults.push(arg);
    else throw new RangeError(`${arg} is neither an option nor a fault.`);
  }
  return options;
}

function countOf(text) {
  if (/^[1-9]\d{0,3}$/.test(text ?? '')) return Number(text);
  throw new RangeError('--repeat takes a number from 1 to 9999.');
}

/** Resolves with the exit code. */
function run(repeat, faults) {
  // The name of each test, or of what it stands in, begins with its fault.
  const names = faults.length === 0 ? [] : ['--testNamePattern', `(^| )(${faults.join('|')}): `];
  const env = { ...process.env, RELAYGATE_REPEAT: String(repeat) };
  const child = spawn(process.execPath, [SUITES, '--full', '--suite', 'faults', ...names], { stdio: 'inherit', env });
  return new Promise((resolve) => child.on('exit', (code) => resolve(code ?? 1)));
}
