// The command line of the simulation, in plain Node: `--help` and a wrong option answer before anything is installed.
import { parseArgs } from 'node:util';

const DEFAULT_SEEDS = 5_000;

export const HELP = `npm run --silent test:simulation -- [options]

Plays the whole system in one process under a virtual clock, a fault schedule a seed, and holds what happened against
the invariants. A failure prints its seed, the invariant and the shortest schedule found. Progress goes to stderr.

  --seeds N     how many (${DEFAULT_SEEDS})
  --from S      the first one (1)
  --seed S      only this one
  --new-only    without those that have failed once, which come first otherwise
  --trace       with --seed: everything that happens in it
  --steps A,B   with --trace: only these steps of its schedule, as a failure prints them; - for none
  --help        show this
`;

/** @throws {Error} whose message tells what is wrong */
export function parseOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      seeds: { type: 'string', default: String(DEFAULT_SEEDS) },
      from: { type: 'string', default: '1' },
      seed: { type: 'string' },
      'new-only': { type: 'boolean', default: false },
      trace: { type: 'boolean', default: false },
      steps: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const seed = values.seed === undefined ? null : wholeNumber('seed', values.seed);
  if (values.trace && seed === null) throw new Error('--trace needs --seed.');
  if (values.steps !== undefined && !values.trace) throw new Error('--steps needs --trace.');
  return {
    seeds: wholeNumber('seeds', values.seeds),
    from: wholeNumber('from', values.from),
    seed,
    playsKnown: !values['new-only'],
    trace: values.trace,
    steps: values.steps === undefined ? null : stepNumbers(values.steps),
    help: values.help,
  };
}

function stepNumbers(text) {
  if (text === '-') return [];
  if (!/^[0-9]{1,4}(,[0-9]{1,4})*$/.test(text))
    throw new Error(`--steps are numbers with commas between, not ${text}.`);
  return text.split(',').map(Number);
}

function wholeNumber(name, text) {
  const number = Number(text);
  if (!/^[0-9]{1,9}$/.test(text) || number < 1) throw new Error(`--${name} is a whole number from 1, not ${text}.`);
  return number;
}
