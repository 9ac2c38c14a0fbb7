import type { SerialPort } from 'serialport';
import { boardRefused } from '../runtime/board-refused';
import { cause, causeOf, failure } from '../runtime/problem';
import type { OpenSerial, SerialConnection, SerialListener } from '../serial/serial-port';
import { noticingUnplug } from './unplugged-read';

/** Answers are a few bytes (I15). */
const BUFFER_BYTES = 256;

/**
 * The machine's own serial ports, through serialport. It is loaded here and not before. Throws `board-unusable` when it
 * cannot be: its binary is part of the package.
 */
export function nodeSerial(): OpenSerial {
  const { Port, binding } = loadSerialport();
  return ({ path, baud, parity }, listener) => {
    // For this process alone: opening locks it.
    const framing = { baudRate: baud, parity, dataBits: 8, stopBits: 1 } as const;
    const options = { binding, path, ...framing, autoOpen: false, highWaterMark: BUFFER_BYTES };
    const port = new Port(options);
    return new Promise((resolve, reject) => {
      port.open((error) => {
        if (error) reject(failureOf(error));
        else resolve(new NodeSerial(port, listener));
      });
    });
  };
}

class NodeSerial implements SerialConnection {
  readonly #port: SerialPort;
  #isOver = false;

  constructor(port: SerialPort, listener: SerialListener) {
    this.#port = port;
    port.on('data', (bytes: Buffer) => {
      if (!this.#isOver) listener.bytes(bytes);
    });
    // Whatever fails, serialport closes the port and says so.
    port.on('error', () => {});
    port.on('close', () => {
      if (this.#isOver) return;
      this.#isOver = true;
      listener.gone(cause('unplugged', {}));
    });
  }

  write(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      // serialport would keep the bytes for the next opening.
      if (!this.#port.isOpen) return reject(failure('unplugged', {}));
      this.#port.write(Buffer.from(bytes), (error) => (error ? reject(error) : resolve()));
    });
  }

  async close(): Promise<void> {
    this.#isOver = true;
    // The kernel delays the close for up to 30 s while the port has bytes to send. An unplugged one has none.
    await new Promise<void>((resolve) => this.#port.flush(() => resolve()));
    // If it cannot be closed, it is closed already.
    await new Promise<void>((resolve) => this.#port.close(() => resolve()));
  }
}

/** serialport gives the system's words, and no code. */
function failureOf(cause: Error): Error {
  const { message } = cause;
  if (/no such (file|device)/i.test(message)) return failure('not-there', {}, { cause });
  if (/cannot lock|busy/i.test(message)) return failure('port-in-use', {}, { cause });
  if (/permission denied/i.test(message)) return failure('not-in-dialout', {}, { cause });
  return cause;
}

function loadSerialport() {
  try {
    const { SerialPort: Port }: typeof import('serialport') = require('serialport');
    const { LinuxBinding }: typeof import('@serialport/bindings-cpp') = require('@serialport/bindings-cpp');
    return { Port, binding: noticingUnplug(LinuxBinding) };
  } catch (error) {
    throw boardRefused('board-unusable', 'serialport-missing', { problem: causeOf(error) }, { cause: error });
  }
}
