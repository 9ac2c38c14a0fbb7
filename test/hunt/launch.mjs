// `npm run hunt`: installs and builds what is missing, then hunts.
import { createRequire } from 'node:module';
import { launch } from '../support/tools/launch.mjs';
import { HELP, parseOptions } from './options.mjs';

await launch({
  help: HELP,
  parseOptions,
  async run(options) {
    const { hunt } = createRequire(import.meta.url)('../dist/hunt/main.js');
    const interruption = new AbortController();
    // A second Ctrl-C does not wait.
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => interruption.abort());
    process.exitCode = (await hunt(options, interruption.signal)) ? 1 : 0;
  },
});
