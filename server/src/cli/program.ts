import { type ErrorCode, oneLine, plainText, RelaygateError } from '@relaygate/shared';
import { errorJson, usageProblem } from '@relaygate/shared/command-line';
import { OutputFailed, watchOutput } from '@relaygate/shared/failed-output';
import { systemRandomness, systemWallClock } from '@relaygate/shared/system';
import { Command, CommanderError } from 'commander';
import { messageOf } from '../foreign-error';
import { refuseUnsafeListen, SETTINGS } from '../settings';
import { VERSION } from '../version';
import { addAssociationCommands } from './association-commands';
import { addAuditCommands } from './audit-commands';
import type { CliDeps, ServerAccess } from './cli-deps';
import { addClientCommands } from './client-commands';
import { addCopyCommands } from './copy-commands';
import { addMigrateCommand } from './migrate-command';
import { settingsOf, withSettings } from './operator-command';
import { addOutputCommands } from './output-commands';
import { addProductCommands } from './product-commands';
import { systemUser } from './system-user';

const PROGRAM = 'relaygate-server';
const FAILED = 1;
const WRONG_USAGE = 2;

/** Runs a command line (`process.argv`) and resolves with the exit code. Prints an error as one line on stderr, as JSON with --json. */
export async function runCli(argv: readonly string[], server: ServerAccess): Promise<number> {
  const words = argv.slice(2);
  const isJson = words.includes('--json');
  const exit = { code: 0, writeFailed: false };
  const write = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      process.stdout.write(plainText(text), (error) => {
        if (!error) return resolve();
        // The caller reports it with its consequences, so the stream's own event, which follows, is not reported.
        exit.writeFailed = true;
        reject(new OutputFailed(error));
      });
    });
  const deps: CliDeps = {
    ...server,
    env: process.env,
    systemUser: () => systemUser(process.env),
    print: (text) =>
      write(`${text}\n`).catch((error) => {
        if (!(error instanceof OutputFailed && error.closedByReader)) throw error;
      }),
    write,
    printError: (text) => console.error(plainText(text)),
    randomness: systemRandomness,
    wallClock: systemWallClock,
  };
  const printFault = (code: ErrorCode, message: string): void =>
    deps.printError(isJson ? errorJson(code, oneLine(message)) : lineOf(code, message));
  const reportFailedOutput = (failed: OutputFailed): void => {
    // In `relaygate-server product list | head -1` the reader closes the pipe, which is no failure.
    if (failed.closedByReader || exit.code !== 0) return;
    printFault('unknown', failed.message);
    exit.code = FAILED;
    // The help may be known to be lost only when this function has returned.
    process.exitCode = FAILED;
  };
  watchOutput((failed) => {
    if (!exit.writeFailed) reportFailedOutput(failed);
  });
  const program = buildProgram(deps, exit, { isJson, reportFailedOutput });
  try {
    await program.parseAsync([...argv]);
    return exit.code;
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return exit.code;
      printFault('bad-usage', usageProblem(program, error, words));
      return WRONG_USAGE;
    }
    if (error instanceof OutputFailed) {
      reportFailedOutput(error);
      return exit.code;
    }
    exit.code = FAILED;
    const code = error instanceof RelaygateError ? error.code : 'unknown';
    printFault(code, messageOf(error));
    return FAILED;
  }
}

/** Only `start` sets `exit.code`. */
function buildProgram(
  deps: CliDeps,
  exit: { code: number },
  { isJson, reportFailedOutput }: { isJson: boolean; reportFailedOutput(failed: OutputFailed): void },
): Command {
  const program = new Command(PROGRAM)
    .description('Companion server of Relaygate devices, and the commands of its operator.')
    .version(VERSION, '--version', 'print the version of this program')
    .exitOverride()
    .showSuggestionAfterError(false)
    .configureOutput({
      writeOut: (text) => void deps.print(text.trimEnd()).catch(reportFailedOutput),
      // Commander prints the help before an error. With --json only the error is printed.
      writeErr: (text) => (isJson ? undefined : deps.printError(text.trimEnd())),
      outputError: () => {},
    });
  addStart(program, deps, exit);
  addClientCommands(program, deps);
  addProductCommands(program, deps);
  addOutputCommands(program, deps);
  addAssociationCommands(program, deps);
  addAuditCommands(program, deps);
  addCopyCommands(program, deps);
  addMigrateCommand(program, deps);
  return program;
}

function addStart(program: Command, deps: CliDeps, exit: { code: number }): void {
  const start = program.command('start').description('run the server until SIGTERM or SIGINT');
  withSettings(start, 'RELAYGATE_DATA_DIR=/var/lib/relaygate-server relaygate-server start')
    .addHelpText('after', () => `\nSettings, from the environment or as members of the file:\n${settingsHelp()}`)
    .action(async (options) => {
      const settings = settingsOf(deps, options);
      refuseUnsafeListen(settings);
      exit.code = await deps.start(settings);
    });
}

function settingsHelp(): string {
  return SETTINGS.map(({ name, variable, description, default: preset }) => {
    const otherwise = preset === undefined ? '' : ` (default ${preset})`;
    return `  ${variable}, ${name}\n      ${description}${otherwise}`;
  }).join('\n');
}

function lineOf(code: ErrorCode, message: string): string {
  return `${PROGRAM}: ${oneLine(message)} (${code})`;
}
