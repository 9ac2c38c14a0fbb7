// `npm run cluster`: installs and builds what is missing, then starts the compiled cluster.
import { createRequire } from 'node:module';
import { launch } from '../support/tools/launch.mjs';
import { HELP, parseOptions } from './options.mjs';

await launch({
  help: HELP,
  parseOptions,
  preparation: { wanted: 'demo', next: 'Start' },
  async run(options) {
    const { runCluster } = createRequire(import.meta.url)('../dist/cluster/main.js');
    // Sockets that HTTP keeps open must not keep the cluster alive.
    process.exit(await runCluster(options));
  },
});
