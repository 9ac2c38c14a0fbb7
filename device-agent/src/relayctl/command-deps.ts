import type { Command } from 'commander';
import type { ActionName, Reply, Request } from '../agent/technician/local-messages/local-actions';
import type { RelayctlWords } from '../locales/relayctl';

/** What a family of relayctl's commands works with. */
export interface CommandDeps {
  /** Makes a command with the options that all have. */
  command(parent: Command, name: string, description: string): Command;
  /** Asks the agent one thing that changes nothing; `own`: the options of the command. */
  ask<Name extends ActionName>(own: object, type: Name, body: Request<Name>): Promise<Reply<Name>>;
  /** Has the agent change something, soon or never, in the name of whoever is at the terminal. */
  change<Name extends ActionName>(own: object, type: Name, body: Request<Name>): Promise<Reply<Name>>;
  /** Prints the value as one line of JSON, or as text in the reader's language. */
  print<Value>(value: Value, show: (value: Value, words: RelayctlWords) => string): void;
  /** In the reader's language; with --json in English. */
  words: RelayctlWords;
  /** Resolves after that time. */
  pause(delayMs: number): Promise<void>;
}
