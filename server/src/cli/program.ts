import { plainText, RelaygateError } from '@relaygate/shared';
import { systemRandomness, systemWallClock } from '@relaygate/shared/system';
import { Command, CommanderError } from 'commander';
import { refuseUnsafeListen, SETTINGS } from '../settings';
import { VERSION } from '../version';
import { addAssociationCommands } from './association-commands';
import { addAuditCommands } from './audit-commands';
import { type CliParts, type CliPorts, OutputFailed } from './cli-parts';
import { addClientCommands } from './client-commands';
import { addCopyCommands } from './copy-commands';
import { settingsOf, withSettings } from './operator-command';
import { addOutputCommands } from './output-commands';
import { addProductCommands } from './product-commands';
import { systemUser } from './system-user';

const PROGRAM = 'relaygate-server';
const FAILED = 1;
const WRONG_USAGE = 2;

/** Runs one command line (`process.argv`) and resolves with the exit code. Errors become one line on stderr. */
export async function runCli(argv: readonly string[], ports: CliPorts): Promise<number> {
  const exit = { code: 0, writeFailed: false };
  const parts: CliParts = {
    ...ports,
    env: process.env,
    systemUser: () => systemUser(process.env),
    print: (text) => console.log(plainText(text)),
    write: (text) =>
      new Promise((resolve, reject) => {
        process.stdout.write(plainText(text), (error) => {
          if (!error) return resolve();
          // Who writes so tells of it, with what it means; the stream's own event comes after this.
          exit.writeFailed = true;
          reject(new OutputFailed(error));
        });
      }),
    printError: (text) => console.error(plainText(text)),
    randomness: systemRandomness,
    wallClock: systemWallClock,
  };
  const tellFailedOutput = (failed: OutputFailed): void => {
    // `relaygate-server product list | head -1` is no failure; a full disk under a key that is shown once is.
    if (failed.closedByReader || exit.code !== 0) return;
    parts.printError(lineOf(failed.message, 'unknown'));
    exit.code = FAILED;
  };
  process.stdout.on('error', (error) => {
    if (!exit.writeFailed) tellFailedOutput(new OutputFailed(error));
  });
  try {
    await buildProgram(parts, exit).parseAsync([...argv]);
    return exit.code;
  } catch (error) {
    // Commander has printed its help or its line already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE;
    if (error instanceof OutputFailed) {
      tellFailedOutput(error);
      return exit.code;
    }
    exit.code = FAILED;
    const code = error instanceof RelaygateError ? error.code : 'unknown';
    parts.printError(lineOf(error instanceof Error ? error.message : String(error), code));
    return FAILED;
  }
}

/** `exit.code` is set by `start`, the one command that ends with a code of its own. */
function buildProgram(parts: CliParts, exit: { code: number }): Command {
  const program = new Command(PROGRAM)
    .description('Companion server of Relaygate devices, and the commands of its operator.')
    .version(VERSION, '--version', 'print the version of this program')
    .exitOverride()
    .showSuggestionAfterError(false)
    .configureOutput({
      writeOut: (text) => parts.print(text.trimEnd()),
      writeErr: (text) => parts.printError(text.trimEnd()),
      outputError: (text, write) => write(lineOf(text.replace(/^error: /, ''), 'bad-usage')),
    });
  addStart(program, parts, exit);
  addClientCommands(program, parts);
  addProductCommands(program, parts);
  addOutputCommands(program, parts);
  addAssociationCommands(program, parts);
  addAuditCommands(program, parts);
  addCopyCommands(program, parts);
  return program;
}

function addStart(program: Command, parts: CliParts, exit: { code: number }): void {
  const start = program.command('start').description('run the server until SIGTERM or SIGINT');
  withSettings(start, 'RELAYGATE_DATA_DIR=/var/lib/relaygate relaygate-server start')
    .addHelpText('after', () => `\nSettings, from the environment or as members of the file:\n${settingsHelp()}`)
    .action(async (options) => {
      const settings = settingsOf(parts, options);
      refuseUnsafeListen(settings);
      exit.code = await parts.start(settings);
    });
}

function settingsHelp(): string {
  return SETTINGS.map(({ name, variable, description, default: preset }) => {
    const otherwise = preset === undefined ? '' : ` (default ${preset})`;
    return `  ${variable}, ${name}\n      ${description}${otherwise}`;
  }).join('\n');
}

function lineOf(message: string, code: string): string {
  const lines = message.split('\n').map((line) => line.trim());
  return `${PROGRAM}: ${lines.filter((line) => line !== '').join(' ')} (${code})`;
}
