import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { freePort } from '../processes/free-port';
import { missingProgram } from '../processes/missing-program';
import { found } from '../time/waiting';

/** For a suite that needs NATS; undefined when it can be played. */
export function missingNats(): string | undefined {
  return missingProgram('nats-server', 'nats-server');
}

/** A broker of its own on a loopback port. */
export class NatsServer {
  readonly port: number;
  readonly #args: readonly string[];
  #child: ChildProcess | undefined;

  private constructor(port: number, args: readonly string[]) {
    this.port = port;
    this.#args = args;
  }

  /** `args`: more of its command line. */
  static async start(...args: string[]): Promise<NatsServer> {
    const server = new NatsServer(await freePort(), args);
    await server.begin();
    return server;
  }

  get url(): string {
    return `nats://127.0.0.1:${this.port}`;
  }

  async begin(): Promise<void> {
    const child = spawn('nats-server', ['-a', '127.0.0.1', '-p', String(this.port), ...this.#args], {
      stdio: 'ignore',
    });
    this.#child = child;
    await found(() => this.#answers(), 'nats-server does not listen');
  }

  /** Kills it. */
  async end(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  /** Once it resolves, the broker does nothing more. */
  async freeze(): Promise<void> {
    const child = this.#child;
    child?.kill('SIGSTOP');
    await found(async () => isStopped(child?.pid) || undefined, 'nats-server does not stop');
  }

  thaw(): void {
    this.#child?.kill('SIGCONT');
  }

  #answers(): Promise<true | undefined> {
    return new Promise((resolve) => {
      const socket = connect(this.port, '127.0.0.1', () => {
        socket.destroy();
        resolve(true);
      });
      socket.once('error', () => resolve(undefined));
    });
  }
}

function isStopped(pid: number | undefined): boolean {
  return /^State:\tT/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
}
