import { Program } from './program';

export interface Flashed {
  code: number | null;
  out: string;
  err: string;
}

/** `relaygate-flash ARGS`, as an installer runs it. */
export function relaygateFlash(...args: readonly string[]): Promise<Flashed> {
  return relaygateFlashWith({}, ...args);
}

/** The same with more in its environment. */
export async function relaygateFlashWith(
  env: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<Flashed> {
  const lines = { stdout: [] as string[], stderr: [] as string[] };
  const program = await Program.start({
    name: 'relaygate-flash',
    file: 'hardware/bin/relaygate-flash.js',
    args,
    env,
    onLine: (line, stream) => lines[stream].push(line),
  });
  const { code } = await program.ended;
  return { code, out: lines.stdout.join('\n'), err: lines.stderr.join('\n') };
}
