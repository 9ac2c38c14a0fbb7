// What the launchers of demo, bench and simulation begin with, before anything is installed: plain Node, no packages.
import { orExplain, PrepareError, prepare } from '../prepare.mjs';

/**
 * Reads the options, shows the help where it is asked for, installs and builds what is missing, then runs `run(options)`.
 * `parseOptions` throws what is wrong with its arguments; that and the help are shown, with exit code 1.
 * `preparation`: see `prepare`.
 */
export async function launch({ help, parseOptions, run, preparation = {} }) {
  await orExplain(async () => {
    const options = optionsOf(parseOptions, help);
    if (options.help) return void process.stdout.write(help);
    await prepare(preparation);
    await run(options);
  });
}

function optionsOf(parseOptions, help) {
  try {
    return parseOptions(process.argv.slice(2));
  } catch (error) {
    throw new PrepareError(`${error.message}\n\n${help}`);
  }
}
