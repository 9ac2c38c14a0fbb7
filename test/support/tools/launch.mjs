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

/** The whole number of an option such as `--port`; 0 is never named, for it stands for "choose one". Throws what is wrong with it. */
export function wholeNumber(option, text, lowest, highest) {
  const value = Number(text);
  if (/^[0-9]{1,5}$/.test(text) && value >= lowest && value <= highest) return value;
  throw new Error(`--${option} takes ${Math.max(lowest, 1)} to ${highest}, not ${text}.`);
}

function optionsOf(parseOptions, help) {
  try {
    return parseOptions(process.argv.slice(2));
  } catch (error) {
    throw new PrepareError(`${error.message}\n\n${help}`);
  }
}
