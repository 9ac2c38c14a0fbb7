import type { ErrorCode } from '@relaygate/shared';
import { RelaygateError } from '@relaygate/shared/errors';
import { Argument, Command, CommanderError } from 'commander';
import type { DeviceStatus, IdentityReply } from '../agent/local-messages/device';
import type { NewPinReply } from '../agent/local-messages/history';
import type { CommandReply, OutputReply } from '../agent/local-messages/outputs';
import { foldersOf } from '../program/folders';
import { oneLine } from '../program/one-line';
import { problemOf } from '../program/problem';
import { VERSION } from '../program/version';
import { type AgentPorts, askAgent } from './ask-agent';
import { type CommandFamily, type FamilyOutside, type FamilyPorts, familiesFor } from './command-family';
import { EXIT, exitCodeOf } from './exit-codes';
import { numOutputArgument, type OutputChangeOptions, outputChangeOf, withOutputOptions } from './output-options';
import { showCommand, showIdentity, showNewPin, showOutput } from './show';
import { showStatus } from './show-status';

export interface RelayctlPorts extends AgentPorts, FamilyOutside {
  print(text: string): void;
  complain(text: string): void;
  /** The name of the person at the terminal, as the system has it. */
  userName: string;
  /** RELAYGATE_DEVICE_RUN_DIR. */
  runDir: string | undefined;
  /** The commands beyond the few that are always there. */
  families: readonly CommandFamily[];
}

interface CommonOptions {
  run?: string | undefined;
  json?: boolean;
}

interface IdentityOptions extends CommonOptions {
  newPin?: true;
}

interface OutputOptions extends CommonOptions, OutputChangeOptions {
  force?: boolean;
}

const EXIT_CODES = `
Exit codes:
  ${EXIT.done}  done
  ${EXIT.failed}  anything else went wrong
  ${EXIT.usage}  wrong usage, value out of range, no such output
  ${EXIT.agentUnreachable}  the agent cannot be reached
  ${EXIT.guardUnreachable}  the guard cannot be reached
  ${EXIT.refused}  the device refused; nothing more will happen
  ${EXIT.unproven}  done as far as the device knows, and not proven; look before trying again`;

/** Runs one command line; resolves with the exit code. Complains in one line, of JSON with --json. */
export async function relayctl(argv: string[], ports: RelayctlPorts): Promise<number> {
  const isJson = argv.includes('--json');
  let exitCode: number = EXIT.done;
  const program = programOf(argv, ports, isJson, (code) => {
    exitCode = code;
  });
  const complain = (code: ErrorCode, message: string): void =>
    ports.complain(isJson ? JSON.stringify({ error: code, message }) : `relayctl: ${code}: ${message}`);
  try {
    await program.parseAsync(argv);
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has already said what is wrong, or printed the help; with --json it was kept quiet.
      if (isJson && error.exitCode !== 0) complain('bad-usage', oneLine(error.message));
      return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    }
    complain(errorCodeOf(error), oneLine(problemOf(error)));
    return exitCodeOf(errorCodeOf(error));
  }
}

function programOf(
  argv: readonly string[],
  ports: RelayctlPorts,
  isJson: boolean,
  endWith: (exitCode: number) => void,
): Command {
  const actor = `relayctl as ${ports.userName}`;
  const program = withCommonOptions(new Command('relayctl'))
    .description('Looks at this device and moves its outputs, through the running agent.')
    .version(VERSION)
    .exitOverride()
    .configureOutput({
      writeErr: (text) => (isJson ? undefined : ports.complain(text.trimEnd())),
      outputError: (text, write) => write(oneLine(text)),
    })
    .addHelpText('after', EXIT_CODES);

  // Both `relayctl --run DIR status` and `relayctl status --run DIR`. Inherits exitOverride and configureOutput.
  const subcommand = (parent: Command, name: string, description: string): Command =>
    withCommonOptions(parent.command(name)).description(description).allowExcessArguments(false);
  const command = (name: string, description: string): Command => subcommand(program, name, description);

  const runOf = (own: CommonOptions): string | undefined =>
    ({ run: ports.runDir, ...program.opts<CommonOptions>(), ...own }).run;

  async function answerOf<Reply>(own: CommonOptions, type: string, body: object): Promise<Reply> {
    const { agentSocket } = foldersOf({ data: '', run: runOf(own) });
    const text = JSON.stringify(await askAgent(ports, agentSocket, type, body));
    // The agent has built the answer from these very types; a validator would cost relayctl its fast start.
    return JSON.parse(text);
  }
  const print = <Value>(value: Value, show: (value: Value) => string): void =>
    ports.print(isJson ? JSON.stringify(value) : show(value));

  async function ask<Reply>(own: CommonOptions, type: string, body: object, show: (reply: Reply) => string) {
    print(await answerOf<Reply>(own, type, body), show);
  }

  command('status', 'link, guard, outputs, locks, the last commands and faults').action((options: CommonOptions) =>
    ask<DeviceStatus>(options, 'status', {}, showStatus),
  );
  command('set', 'switches an output; an impulse output pulses on "on"')
    .addArgument(numOutputArgument())
    .addArgument(new Argument('<state>', 'on or off').choices(['on', 'off']))
    .action((numOutput: number, state: string, options: CommonOptions) =>
      ask<CommandReply>(options, 'set', { numOutput, state: state === 'on' ? 1 : 0, actor }, showCommand),
    );
  command('pulse', 'pulses an impulse output once')
    .addArgument(numOutputArgument())
    .action((numOutput: number, options: CommonOptions) =>
      ask<CommandReply>(options, 'pulse', { numOutput, actor }, showCommand),
    );
  withOutputOptions(command('output', "shows or changes an output's settings"))
    .addArgument(numOutputArgument())
    .option('--force', 'mode, polarity and interlock of an active output: switch it off first')
    .action((numOutput: number, options: OutputOptions) => {
      const body = { numOutput, change: outputChangeOf(options), force: options.force ?? false, actor };
      return ask<OutputReply>(options, 'output', body, showOutput);
    });
  command('identity', 'who this device is to the server')
    .option('--new-pin', 'makes a new PIN for the serial console and the web page, and shows it this once')
    .action((options: IdentityOptions) =>
      options.newPin
        ? ask<NewPinReply>(options, 'new-pin', { actor }, showNewPin)
        : ask<IdentityReply>(options, 'identity', {}, showIdentity),
    );
  const { boards, serialPorts, examine, terminal, dataDir } = ports;
  const familyPorts: FamilyPorts = {
    command: subcommand,
    ask: answerOf,
    print,
    pause: (delayMs) => new Promise((resolve) => void ports.clock.after(delayMs, resolve)),
    actor,
    boards,
    serialPorts,
    examine,
    terminal,
    dataDir,
    runOf,
    endWith,
  };
  const isThere = (name: string): boolean => program.commands.some((known) => known.name() === name);
  for (const { load } of familiesFor(argv.slice(2), ports.families, isThere)) load()(program, familyPorts);
  return program;
}

function withCommonOptions(command: Command): Command {
  return command
    .option('--run <dir>', 'folder of agent.sock (else RELAYGATE_DEVICE_RUN_DIR, else /run/relaygate-agent)')
    .option('--json', 'print one line of JSON');
}

function errorCodeOf(error: unknown): ErrorCode {
  return error instanceof RelaygateError ? error.code : 'unknown';
}
