import type { OpenSerial, SerialListener } from '@relaygate/device-agent/serial/serial-port';

/** A serial port with a terminal program at its other end, in memory. */
export class Terminal {
  /** All that was shown so far. */
  screen = '';
  isPlugged = true;
  /** It takes nothing any more: a write neither works nor fails. */
  isStuck = false;
  openings = 0;
  #listener: SerialListener | null = null;

  readonly open: OpenSerial = async (_settings, listener) => {
    if (!this.isPlugged) throw new Error('it is not there');
    this.openings += 1;
    this.#listener = listener;
    return {
      write: async (bytes) => {
        if (this.isStuck) return new Promise<void>(() => {});
        this.screen += Buffer.from(bytes).toString();
      },
      close: async () => {
        this.#listener = null;
      },
    };
  };

  type(text: string | Uint8Array): void {
    this.#listener?.bytes(Buffer.from(text));
  }

  unplug(): void {
    this.isPlugged = false;
    const listener = this.#listener;
    this.#listener = null;
    listener?.gone('it was unplugged');
  }
}
