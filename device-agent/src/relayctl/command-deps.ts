import type { BoardProfile, ConsoleLanguage } from '@relaygate/shared/device';
import type { Command } from 'commander';
import type { ActionName, Reply, Request } from '../agent/technician/local-messages/local-actions';
import type { doctor } from '../doctor/compose';
import type { RelayctlTranslations } from '../locales/relayctl';
import type { SerialPortFound } from './serial-ports';
import type { Terminal } from './terminal';

/** Loaded for `doctor` only: it needs every validator, and TLS. */
export type Examine = typeof doctor;

/** What commands need of the machine. */
export interface CommandMachine {
  terminal: Terminal;
  /** All profiles of a folder; undefined: those that come with the program. */
  boards(folder: string | undefined): BoardProfile[];
  /** The text of BOARD_CONFIG_FILE on the boot partition; null: it is not there, or nobody may read it. */
  boardConfig(): string | null;
  /** The serial adapters of this machine. */
  serialPorts(profiles: readonly BoardProfile[]): SerialPortFound[];
  examine: Examine;
  translationsIn(language: ConsoleLanguage): RelayctlTranslations;
  /** RELAYGATE_DEVICE_DATA_DIR. */
  dataDir: string | undefined;
}

/** What a family of relayctl's commands works with. */
export interface CommandDeps extends CommandMachine {
  /** Makes a command with the options that all have. */
  command(parent: Command, name: string, description: string): Command;
  /** Asks the agent one thing that changes nothing; `own`: the options of the command. */
  ask<Name extends ActionName>(own: object, type: Name, body: Request<Name>): Promise<Reply<Name>>;
  /** Has the agent change something, soon or never, in the name of whoever is at the terminal. */
  change<Name extends ActionName>(own: object, type: Name, body: Request<Name>): Promise<Reply<Name>>;
  /** Prints the value as one line of JSON, or as text in the reader's language. */
  print<Value>(value: Value, show: (value: Value, t: RelayctlTranslations) => string): void;
  /** In the reader's language; with --json in English. */
  t: RelayctlTranslations;
  /** Resolves after that time. */
  pause(delayMs: number): Promise<void>;
  /** The run folder that the command line, or else the environment, gives. */
  runOf(own: object): string | undefined;
  /** Ends relayctl with this exit code. */
  endWith(exitCode: number): void;
}
