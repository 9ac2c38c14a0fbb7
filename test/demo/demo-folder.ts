import {
  appendFileSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pids } from '../support/processes/supervisor';

/** What the server made once and shows once: kept, or the demo could not start again in the same folder. */
export interface Credentials {
  readonly clientKey?: string;
  readonly product?: { readonly productLogin: string; readonly productKey: string; readonly enrolmentCode: string };
}

/** The files of one demo: the server's, the device's and its own. */
export class DemoFolder {
  readonly path: string;
  readonly serverDir: string;
  readonly deviceDir: string;
  /** Unix sockets: a path of its own, because it must be short (Node cuts it silently at 107 bytes). */
  readonly runDir: string;
  readonly edgeLog: string;
  /** The levels of the simulated board's inputs. */
  readonly inputs: string;
  readonly logsDir: string;
  readonly #temporary: boolean;

  /** `path` null: a new temporary folder, which `close` removes again. A folder of the user's is never removed. */
  constructor(path: string | null) {
    this.#temporary = path === null;
    this.path = path ?? mkdtempSync(join(tmpdir(), 'relaygate-demo-'));
    this.serverDir = join(this.path, 'server');
    this.deviceDir = join(this.path, 'device');
    this.edgeLog = join(this.deviceDir, 'edges.jsonl');
    this.inputs = join(this.deviceDir, 'inputs.json');
    this.logsDir = join(this.path, 'logs');
    for (const folder of [this.serverDir, this.deviceDir, this.logsDir]) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
    }
    const pid = this.#livingProgram();
    if (pid !== null) throw new Error(`A demo runs in ${this.path} already (process ${pid}); stop it first.`);
    this.runDir = mkdtempSync(join(tmpdir(), 'rg-'));
  }

  readCredentials(): Credentials {
    return this.#readJson('demo.json') ?? {};
  }

  writeCredentials(credentials: Credentials): void {
    this.writeFile('demo.json', `${JSON.stringify(credentials, null, 2)}\n`);
  }

  writePids(pids: Pids): void {
    this.writeFile('pids.json', `${JSON.stringify(pids)}\n`);
  }

  appendLog(name: string, line: string): void {
    appendFileSync(join(this.logsDir, `${name}.log`), `${line}\n`, { mode: 0o600 });
  }

  has(file: string): boolean {
    return existsSync(join(this.path, file));
  }

  read(file: string): string {
    return readFileSync(join(this.path, file), 'utf8');
  }

  /** The old file or the new one, never torn; readable by this user only. */
  writeFile(file: string, text: string): void {
    const target = join(this.path, file);
    const draft = `${target}.new`;
    const handle = openSync(draft, 'w', 0o600);
    try {
      writeSync(handle, text);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(draft, target);
  }

  close(): void {
    rmSync(this.runDir, { recursive: true, force: true });
    rmSync(join(this.path, 'pids.json'), { force: true });
    if (this.#temporary) rmSync(this.path, { recursive: true, force: true });
  }

  /** A program of a demo in this folder that is still alive: another demo, or what a killed one left behind. */
  #livingProgram(): number | null {
    const pids = Object.values(this.#readJson<Pids>('pids.json') ?? {});
    return pids.find((pid) => isRelaygate(pid)) ?? null;
  }

  #readJson<T>(file: string): T | null {
    return this.has(file) ? JSON.parse(this.read(file)) : null;
  }
}

/** The id may belong to another program by now; where /proc tells, look at its command line. */
function isRelaygate(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const commandLine = `/proc/${pid}/cmdline`;
  return !existsSync(commandLine) || readFileSync(commandLine, 'utf8').includes('relaygate-');
}
