// `npm run demo`: installs and builds what is missing, then starts the compiled demo.
import { createRequire } from 'node:module';
import { launch } from '../support/tools/launch.mjs';
import { HELP, parseOptions } from './options.mjs';

await launch({
  help: HELP,
  parseOptions,
  preparation: { wanted: 'demo', next: 'Start' },
  async run(options) {
    const { runDemo } = createRequire(import.meta.url)('../dist/demo/main.js');
    // Sockets that HTTP keeps open must not keep the demo alive.
    process.exit(await runDemo(options));
  },
});
