// The command line of the hunt, in plain Node: `--help` and a wrong option answer before anything is installed.
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';

const MAX_SEED = 999_999_999;
const MAX_MINUTES = 7 * 24 * 60;
/** Between two test files. */
const SEEDS_A_ROUND = 250;
const MAX_A_ROUND = 1_000_000;

export const HELP = `npm run hunt -- --minutes N [options]

Plays simulation, models and generated suites with seeds that nobody has seen, in turn, until the time is over; the seeds
or the test file under way then are played to their end. Progress goes to stderr. For each failure it prints one line with
what plays it again. Ctrl-C ends it sooner. It always ends with what it has played. Exit code 1: something was found.

  --minutes N   for how long (up to ${MAX_MINUTES}; 0.5 is half a minute)
  --from S      the first seed (a random one)
  --seeds N     of the simulation, before each test file (${SEEDS_A_ROUND})
  --rounds N    no more than so many times seeds and a test file
  --json        one JSON line on stdout at the end
  --help        show this
`;

/** @throws {Error} whose message tells what is wrong */
export function parseOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: 'string' },
      from: { type: 'string' },
      seeds: { type: 'string', default: String(SEEDS_A_ROUND) },
      rounds: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return { help: true };
  if (values.minutes === undefined) throw new Error('--minutes is missing: how long is it to hunt?');
  return {
    help: false,
    minutes: minutesOf(values.minutes),
    from: values.from === undefined ? randomInt(1, MAX_SEED) : wholeNumber('from', values.from, MAX_SEED),
    seeds: wholeNumber('seeds', values.seeds, MAX_A_ROUND),
    rounds: values.rounds === undefined ? null : wholeNumber('rounds', values.rounds, MAX_A_ROUND),
    json: values.json,
  };
}

function minutesOf(text) {
  const minutes = Number(text);
  if (/^[0-9]{1,5}(\.[0-9]{1,2})?$/.test(text) && minutes > 0 && minutes <= MAX_MINUTES) return minutes;
  throw new Error(`--minutes is a number from 0.01 to ${MAX_MINUTES}, not ${text}.`);
}

function wholeNumber(name, text, max) {
  const number = Number(text);
  if (/^[0-9]{1,9}$/.test(text) && number >= 1 && number <= max) return number;
  throw new Error(`--${name} is a whole number from 1 to ${max}, not ${text}.`);
}
