import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { freePort } from '../processes/free-port';
import { pause } from '../time/waiting';

/** Where Debian has the programs of each version. */
const DEBIAN = '/usr/lib/postgresql';
const START_MS = 20_000;
const STOP_MS = 5_000;
const USER = 'postgres';

/** Of `postgresql.conf`. */
type PostgresSettings = Readonly<Record<string, string>>;

function programs(): string | undefined {
  if (!existsSync(DEBIAN)) return undefined;
  const versions = readdirSync(DEBIAN)
    .map(Number)
    .sort((one, other) => other - one);
  return versions.map((version) => join(DEBIAN, String(version), 'bin')).find((bin) => existsSync(join(bin, 'initdb')));
}

/** For a suite that needs PostgreSQL; undefined when it can be played. */
export function missingPostgres(): string | undefined {
  return programs() === undefined ? 'PostgreSQL is missing (Debian package postgresql)' : undefined;
}

/** A server of its own in a temporary folder, on a loopback port. Its disk is not synced: only the machine's end would show it. */
export class PostgresServer {
  readonly port: number;
  readonly #bin: string;
  readonly #folder: string;
  readonly #settings: PostgresSettings;
  #child: ChildProcess | undefined;
  #ended: Promise<unknown> = Promise.resolve();
  #databases = 0;

  private constructor(bin: string, folder: string, port: number, settings: PostgresSettings) {
    this.#bin = bin;
    this.#folder = folder;
    this.port = port;
    this.#settings = settings;
  }

  static async start(settings: PostgresSettings = {}): Promise<PostgresServer> {
    const server = await PostgresServer.made(settings);
    await server.resume();
    return server;
  }

  /** One that does not run yet. */
  static async made(settings: PostgresSettings = {}): Promise<PostgresServer> {
    const bin = programs();
    if (bin === undefined) throw new Error(missingPostgres());
    const server = new PostgresServer(bin, newFolder(), await freePort(), settings);
    const [program = '', ...args] = server.#as([
      'initdb',
      '-D',
      server.data,
      '-A',
      'trust',
      '--no-locale',
      '-E',
      'UTF8',
      '--no-sync',
      '-U',
      USER,
    ]);
    execFileSync(program, args, { stdio: 'pipe', env: server.env });
    return server;
  }

  /** A standby that follows it. */
  async standby(): Promise<PostgresServer> {
    // A standby answers nothing that is to be serializable.
    const settings = { ...this.#settings, default_transaction_isolation: 'read committed' };
    const standby = new PostgresServer(this.#bin, newFolder(), await freePort(), settings);
    const from = ['-h', '127.0.0.1', '-p', String(this.port), '-U', USER];
    const [program = '', ...args] = standby.#as([
      'pg_basebackup',
      '-D',
      standby.data,
      '-R',
      '-X',
      'stream',
      '-c',
      'fast',
      '--no-sync',
      ...from,
    ]);
    execFileSync(program, args, { stdio: 'pipe', env: standby.env });
    await standby.resume();
    return standby;
  }

  get data(): string {
    return join(this.#folder, 'data');
  }

  get pid(): number {
    const pid = this.#child?.pid;
    if (pid === undefined) throw new Error('PostgreSQL does not run');
    return pid;
  }

  url(database: string): string {
    return `postgresql://${USER}@127.0.0.1:${this.port}/${database}`;
  }

  /** A new, empty database. */
  async newDatabase(): Promise<string> {
    this.#databases += 1;
    const name = `d${this.#databases}`;
    await this.query('postgres', `CREATE DATABASE ${name}`);
    return this.url(name);
  }

  /** A new database that this one was dumped and restored into. */
  async restored(url: string): Promise<string> {
    const to = await this.newDatabase();
    const dump = join(this.#folder, 'dump');
    for (const command of [
      ['pg_dump', '--format=custom', '--file', dump, url],
      ['pg_restore', '--exit-on-error', '--dbname', to, dump],
    ]) {
      const [program = '', ...args] = this.#as(command);
      execFileSync(program, args, { stdio: 'pipe', env: this.env });
    }
    return to;
  }

  /** What a stranger does on a connection of its own. */
  async query(database: string, text: string): Promise<Record<string, unknown>[]> {
    return asked(this.url(database), text);
  }

  /** What starts it. */
  command(): string[] {
    const all = {
      fsync: 'off',
      listen_addresses: '127.0.0.1',
      port: String(this.port),
      unix_socket_directories: '',
      ...this.#settings,
    };
    const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    return this.#as(['postgres', '-D', this.data, ...options]);
  }

  /** Starts it again, with the settings that it was made with. */
  async resume(): Promise<void> {
    const [program = '', ...args] = this.command();
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env: this.env });
    const said: string[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => said.push(String(text)));
    this.#child = child;
    this.#ended = new Promise((resolve) => child.on('exit', resolve));
    for (const giveUpMs = performance.now() + START_MS; ; ) {
      if (await this.#answers()) return;
      if (child.exitCode !== null || performance.now() > giveUpMs)
        throw new Error(`PostgreSQL does not start:\n${said.join('')}`);
      await pause(30);
    }
  }

  /** All its processes stop where they are. */
  freeze(): void {
    this.#signal('SIGSTOP');
  }

  thaw(): void {
    this.#signal('SIGCONT');
  }

  /** `SIGINT` ends all connections in order, `SIGQUIT` at once, as if the machine had failed. */
  async stop(signal: 'SIGINT' | 'SIGQUIT' = 'SIGQUIT'): Promise<void> {
    this.#child?.kill(signal);
    await this.#ended;
    this.#child = undefined;
  }

  async remove(): Promise<void> {
    if (this.#child) {
      this.thaw();
      const late = setTimeout(() => this.#child?.kill('SIGKILL'), STOP_MS);
      await this.stop();
      clearTimeout(late);
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get env(): Record<string, string> {
    return { PATH: process.env.PATH ?? '', HOME: this.#folder, LC_ALL: 'C' };
  }

  /** PostgreSQL refuses to run as root. */
  #as([program = '', ...args]: string[]): string[] {
    const command = [join(this.#bin, program), ...args];
    return process.getuid?.() === 0
      ? ['setpriv', `--reuid=${USER}`, `--regid=${USER}`, '--init-groups', ...command]
      : command;
  }

  #signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(this.pid)], { encoding: 'utf8' });
    for (const pid of [this.pid, ...children.trim().split(/\s+/).map(Number)]) {
      try {
        process.kill(pid, signal);
      } catch (error) {
        // One of a connection may have ended since. The error is of another realm than this file's `Error`.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    }
  }

  async #answers(): Promise<boolean> {
    try {
      await asked(this.url('postgres'), 'SELECT 1');
      return true;
    } catch {
      return false;
    }
  }
}

async function asked(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: STOP_MS });
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.query(text)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}

/** Which the user `postgres` may write. */
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'rg-postgres-'));
  chmodSync(folder, 0o777);
  return folder;
}
