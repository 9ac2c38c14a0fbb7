// `npm run bench`: installs and builds what is missing, then starts the compiled benchmarks.
import { createRequire } from 'node:module';
import { launch } from '../support/tools/launch.mjs';
import { HELP, parseOptions } from './options.mjs';

await launch({
  help: HELP,
  parseOptions,
  async run(options) {
    const { runBench } = createRequire(import.meta.url)('../dist/bench/main.js');
    process.exit(await runBench(options));
  },
});
