import type { Command } from 'commander';

/** What a family of relayctl's commands works with. */
export interface CommandDeps {
  /** Makes a command with the options that all have. */
  command(parent: Command, name: string, description: string): Command;
  /** Asks the agent one thing that changes nothing; `own`: the options of the command. */
  ask<Reply>(own: object, type: string, body: object): Promise<Reply>;
  /** Has the agent change something, soon or never, in the name of whoever is at the terminal. */
  change<Reply>(own: object, type: string, body: object): Promise<Reply>;
  /** Prints the value as one line of JSON, or as text. */
  print<Value>(value: Value, show: (value: Value) => string): void;
  /** Resolves after that time. */
  pause(delayMs: number): Promise<void>;
}
