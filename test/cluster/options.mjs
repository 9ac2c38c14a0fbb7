// The cluster's command line, in plain Node: `--help` and a wrong option answer before anything is installed.
import { parseArgs } from 'node:util';
import { wholeNumber } from '../support/tools/launch.mjs';

export const HELP = `npm run cluster -- [options]

Starts several Relaygate servers that share a PostgreSQL database and a NATS broker, a load balancer (haproxy) before
them, and simulated devices with 4 outputs each (0 and 1 on-off, 2 and 3 impulse of 500 ms), in a new temporary folder.
Whoever dies is started again after 200 ms. Ctrl-C stops everything and removes the folder.
Needs the Debian packages postgresql, nats-server and haproxy.

  --check       switch an output of every device through every server, say what was seen, and end with 0 (all well) or 1
  --json        one JSON line on stdout when all is ready; everything else goes to stderr
  --nodes N     servers, 1 to 9 (otherwise 3)
  --devices N   devices, 1 to 200 (otherwise 30); each is two processes of about 60 MB
  --port N      the load balancer's port on 127.0.0.1 (otherwise a free one)
  --help        show this
`;

/** @throws {Error} whose message tells what is wrong */
export function parseOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      check: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      nodes: { type: 'string', default: '3' },
      devices: { type: 'string', default: '30' },
      port: { type: 'string', default: '0' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  return {
    check: values.check,
    json: values.json,
    nodes: wholeNumber('nodes', values.nodes, 1, 9),
    devices: wholeNumber('devices', values.devices, 1, 200),
    // 0: a free one.
    port: wholeNumber('port', values.port, 0, 65_535),
    help: values.help,
  };
}
