/** The built programs as child processes, the way users run them. Nothing of them is imported here. */
import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';

export const ROOT = resolve(__dirname, '../../../..');

/** Lines kept for error messages; a program that floods must not fill our memory. */
const KEPT_LINES = 200;
const STOP_GRACE_MS = 5_000;
const ONE_SHOT_LIMIT_MS = 30_000;
/** For a line that comes at once where the machine has the time: whoever judges a time measures it. */
const LINE_PATIENCE_MS = 20_000;

export interface Launch {
  /** How messages call it. */
  readonly name: string;
  /** A JavaScript file, relative to the root of the repository; absent: `through` is the program. */
  readonly file?: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** A command that runs the file, such as `ip netns exec NAME`. */
  readonly through?: readonly string[];
  /** A process group of its own: Ctrl-C in the terminal reaches only whoever started the program. */
  readonly detached?: boolean;
  /** Every line the program prints, as it comes. */
  readonly onLine?: (line: string, stream: 'stdout' | 'stderr') => void;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A program did not do what was asked of it; the message ends with what it printed last on stderr. */
export class ProgramError extends Error {}

export class Program {
  readonly name: string;
  readonly pid: number;
  /** Settles once, when the program has ended and all its lines have been read. Never rejects. */
  readonly ended: Promise<Exit>;
  readonly #child: ChildProcess;
  readonly #lines: string[] = [];
  readonly #errorLines: string[] = [];
  readonly #listeners = new Set<(line: string) => void>();
  #exit: Exit | null = null;
  #printed = 0;

  /** Starts a program. Rejects when there is none of that name. */
  static async start(launch: Launch): Promise<Program> {
    const node = launch.file === undefined ? [] : [process.execPath, resolve(ROOT, launch.file)];
    const [command = '', ...args] = [...(launch.through ?? []), ...node, ...launch.args];
    const child = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: launch.detached ?? false,
      env: { ...bareEnvironment(), ...launch.env },
    });
    await new Promise((started, failed) => child.once('spawn', started).once('error', failed));
    return new Program(launch, child);
  }

  private constructor({ name, onLine }: Launch, child: ChildProcess) {
    this.name = name;
    this.#child = child;
    this.pid = child.pid ?? 0;
    const take = (stream: 'stdout' | 'stderr') => (line: string) => {
      this.#printed += 1;
      keep(this.#lines, line);
      if (stream === 'stderr') keep(this.#errorLines, line);
      onLine?.(line, stream);
      for (const listener of this.#listeners) listener(line);
    };
    eachLine(child.stdout, take('stdout'));
    eachLine(child.stderr, take('stderr'));
    this.ended = new Promise((settle) =>
      child.once('close', (code, signal) => {
        this.#exit = { code, signal };
        settle(this.#exit);
      }),
    );
  }

  get running(): boolean {
    return this.#exit === null;
  }

  /** How many lines it has printed so far. */
  get printed(): number {
    return this.#printed;
  }

  /** What the program said last on stderr, for a message to people. */
  get complaint(): string {
    return this.#errorLines.slice(-5).join('\n');
  }

  /** The first line, printed already or yet to come, that matches. Rejects when the program ends first, or is too slow. */
  line(pattern: RegExp, timeoutMs = LINE_PATIENCE_MS): Promise<RegExpMatchArray> {
    return new Promise((found, failed) => {
      const settle = (): void => {
        clearTimeout(timer);
        this.#listeners.delete(look);
      };
      const look = (line: string): void => {
        const match = line.match(pattern);
        if (!match) return;
        settle();
        found(match);
      };
      const fail = (what: string): void => {
        settle();
        failed(new ProgramError(`${this.name} ${what}${this.complaint ? `:\n${this.complaint}` : ''}`));
      };
      const timer = setTimeout(() => fail(`did not print ${pattern} within ${timeoutMs} ms`), timeoutMs);
      this.#listeners.add(look);
      for (const line of [...this.#lines]) look(line);
      void this.ended.then(({ code, signal }) =>
        fail(signal ? `was ended by ${signal}` : `ended with exit code ${code}`),
      );
    });
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Asks the program to end, and ends it after `graceMs` when it has not. */
  async stop(graceMs = STOP_GRACE_MS): Promise<Exit> {
    this.kill('SIGTERM');
    const timer = setTimeout(() => this.kill('SIGKILL'), graceMs);
    const exit = await this.ended;
    clearTimeout(timer);
    return exit;
  }
}

/** Runs a program to its end and gives what it printed on stdout; rejects unless its exit code is 0. */
export async function runToEnd(launch: Launch, limitMs = ONE_SHOT_LIMIT_MS): Promise<string> {
  const lines: string[] = [];
  const onLine = (line: string, stream: 'stdout' | 'stderr'): void => {
    if (stream === 'stdout') lines.push(line);
  };
  const program = await Program.start({ ...launch, onLine });
  const timer = setTimeout(() => program.kill('SIGKILL'), limitMs);
  const { code, signal } = await program.ended;
  clearTimeout(timer);
  if (code === 0) return lines.join('\n');
  const ended = signal ? `was ended by ${signal}` : `ended with exit code ${code}`;
  throw new ProgramError(`${launch.name} ${ended}:\n${program.complaint || lines.join('\n')}`);
}

/**
 * As on a device or a server of its own: settings of whoever runs this must not reach the programs under test, and
 * NODE_EXTRA_CA_CERTS has Node 20 read every certificate at each start, which takes longer than all the rest of it.
 */
export function bareEnvironment(): NodeJS.ProcessEnv {
  const isOwn = (name: string): boolean => name.startsWith('RELAYGATE_') || name === 'NODE_EXTRA_CA_CERTS';
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !isOwn(name)));
}

function keep(lines: string[], line: string): void {
  lines.push(line);
  if (lines.length > KEPT_LINES) lines.shift();
}

function eachLine(stream: NodeJS.ReadableStream | null, take: (line: string) => void): void {
  let rest = '';
  stream?.setEncoding('utf8');
  stream?.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) take(line);
  });
  stream?.on('end', () => {
    if (rest !== '') take(rest);
  });
}
