import { join } from 'node:path';
import { Program, ROOT } from '../../support/processes/program';
import { cpuUs } from '../process-cost';

const START_LIMIT_MS = 20_000;
const PROBE_LIMIT_MS = 20_000;

/** A server as a process of its own, so that its CPU and memory can be told apart from those of the load. */
export class MeasuredServer {
  readonly port: number;
  readonly #program: Program;
  readonly #clean: () => void;
  #looks = 0;

  /** `file`: relative to the repository's root; it prints `listening on http://127.0.0.1:PORT`. */
  static async start(
    name: string,
    file: string,
    {
      args = [],
      env = {},
      clean = () => {},
    }: { args?: string[]; env?: Record<string, string>; clean?: () => void } = {},
  ): Promise<MeasuredServer> {
    const probe = join(ROOT, 'test/dist/bench/servers/memory-probe.js');
    const program = await Program.start({ name, file, args, env: { ...env, NODE_OPTIONS: `--require=${probe}` } });
    const [, port] = await program.line(/listening on http:\/\/127\.0\.0\.1:(\d+)/, START_LIMIT_MS);
    return new MeasuredServer(program, Number(port), clean);
  }

  private constructor(program: Program, port: number, clean: () => void) {
    this.#program = program;
    this.port = port;
    this.#clean = clean;
  }

  get pid(): number {
    return this.#program.pid;
  }

  /** Since its start, in microseconds. */
  cpuUs(): number {
    return cpuUs(this.pid);
  }

  /** Resident memory after a garbage collection. */
  async collectedBytes(): Promise<number> {
    this.#looks += 1;
    this.#program.kill('SIGUSR2');
    const [, bytes] = await this.#program.line(new RegExp(`^memory-probe ${this.#looks} (\\d+)$`), PROBE_LIMIT_MS);
    return Number(bytes);
  }

  /** As a machine that fails: nothing is said to anybody. */
  async kill(): Promise<void> {
    this.#program.kill('SIGKILL');
    await this.#program.ended;
  }

  async stop(): Promise<void> {
    await this.#program.stop(15_000);
    this.#clean();
  }
}
