// `npm run test:simulation`: installs and builds what is missing, then plays the seeds.
import { createRequire } from 'node:module';
import { launch } from '../support/tools/launch.mjs';
import { HELP, parseOptions } from './options.mjs';

await launch({
  help: HELP,
  parseOptions,
  async run(options) {
    const { runSimulation } = createRequire(import.meta.url)('../dist/simulation/main.js');
    const { passed, failed } = await runSimulation(options);
    console.log(`${passed} passed, ${failed} failed`);
    process.exitCode = failed > 0 ? 1 : 0;
  },
});
