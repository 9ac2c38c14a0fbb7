import { type Clock, CONSOLE_BAUD } from '@relaygate/shared';
import { type BoardSettings, type ConsoleSettings, consoleLinesProblem } from '@relaygate/shared/device';
import { settingsRefused } from '../../../files/settings-refused';
import type { Cause } from '../../../runtime/cause';
import { type Fault, fault } from '../../../runtime/fault';
import { FaultSlot } from '../../../runtime/fault-slot';
import type { Log } from '../../../runtime/log';
import { problemOf } from '../../../runtime/problem';
import { SerialLink } from '../../../serial/serial-link';
import type { OpenSerial } from '../../../serial/serial-port';
import type { PinGate } from '../pin/pin-gate';
import { ConsoleAgent, type Performer } from './console-agent';
import { consoleOutput } from './console-output';
import { ConsoleSession } from './console-session';

export interface SerialConsoleDeps {
  open: OpenSerial;
  clock: Clock;
  /** The port is not opened if it has lines of this board. */
  board: BoardSettings;
  settings: ConsoleSettings;
  api: Performer;
  pin: Pick<PinGate, 'check' | 'id'>;
  log: Log;
  /** Called when the console's fault has come, gone or changed. */
  onChange(): void;
}

/** Asks for the PIN at one serial port, again and again. If the port goes, its session ends. */
export class SerialConsole {
  readonly #deps: SerialConsoleDeps;
  readonly #link: SerialLink;
  #session: ConsoleSession | null = null;
  readonly #fault: FaultSlot;

  constructor(deps: SerialConsoleDeps) {
    this.#deps = deps;
    const { clock, settings, log } = deps;
    this.#fault = new FaultSlot(log, () => deps.onChange());
    this.#link = new SerialLink({
      open: (serial, listener) => this.#open(serial, listener),
      clock,
      settings: { path: settings.port, baud: settings.baud ?? CONSOLE_BAUD, parity: 'none' },
      bytes: (bytes) => this.#session?.bytes(bytes),
      // Nobody has to be there.
      greet: async () => {},
      up: () => this.#up(),
      down: (problem) => this.#down(problem),
    });
  }

  /** Empty while the port works: whoever plugs in a laptop is asked for the PIN. */
  get faults(): Fault[] {
    return this.#fault.list;
  }

  start(): void {
    void this.#link.start();
  }

  stop(): void {
    this.#endSession();
    void this.#link.stop();
  }

  /** I5: a relay at a line of the UART would follow what the console says. */
  async #open(...[serial, listener]: Parameters<OpenSerial>): ReturnType<OpenSerial> {
    const problem = consoleLinesProblem(this.#deps.board, serial.path);
    if (problem !== null) throw settingsRefused('bad-setting', 'port-unfit', { problem });
    return this.#deps.open(serial, listener);
  }

  #up(): void {
    const { connection } = this.#link;
    this.#deps.log.info(`the serial console is at ${this.#deps.settings.port}`);
    this.#fault.set(null);
    if (connection) this.#begin(consoleOutput(connection));
  }

  #down(problem: Cause): void {
    this.#endSession();
    this.#fault.set(fault('console-away', { port: this.#deps.settings.port, problem }));
  }

  #begin(write: (text: string) => void): void {
    const { clock, api, pin, settings, log } = this.#deps;
    const session = new ConsoleSession({
      clock,
      agent: new ConsoleAgent(api, clock),
      pin,
      language: settings.language ?? 'fr',
      write,
      over: (problem) => {
        if (problem !== null) log.warn(`the serial console failed: ${problemOf(problem)}`);
        if (session === this.#session) this.#begin(write);
      },
    });
    this.#session = session;
    session.begin();
  }

  #endSession(): void {
    this.#session?.end();
    this.#session = null;
  }
}
