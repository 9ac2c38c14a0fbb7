import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from '@jest/globals';
import { Program } from '../../support/processes/program';

export interface Run {
  code: number | null;
  out: string;
  err: string;
}

/** A fresh folder for each test, and commands on the data folder in it. */
export interface FreshCli {
  folder: string;
  dataDir: string;
  /** `relaygate-server ARGS`; `env` instead of the data folder's setting. */
  run(args: readonly string[], env?: Record<string, string>): Promise<Run>;
  /** With `--json`, what it printed; it must succeed without a word on stderr. */
  json<Printed = Made>(...args: string[]): Promise<Printed>;
}

/** What the commands that make something print. */
interface Made {
  clientId: string;
  clientKey: string;
  productKey: string;
  enrolmentCode: string;
}

export function freshCli(): FreshCli {
  const cli: FreshCli = {
    folder: '',
    dataDir: '',
    async run(args, env = { RELAYGATE_DATA_DIR: cli.dataDir }) {
      const lines = { stdout: [] as string[], stderr: [] as string[] };
      const program = await Program.start({
        name: 'relaygate-server',
        file: 'server/bin/relaygate-server.js',
        args,
        env,
        onLine: (line, stream) => lines[stream].push(line),
      });
      const { code } = await program.ended;
      return { code, out: lines.stdout.join('\n'), err: lines.stderr.join('\n') };
    },
    async json(...args) {
      const { code, out, err } = await cli.run([...args, '--json']);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      return JSON.parse(out);
    },
  };
  beforeEach(() => {
    cli.folder = mkdtempSync(join(tmpdir(), 'rg-cli-'));
    cli.dataDir = join(cli.folder, 'data');
  });
  afterEach(() => {
    rmSync(cli.folder, { recursive: true, force: true });
  });
  return cli;
}

/** One line on stderr, nothing on stdout, no stack. */
export function expectRefusal(got: Run, exitCode: number, errorCode: string): void {
  expect(got.err).toMatch(new RegExp(`^relaygate-server: \\S.* \\(${errorCode}\\)$`));
  expect(got.err.split('\n')).toHaveLength(1);
  expect({ code: got.code, out: got.out }).toEqual({ code: exitCode, out: '' });
}
