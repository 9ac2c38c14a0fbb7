// `npm run bench`: installs and builds what is missing, then starts the compiled benchmarks.
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
  const { runBench } = createRequire(import.meta.url)('../dist/bench/main.js');
  process.exit(await runBench(options));
});
