import { Program } from '../processes/program';
import type { CrowdOrders } from './crowd-process';

const OPENING_MS = 60_000;

/** Connections of peers that never close one, in a process of their own: its descriptors are not the test's. */
export class Crowd {
  readonly #program: Program;

  private constructor(program: Program) {
    this.#program = program;
  }

  /** Resolves when each has sent its text, or was refused. */
  static async comes(orders: CrowdOrders, through: readonly string[] = []): Promise<Crowd> {
    const args = [JSON.stringify(orders)];
    const program = await Program.start({
      name: 'crowd',
      file: 'test/dist/support/faults/crowd-process.js',
      args,
      through,
    });
    const crowd = new Crowd(program);
    try {
      await program.line(/^all there$/, OPENING_MS);
      return crowd;
    } catch (error) {
      await crowd.leaves();
      throw error;
    }
  }

  /** Its kernel closes all of them. */
  async leaves(): Promise<void> {
    this.#program.kill('SIGKILL');
    await this.#program.ended;
  }
}
