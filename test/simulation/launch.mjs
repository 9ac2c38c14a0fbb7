// `npm run test:simulation`: installs and builds what is missing, then plays the seeds.
import { createRequire } from 'node:module';
import { orExplain, PrepareError, prepare } from '../support/prepare.mjs';
import { HELP, parseOptions } from './options.mjs';

function readOptions() {
  try {
    return parseOptions(process.argv.slice(2));
  } catch (error) {
    throw new PrepareError(`${error.message}\n\n${HELP}`);
  }
}

await orExplain(async () => {
  const options = readOptions();
  if (options.help) return void process.stdout.write(HELP);
  await prepare();
  const { runSimulation } = createRequire(import.meta.url)('../dist/simulation/main.js');
  const { passed, failed } = await runSimulation(options);
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
});
