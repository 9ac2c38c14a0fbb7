import { type Clock, CONSOLE_BAUD, type ConsoleSettings } from '@relaygate/shared';
import type { Log } from '../../program/log';
import { problemOf } from '../../program/problem';
import { SerialLink } from '../../serial/serial-link';
import type { OpenSerial } from '../../serial/serial-port';
import type { PinGate } from '../pin/pin-gate';
import { ConsoleAgent, type Performer } from './console-agent';
import { ConsoleOutput } from './console-output';
import { ConsoleSession } from './console-session';

export interface SerialConsolePorts {
  open: OpenSerial;
  clock: Clock;
  settings: ConsoleSettings;
  api: Performer;
  pin: Pick<PinGate, 'check' | 'id'>;
  log: Log;
  /** Its `problem` has come, gone or changed. */
  onChange(): void;
}

/** Asks for the PIN at one serial port, again and again. A port that goes takes its session with it. */
export class SerialConsole {
  readonly #ports: SerialConsolePorts;
  readonly #link: SerialLink;
  #session: ConsoleSession | null = null;
  #problem: string | null = null;

  constructor(ports: SerialConsolePorts) {
    this.#ports = ports;
    const { open, clock, settings } = ports;
    this.#link = new SerialLink({
      open,
      clock,
      settings: { path: settings.port, baud: settings.baud ?? CONSOLE_BAUD, parity: 'none' },
      bytes: (bytes) => this.#session?.bytes(bytes),
      // Nobody has to be there.
      greet: async () => {},
      up: () => this.#up(),
      down: (problem) => this.#down(problem),
    });
  }

  /** In a sentence; null: whoever plugs in a laptop is asked for the PIN. */
  get problem(): string | null {
    return this.#problem;
  }

  start(): void {
    void this.#link.start();
  }

  stop(): void {
    this.#endSession();
    void this.#link.stop();
  }

  #up(): void {
    const { connection } = this.#link;
    this.#set(null);
    if (connection) this.#begin(new ConsoleOutput(connection));
  }

  #down(problem: string): void {
    this.#endSession();
    this.#set(`The serial console at ${this.#ports.settings.port} is away: ${problem}.`);
  }

  #begin(output: ConsoleOutput): void {
    const { clock, api, pin, settings, log } = this.#ports;
    const session = new ConsoleSession({
      clock,
      agent: new ConsoleAgent(api),
      pin,
      language: settings.language ?? 'fr',
      write: (text) => output.write(text),
      over: (problem) => {
        if (problem !== null) log.warn(`the serial console failed: ${problemOf(problem)}`);
        if (session === this.#session) this.#begin(output);
      },
    });
    this.#session = session;
    session.begin();
  }

  #endSession(): void {
    this.#session?.end();
    this.#session = null;
  }

  #set(problem: string | null): void {
    const { log, settings, onChange } = this.#ports;
    if (problem === null) log.info(`the serial console is at ${settings.port}`);
    if (problem === this.#problem) return;
    this.#problem = problem;
    if (problem !== null) log.warn(problem);
    onChange();
  }
}
