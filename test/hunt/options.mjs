// The command line of the hunt, in plain Node: `--help` and a wrong option answer before anything is installed.
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';

const MAX_SEED = 999_999_999;
const MAX_MINUTES = 7 * 24 * 60;

export const HELP = `npm run hunt -- --minutes N [options]

Plays simulation, models and generated suites with seeds that nobody has seen, in turn, until the time is over; what is
under way then is played to its end. Progress goes to stderr. For each failure it prints one line with what plays it again.
Exit code 1: something was found.

  --minutes N   for how long (1 to ${MAX_MINUTES})
  --from S      the first seed (a random one)
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
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return { help: true };
  if (values.minutes === undefined) throw new Error('--minutes is missing: how long is it to hunt?');
  return {
    help: false,
    minutes: wholeNumber('minutes', values.minutes, MAX_MINUTES),
    from: values.from === undefined ? randomInt(1, MAX_SEED) : wholeNumber('from', values.from, MAX_SEED),
    json: values.json,
  };
}

function wholeNumber(name, text, max) {
  const number = Number(text);
  if (/^[0-9]{1,9}$/.test(text) && number >= 1 && number <= max) return number;
  throw new Error(`--${name} is a whole number from 1 to ${max}, not ${text}.`);
}
