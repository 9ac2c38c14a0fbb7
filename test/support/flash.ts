import { Program } from './processes';

export interface Flashed {
  code: number | null;
  out: string;
  err: string;
}

/** `relaygate-flash ARGS`, as an installer runs it. */
export async function relaygateFlash(...args: readonly string[]): Promise<Flashed> {
  const lines = { stdout: [] as string[], stderr: [] as string[] };
  const program = await Program.start({
    name: 'relaygate-flash',
    file: 'hardware/bin/relaygate-flash.js',
    args,
    onLine: (line, stream) => lines[stream].push(line),
  });
  const { code } = await program.ended;
  return { code, out: lines.stdout.join('\n'), err: lines.stderr.join('\n') };
}
