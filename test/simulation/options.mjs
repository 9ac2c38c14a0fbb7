// The command line of the simulation, in plain Node: `--help` and a wrong option answer before anything is installed.
import { parseArgs } from 'node:util';

const DEFAULT_SEEDS = 5_000;

export const HELP = `npm run --silent test:simulation -- [options]

Plays the whole system in one process under a virtual clock, a fault schedule a seed, and holds what happened against
the invariants. A failure prints its seed, the invariant and the shortest schedule found. Progress goes to stderr.

  --seeds N     how many (${DEFAULT_SEEDS})
  --from S      the first one (1)
  --seed S      only this one
  --trace       with --seed: everything that happens in it
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
      trace: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const seed = values.seed === undefined ? null : wholeNumber('seed', values.seed);
  if (values.trace && seed === null) throw new Error('--trace needs --seed.');
  return {
    seeds: wholeNumber('seeds', values.seeds),
    from: wholeNumber('from', values.from),
    seed,
    trace: values.trace,
    help: values.help,
  };
}

function wholeNumber(name, text) {
  const number = Number(text);
  if (!/^[0-9]{1,9}$/.test(text) || number < 1) throw new Error(`--${name} is a whole number from 1, not ${text}.`);
  return number;
}
