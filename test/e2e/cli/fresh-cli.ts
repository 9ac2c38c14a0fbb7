import { join } from 'node:path';
import { expect } from '@jest/globals';
import { folderForEach } from '../../support/processes/fresh-folder';
import { Program } from '../../support/processes/program';

const FILE = 'server/bin/relaygate-server.js';

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
  /** A server on the data folder, while `use` runs; it must stop without a failure. */
  beside(use: (url: string) => Promise<unknown>, env?: Record<string, string>): Promise<void>;
}

/** What the commands that make something print. */
interface Made {
  clientId: string;
  clientKey: string;
  productKey: string;
  enrolmentCode: string;
}

export function freshCli(): FreshCli {
  const folder = folderForEach('rg-cli-');
  const dataDir = join(folder, 'data');
  const cli: FreshCli = {
    folder,
    dataDir,
    async run(args, env = { RELAYGATE_DATA_DIR: dataDir }) {
      const lines = { stdout: [] as string[], stderr: [] as string[] };
      const program = await Program.start({
        name: 'relaygate-server',
        file: FILE,
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
    async beside(use, env = {}) {
      const server = await startedServer(dataDir, env);
      try {
        const [, url = ''] = await server.line(/listening on (\S+)/);
        await use(url);
      } finally {
        expect(await server.stop()).toMatchObject({ code: 0 });
      }
    },
  };
  return cli;
}

/** At a port of its own. */
export function startedServer(dataDir: string, env: Record<string, string> = {}): Promise<Program> {
  const own = { RELAYGATE_DATA_DIR: dataDir, RELAYGATE_LISTEN: '127.0.0.1:0', RELAYGATE_LOG_LEVEL: 'silent' };
  return Program.start({ name: 'server', file: FILE, args: ['start'], env: { ...own, ...env } });
}

/** One line on stderr, nothing on stdout, no stack. */
export function expectRefusal(got: Run, exitCode: number, errorCode: string): void {
  expect(got.err).toMatch(new RegExp(`^relaygate-server: \\S.* \\(${errorCode}\\)$`));
  expect(got.err.split('\n')).toHaveLength(1);
  expect({ code: got.code, out: got.out }).toEqual({ code: exitCode, out: '' });
}
