import type { Cause } from '../runtime/cause';

/** A serial port of the machine, as a port, so that the drivers can be played without one. */
export interface SerialSettings {
  /** Opened anew each time, so a link of /dev/serial/by-id finds its adapter wherever it is plugged in again. */
  path: string;
  /** Bits per second; 8 data bits and one stop bit. */
  baud: number;
  parity: 'none' | 'even' | 'odd';
}

export interface SerialListener {
  bytes(bytes: Uint8Array): void;
  /** The port is gone. Called at most once, and not after `close`. */
  gone(problem: Cause): void;
}

export interface SerialConnection {
  /** The first byte leaves after the call. Resolves when the system has taken all of them, rejects when it never will. */
  write(bytes: Uint8Array): Promise<void>;
  /** Drops what the system has not sent yet. Never rejects. */
  close(): Promise<void>;
}

/** Opens the port for this process alone and never waits for a carrier. Rejects with what is wrong, in words. */
export type OpenSerial = (settings: SerialSettings, listener: SerialListener) => Promise<SerialConnection>;
