/** The command lines that people type: what goes wrong is one line, with --json one of JSON. */
import type { ErrorCode } from '@relaygate/shared';
import { errorJson, usageProblem } from '@relaygate/shared/command-line';
import { oneLine } from '@relaygate/shared/plain-text';
import { RelaygateError } from '@relaygate/shared/relaygate-error';
import { Command, CommanderError } from 'commander';
import { problemOf } from './problem';

export function complaint(program: string, argv: readonly string[], code: ErrorCode, message: string): string {
  return argv.includes('--json') ? errorJson(code, message) : `${program}: ${code}: ${message}`;
}

/** A program for `runCommandLine`, which says what is wrong. */
export function commandLine(name: string, argv: readonly string[], complain: (text: string) => void): Command {
  return new Command(name).exitOverride().configureOutput({
    // Help that nobody asked for: the error follows it, or with --json stands alone.
    writeErr: (text) => (argv.includes('--json') ? undefined : complain(text.trimEnd())),
    outputError: () => {},
  });
}

/** Runs the program, and complains if something goes wrong. Resolves with the error's code; null: nothing went wrong. */
export async function runCommandLine(
  program: Command,
  argv: readonly string[],
  complain: (text: string) => void,
  textOf: (error: unknown) => string = problemOf,
): Promise<ErrorCode | null> {
  try {
    await program.parseAsync(argv);
    return null;
  } catch (error) {
    const isEnd = error instanceof CommanderError;
    if (isEnd && error.exitCode === 0) return null;
    const code = isEnd ? 'bad-usage' : error instanceof RelaygateError ? error.code : 'unknown';
    const message = isEnd ? usageProblem(program, error, argv.slice(2)) : oneLine(textOf(error));
    complain(complaint(program.name(), argv, code, message));
    return code;
  }
}
