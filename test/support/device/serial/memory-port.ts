import type { OpenSerial, SerialListener } from '@relaygate/device-agent/serial/serial-port';
import type { Clock } from '@relaygate/shared';

/** A serial port in memory, whose board is a function: what no pseudo-terminal can be made to do. */
export class MemoryPort {
  readonly #clock: Clock;
  #listener: SerialListener | null = null;
  /** When it was opened. */
  readonly opened: number[] = [];
  closed = 0;
  /** Each frame in hex, and when its writing began. */
  readonly written: { frame: string; atMs: number }[] = [];
  isThere = true;
  /** How long opening and closing it takes. */
  opens: () => Promise<void> = () => Promise.resolve();
  closes: () => Promise<void> = () => Promise.resolve();
  /** How the system takes what is written. */
  takes: () => Promise<void> = () => Promise.resolve();
  /** How long a byte takes on the wire, in ms, there and back. */
  byteMs = 0;
  /** What the board answers, at once. */
  answers: (frame: Uint8Array) => Uint8Array = () => new Uint8Array();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get frames(): string[] {
    return this.written.map(({ frame }) => frame);
  }

  readonly open: OpenSerial = async (_settings, listener) => {
    this.opened.push(this.#clock.nowMs());
    await this.opens();
    if (!this.isThere) throw new Error('it is not there');
    this.#listener = listener;
    return {
      write: (bytes) => {
        this.written.push({ frame: Buffer.from(bytes).toString('hex'), atMs: this.#clock.nowMs() });
        const answer = this.answers(bytes);
        if (answer.length > 0)
          this.#clock.after(1 + (bytes.length + answer.length) * this.byteMs, () => listener.bytes(answer));
        return this.takes();
      },
      close: async () => {
        this.closed += 1;
        await this.closes();
      },
    };
  };

  say(bytes: Uint8Array): void {
    this.#listener?.bytes(bytes);
  }

  unplug(): void {
    this.#listener?.gone('it was unplugged');
  }

  /** A byte every `everyMs`, for good. */
  noise(everyMs: number): void {
    this.say(Uint8Array.of(0x7e));
    this.#clock.after(everyMs, () => this.noise(everyMs));
  }
}
