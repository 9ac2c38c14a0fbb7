// The demo's command line, in plain Node: `--help` and a wrong option answer before anything is installed.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { wholeNumber } from '../support/tools/launch.mjs';

export const HELP = `npm run demo -- [options]

Starts a Relaygate server and a simulated relay board with 4 outputs (0 and 1 on-off, 2 and 3 impulse of 500 ms)
on this machine, and prints what is needed to switch them. Ctrl-C stops everything.

  --check       do one whole round trip, say each step, and end with 0 (all well) or 1
  --json        one JSON line on stdout when all is ready; everything else goes to stderr
  --data DIR    keep the data in DIR and use again what is there (otherwise a new temporary folder, removed at the end)
  --port N      the server's port on 127.0.0.1 (otherwise a free one)
  --help        show this
`;

/** @throws {Error} whose message tells what is wrong */
export function parseOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      check: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      data: { type: 'string' },
      port: { type: 'string', default: '0' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const port = wholeNumber('port', values.port, 0, 65_535);
  if (values.data === '') throw new Error('--data takes a folder.');
  return {
    check: values.check,
    json: values.json,
    // npm runs scripts in the root of the repository; INIT_CWD is where the user stood.
    dataDir: values.data === undefined ? null : resolve(process.env.INIT_CWD ?? '.', values.data),
    port,
    help: values.help,
  };
}
