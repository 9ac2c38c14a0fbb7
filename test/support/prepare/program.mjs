import { spawn } from 'node:child_process';

/** Something the reader can mend; its message is the whole story, so no stack trace is shown. */
export class PrepareError extends Error {}

/**
 * Runs a program. Its output goes to `onLine`, and is shown only when it fails, without the lines that `isNoise` names
 * and with `hint(output)` behind it.
 */
export async function run({ program, args, label, cwd, env = {}, onLine = () => {}, isNoise = () => false, hint }) {
  const output = [];
  const child = spawn(program, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const take = (line) => {
    output.push(line);
    onLine(line);
  };
  for (const stream of [child.stdout, child.stderr]) readLines(stream, take);
  const [status, signal] = await new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new PrepareError(`${label} cannot be started: ${error.message}`)));
    child.once('close', (...ending) => resolve(ending));
  });
  if (status === 0) return;
  const shown = output.filter((line) => !isNoise(line));
  const ended = signal ? `was stopped by ${signal}` : `failed with exit code ${status}`;
  const last = [`${label} ${ended}; its output is above.`, hint?.(output.join('\n'))].filter(Boolean);
  throw new PrepareError([...shown, ...last].join('\n'));
}

function readLines(stream, onLine) {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop();
    for (const line of lines) onLine(line);
  });
  stream.on('end', () => rest && onLine(rest));
}

/** Runs npm; under `npm run` the very npm that runs us, else the one on the path. */
export function npm({ args, ...options }) {
  const own = process.env.npm_execpath;
  const [program, first] = own?.endsWith('.js') ? [process.execPath, [own]] : ['npm', []];
  return run({ ...options, program, args: [...first, ...args, '--no-audit', '--no-fund'] });
}
