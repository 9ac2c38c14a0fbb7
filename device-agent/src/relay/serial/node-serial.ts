import { read } from 'node:fs';
import { promisify } from 'node:util';
import { RelaygateError } from '@relaygate/shared';
import type { LinuxPortBinding } from '@serialport/bindings-cpp';
import { codeOf, problemOf } from '../../program/problem';
import type { OpenSerial, SerialConnection, SerialListener } from './serial-port';

const READ_BYTES = 256;
const readSome = promisify(read);

/**
 * The machine's own serial ports: serialport's bindings open them, set them up and wait for bytes. They are read here, for
 * serialport's own reading never ends once an adapter is unplugged (serialport/bindings-cpp#162: it takes "end of file"
 * for "nothing yet", tries again at once, and grows). They are loaded here and not before. Throws `board-unusable`
 * when it cannot be loaded: its binary is part of the package.
 */
export function nodeSerial(): OpenSerial {
  const binding = loadBinding();
  return async ({ path, baud, parity }, listener) => {
    let port: LinuxPortBinding;
    try {
      // For this process alone: opening locks it.
      port = await binding.open({ path, baudRate: baud, parity, dataBits: 8, stopBits: 1 });
    } catch (error) {
      throw new Error(reasonOf(problemOf(error)), { cause: error });
    }
    return new NodeSerial(port, listener);
  };
}

class NodeSerial implements SerialConnection {
  readonly #port: LinuxPortBinding;
  #isOver = false;

  constructor(port: LinuxPortBinding, listener: SerialListener) {
    this.#port = port;
    void this.#read(listener);
  }

  async write(bytes: Uint8Array): Promise<void> {
    await this.#port.write(Buffer.from(bytes));
  }

  async close(): Promise<void> {
    this.#isOver = true;
    try {
      // The kernel holds a closing port back for up to 30 s while it still has bytes to send.
      await this.#port.flush();
    } catch {
      // An unplugged one has nothing any more.
    }
    try {
      await this.#port.close();
    } catch {
      // What cannot be closed is closed already.
    }
  }

  async #read(listener: SerialListener): Promise<void> {
    const buffer = Buffer.alloc(READ_BYTES);
    while (!this.#isOver) {
      let problem: string | null = null;
      try {
        const { bytesRead } = await readSome(this.#port.fd ?? -1, buffer, 0, READ_BYTES, null);
        if (bytesRead > 0 && !this.#isOver) listener.bytes(Uint8Array.from(buffer.subarray(0, bytesRead)));
        if (bytesRead === 0) problem = 'it was unplugged';
      } catch (error) {
        if (codeOf(error) === 'EAGAIN') problem = await this.#readable();
        else if (codeOf(error) !== 'EINTR') problem = 'it was unplugged';
      }
      if (problem === null || this.#isOver) continue;
      this.#isOver = true;
      listener.gone(problem);
    }
  }

  /** Resolves with null when there may be bytes, and with what is wrong when there never will. */
  async #readable(): Promise<string | null> {
    // A closed port's poller is freed memory.
    if (this.#isOver) return null;
    return new Promise((resolve) => {
      this.#port.poller.once('readable', (error) => resolve(error ? 'it was unplugged' : null));
    });
  }
}

/** serialport gives the system's words, and no code. */
function reasonOf(problem: string): string {
  if (/no such (file|device)/i.test(problem)) return 'it is not there';
  if (/cannot lock|busy/i.test(problem)) return 'another program has it open';
  if (/permission denied/i.test(problem)) return 'it is not for this user: let the guard run in the group dialout';
  return problem;
}

function loadBinding(): typeof import('@serialport/bindings-cpp').LinuxBinding {
  try {
    // biome-ignore lint/style/noRestrictedGlobals: loaded where it is needed only.
    const { LinuxBinding }: typeof import('@serialport/bindings-cpp') = require('@serialport/bindings-cpp');
    return LinuxBinding;
  } catch (error) {
    throw new RelaygateError(
      'board-unusable',
      `Serial boards need the package @serialport/bindings-cpp, which does not load (${problemOf(error)}): run "npm rebuild".`,
      { cause: error },
    );
  }
}
