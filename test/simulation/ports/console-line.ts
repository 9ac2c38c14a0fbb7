import type { OpenSerial, SerialListener } from '@relaygate/device-agent/serial/serial-port';
import type { Incarnation, PortTiming } from '../machines/incarnation';
import type { Scheduler } from '../scheduler';

/** As the settings name it. */
export const CONSOLE_PORT = '/dev/ttyUSB0';
const TIMING: PortTiming = { beforeMs: 1, afterMs: 0.1 };
/** Of what is typed. */
const WAY_MS = 2;
/** Whoever reads nothing new for so long turns away. */
const PATIENCE_MS = 4_000;

interface Opened {
  readonly life: Incarnation;
  readonly listener: SerialListener;
  readonly fromMs: number;
}

interface Reader {
  readonly until: RegExp;
  resolve(text: string): void;
}

/** The serial port of one machine, with a terminal at its other end. */
export class ConsoleLine {
  readonly #scheduler: Scheduler;
  #opened: Opened | null = null;
  /** Since somebody has typed. */
  #shown = '';
  #reader: Reader | null = null;
  /** Somebody sits at the terminal. */
  isTaken = false;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  /** The agent that has the port open; null: none. */
  get agent(): Pick<Opened, 'life' | 'fromMs'> | null {
    return this.#opened?.life.isAlive ? this.#opened : null;
  }

  open(life: Incarnation, fromMs: number): OpenSerial {
    return (_settings, listener) =>
      life.call(
        () => TIMING,
        () => {
          this.#opened = { life, listener, fromMs };
          return {
            write: (bytes) =>
              life.call(
                () => TIMING,
                () => this.#show(new TextDecoder().decode(bytes)),
              ),
            close: async () => {},
          };
        },
      );
  }

  /** Types a line, and resolves with what is shown behind it up to this; null: it never is. */
  type(line: string, until: RegExp): Promise<string | null> {
    const opened = this.#opened;
    if (!opened) return Promise.resolve(null);
    this.#shown = '';
    this.#scheduler.in(WAY_MS, () =>
      opened.life.deliver(() => opened.listener.bytes(new TextEncoder().encode(`${line}\r`))),
    );
    return new Promise((resolve) => {
      const cancel = this.#scheduler.in(PATIENCE_MS, () => {
        this.#reader = null;
        resolve(null);
      });
      this.#reader = {
        until,
        resolve: (text) => {
          cancel();
          resolve(text);
        },
      };
    });
  }

  #show(text: string): void {
    this.#shown += text;
    const reader = this.#reader;
    if (!reader?.until.test(this.#shown)) return;
    this.#reader = null;
    reader.resolve(this.#shown);
  }
}
