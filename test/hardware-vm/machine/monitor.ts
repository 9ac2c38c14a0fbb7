/** QEMU's monitor (QMP): looks at the machine from outside and plugs devices, whatever runs in it. */
import { createConnection, type Socket } from 'node:net';

const ANSWER_LIMIT_MS = 10_000;

interface Waiter {
  resolve(answer: string): void;
  reject(error: Error): void;
}

export class Monitor {
  readonly #socket: Socket;
  readonly #waiters: Waiter[] = [];

  static async connect(path: string): Promise<Monitor> {
    const socket = createConnection(path);
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    const monitor = new Monitor(socket);
    await monitor.execute('qmp_capabilities');
    return monitor;
  }

  private constructor(socket: Socket) {
    this.#socket = socket;
    let rest = '';
    socket.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.#take(JSON.parse(line));
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      for (const waiter of this.#waiters.splice(0)) waiter.reject(new Error('QEMU has closed its monitor'));
    });
  }

  /** 32-bit words of the machine's physical memory, registers of its devices included. */
  async words(address: number, count: number): Promise<number[]> {
    const line = `xp /${count}wx 0x${address.toString(16)}`;
    const answer = await this.execute('human-monitor-command', { 'command-line': line });
    const words = [...answer.matchAll(/ 0x([0-9a-f]{8})/g)].map(([, word = '']) => Number.parseInt(word, 16));
    if (words.length !== count) throw new Error(`${line}: ${answer}`);
    return words;
  }

  /** One order as QEMU's documentation names it (QMP reference); rejects with what QEMU says against it. */
  execute(execute: string, args: object = {}): Promise<string> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`QEMU did not answer ${execute}`)), ANSWER_LIMIT_MS);
      const settle = (done: () => void): void => {
        clearTimeout(timer);
        done();
      };
      this.#waiters.push({
        resolve: (answer) => settle(() => resolve(answer)),
        reject: (error) => settle(() => reject(error)),
      });
      this.#socket.write(`${JSON.stringify({ execute, arguments: args })}\n`);
    });
  }

  /** Answers come in the order of the questions; greeting and events belong to none. */
  #take(message: { return?: unknown; error?: { desc: string } }): void {
    if (message.return !== undefined) this.#waiters.shift()?.resolve(String(message.return));
    else if (message.error) this.#waiters.shift()?.reject(new Error(message.error.desc));
  }
}
