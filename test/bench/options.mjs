// The command line of the benchmarks, in plain Node: `--help` and a wrong option answer before anything is installed.
import { parseArgs } from 'node:util';

/** The benchmarks by name; main.ts has one for each. */
const NAMES = ['commands', 'growth', 'links', 'storm', 'nodes', 'pulses', 'device', 'page'];

export const HELP = `npm run --silent bench -- [options]

Measures the built programs on this machine and prints one table on stdout; progress goes to stderr.

  commands   confirmed commands: throughput, latency and the server's CPU, beside a bare Express and a bare node:http echo
  growth     the storage's CPU and bytes of a command, with 10,000 and 100,000 of them; with RELAYGATE_FULL=1 also 1,000,000
  links      memory and connect CPU of an idle device link, at 10,000 links
  storm      how soon 10,000 devices are linked again when their server was killed and is started a second later
  nodes      commands through another node than the device's, beside one server; devices whose node was killed (Debian
             packages postgresql, nats-server)
  pulses     how exactly 1,000 pulses of 100 ms end while the agent is busy
  device     memory of agent and guard, and the time from their start to the link
  page       how soon the technician's page can be used, in Chromium (Debian package chromium)

  --only NAME   only this one; may be given several times
  --quick       fewer and shorter rounds: a look, no figures to keep
  --json        one JSON document instead of the table
  --help        show this

Leave the machine alone meanwhile. It ends with 0 also where a target is missed, with 1 when something could not be measured;
what lacks its Debian package is left out, unless --only asks for it.
`;

/** @throws {Error} whose message tells what is wrong */
export function parseOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string', multiple: true, default: [] },
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const unknown = values.only.find((name) => !NAMES.includes(name));
  if (unknown !== undefined) throw new Error(`--only takes ${NAMES.join(', ')}, not ${unknown}.`);
  const names = values.only.length > 0 ? NAMES.filter((name) => values.only.includes(name)) : NAMES;
  return { names, areChosen: values.only.length > 0, quick: values.quick, json: values.json, help: values.help };
}
