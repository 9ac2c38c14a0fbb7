// `npm run hunt`: installs and builds what is missing, then hunts.
import { createRequire } from 'node:module';
import { launch } from '../support/launch.mjs';
import { HELP, parseOptions } from './options.mjs';

await launch({
  help: HELP,
  parseOptions,
  async run(options) {
    const { hunt } = createRequire(import.meta.url)('../dist/hunt/main.js');
    process.exitCode = (await hunt(options)) ? 1 : 0;
  },
});
