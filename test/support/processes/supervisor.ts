import { type Launch, Program, ProgramError } from './program';

const RESTART_DELAY_MS = 200;

/** Process ids by program name. */
export type Pids = Record<string, number>;

/** Keeps programs running: one that has started well and then dies is started again after 200 ms. */
export class Supervisor {
  readonly #running = new Map<string, Program>();
  readonly #pids: Pids = {};
  readonly #onPids: (pids: Pids) => void;
  readonly #say: (line: string) => void;
  #stopping = false;

  constructor(onPids: (pids: Pids) => void, say: (line: string) => void) {
    this.#onPids = onPids;
    this.#say = say;
  }

  /** A snapshot; a dead program's id stays until its successor has one. */
  get pids(): Pids {
    return { ...this.#pids };
  }

  /**
   * Starts a program and waits for its line that matches `ready`. Rejects when it ends before that. `launch` is
   * asked again for each restart.
   */
  async start(launch: () => Launch, ready: RegExp, timeoutMs: number): Promise<RegExpMatchArray> {
    const program = await this.#spawn(launch());
    const match = await program.line(ready, timeoutMs);
    this.#keep(launch, program);
    return match;
  }

  /** Ends all programs and starts none from now on. `hard`: without asking. */
  async stop(hard = false): Promise<void> {
    this.#stopping = true;
    await Promise.all([...this.#running.values()].map((program) => program.stop(hard ? 0 : undefined)));
  }

  /** For the last moment of a process, when nothing can be awaited any more. */
  killAll(): void {
    for (const program of this.#running.values()) program.kill('SIGKILL');
  }

  async #spawn(launch: Launch): Promise<Program> {
    if (this.#stopping) throw new ProgramError(`${launch.name} is not started: everything stops`);
    const program = await Program.start(launch);
    this.#running.set(program.name, program);
    this.#pids[program.name] = program.pid;
    this.#onPids(this.pids);
    void program.ended.then(() => {
      if (this.#running.get(program.name) === program) this.#running.delete(program.name);
    });
    return program;
  }

  #keep(launch: () => Launch, program: Program): void {
    void program.ended.then(({ code, signal }) => {
      if (this.#stopping) return;
      const why = program.complaint.split('\n').at(-1);
      this.#say(
        `${program.name} ended (${signal ?? `exit code ${code}`}) and is started again${why ? `: ${why}` : ''}`,
      );
      setTimeout(() => void this.#restart(launch), RESTART_DELAY_MS);
    });
  }

  async #restart(launch: () => Launch): Promise<void> {
    if (!this.#stopping) this.#keep(launch, await this.#spawn(launch()));
  }
}
