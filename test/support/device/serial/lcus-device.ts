import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { monotonicNowMs } from '@relaygate/shared/system';
import { memoryFolder } from '../../processes/memory-folder';
import type { Edge } from '../edge-log';
import { Pty } from './pty';

/** How a board answers when it is asked for its relays. */
export type LcusDialect = 'bytes' | 'lines' | 'silent';

/** An LCUS board by script: frames with a wrong sum move nothing, and what it answers can be spoilt. */
export class LcusDevice {
  readonly #folder = memoryFolder('rg-l-');
  readonly levels: (0 | 1)[];
  readonly edges: Edge[] = [];
  readonly dialect: LcusDialect;
  /** What is sent of an answer, and when. */
  spoil: (answer: Uint8Array, send: (bytes: Uint8Array) => void) => void = (answer, send) => send(answer);
  /** What reaches it. */
  hears: (bytes: Uint8Array) => Uint8Array = (bytes) => bytes;
  /** How many bytes have reached it. */
  heardBytes = 0;
  #pty: Pty | null = null;
  #heard: number[] = [];

  constructor(dialect: LcusDialect, relays: number) {
    this.dialect = dialect;
    this.levels = Array(relays).fill(0);
  }

  get port(): string {
    return join(this.#folder, 'port');
  }

  async plug(): Promise<void> {
    const pty = await Pty.plug(this.port);
    this.#pty = pty;
    this.#heard = [];
    pty.heard = (bytes) => {
      this.heardBytes += bytes.length;
      this.#heard.push(...this.hears(bytes));
      this.#obey();
    };
  }

  async unplug(): Promise<void> {
    const pty = this.#pty;
    this.#pty = null;
    await pty?.unplug();
  }

  /** What nobody asked for. */
  say(bytes: Uint8Array): void {
    this.#pty?.say(bytes);
  }

  async end(): Promise<void> {
    await this.unplug();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #obey(): void {
    while (this.#heard.length > 0) {
      const [first, relay = 0, operation, sum] = this.#heard;
      if (first === 0xff) {
        this.#heard.shift();
        if (this.dialect !== 'silent') this.spoil(this.#status(), (bytes) => this.say(bytes));
      } else if (first !== 0xa0) {
        this.#heard.shift();
      } else if (sum === undefined) {
        return;
      } else {
        this.#heard.splice(0, 4);
        const isSound = sum === ((first + relay + (operation ?? 0)) & 0xff);
        if (isSound && (operation === 0 || operation === 1)) this.#move(relay - 1, operation);
      }
    }
  }

  #move(output: number, level: 0 | 1): void {
    if (this.levels[output] === undefined || this.levels[output] === level) return;
    this.levels[output] = level;
    this.edges.push({ output, level, atMs: monotonicNowMs() });
  }

  #status(): Uint8Array {
    if (this.dialect === 'bytes') return Uint8Array.from(this.levels);
    return Buffer.from(this.levels.map((level, n) => `CH${n + 1}: ${level === 1 ? 'ON ' : 'OFF'}\r\n`).join(''));
  }
}
