import { Argument, type Command } from 'commander';
import type { ActionName, Reply, Request } from '../agent/technician/local-messages/local-actions';
import { DeviceRefusal } from '../ipc/device-refusal';
import type { RelayctlTranslations } from '../locales/relayctl';
import { commandLine, runCommandLine } from '../runtime/command-line';
import { foldersOf } from '../runtime/folders';
import { problemOf } from '../runtime/problem';
import { VERSION } from '../runtime/version';
import { askAgent, type ChangeDeps, requestChange } from './ask-agent';
import type { CommandDeps, CommandMachine } from './command-deps';
import { type CommandFamily, familiesFor } from './command-family';
import { EXIT, exitCodeOf } from './exit-codes';
import { numOutputArgument } from './numbers';
import { showCommand, showStop } from './show';
import { showStatus } from './show-status';

export interface RelayctlDeps extends ChangeDeps, CommandMachine {
  print(text: string): void;
  complain(text: string): void;
  /** The name of the person at the terminal, as the system has it. */
  userName: string;
  /** RELAYGATE_DEVICE_RUN_DIR. */
  runDir: string | undefined;
  /** The refusal in a language, whose sentences are loaded only then. */
  refusalIn(refusal: DeviceRefusal, language: RelayctlTranslations['language']): string;
  /** The commands beyond the few that are always there. */
  families: readonly CommandFamily[];
}

interface CommonOptions {
  run?: string | undefined;
  json?: boolean;
}

const EXIT_CODES = `
Exit codes:
  ${EXIT.done}  done
  ${EXIT.failed}  anything else went wrong
  ${EXIT.usage}  wrong usage, value out of range, no such output
  ${EXIT.agentUnreachable}  the agent cannot be reached
  ${EXIT.guardUnreachable}  the guard cannot be reached
  ${EXIT.refused}  the device refused; nothing more will happen
  ${EXIT.unproven}  done as far as the device knows, and not proven; look before trying again
  ${EXIT.unknown}  no answer: it may have happened; look before trying again`;

/** Runs one command line; resolves with the exit code. */
export async function relayctl(argv: string[], deps: RelayctlDeps): Promise<number> {
  let exitCode: number = EXIT.done;
  const program = programOf(argv, deps, (code) => {
    exitCode = code;
  });
  const error = await runCommandLine(program, argv, deps.complain, (reason) => errorText(reason, deps));
  return error === null ? exitCode : exitCodeOf(error);
}

function programOf(argv: readonly string[], deps: RelayctlDeps, endWith: (exitCode: number) => void): Command {
  const { t } = deps;
  const isJson = argv.includes('--json');
  const actor = `relayctl as ${deps.userName}`;
  const program = withCommonOptions(commandLine('relayctl', argv, deps.complain))
    .description('Looks at this device and moves its outputs, through the running agent.')
    .version(VERSION)
    .addHelpText('after', EXIT_CODES);

  // Both `relayctl --run DIR status` and `relayctl status --run DIR`. Inherits exitOverride and configureOutput.
  const subcommand = (parent: Command, name: string, description: string): Command =>
    withCommonOptions(parent.command(name)).description(description);
  const command = (name: string, description: string): Command => subcommand(program, name, description);

  const runOf = (own: CommonOptions): string | undefined =>
    ({ run: deps.runDir, ...program.opts<CommonOptions>(), ...own }).run;

  const socketOf = (own: CommonOptions): string => foldersOf({ data: '', run: runOf(own) }).agentSocket;
  // The agent has built the answer from these types; a validator would make relayctl start slower.
  const believed = <T>(reply: unknown): T => JSON.parse(JSON.stringify(reply));
  const ask: CommandDeps['ask'] = async (own, type, body) => believed(await askAgent(deps, socketOf(own), type, body));
  /** `askedMs`: when somebody asked for it; now, if it is absent. */
  const change = async <Name extends ActionName>(
    own: CommonOptions,
    type: Name,
    body: Request<Name>,
    askedMs?: number,
  ): Promise<Reply<Name>> => believed(await requestChange(deps, socketOf(own), type, { ...body, actor }, askedMs));
  const print: CommandDeps['print'] = (value, show) => deps.print(isJson ? JSON.stringify(value) : show(value, t));

  /** Names the pulse that ran at `askedMs`, so that a late request does not end the next pulse, which nobody has seen. */
  async function seen(own: CommonOptions, numOutput: number, askedMs: number) {
    const { outputs } = await ask(own, 'status', {});
    const { mode, pulseSinceMs } = outputs[numOutput] ?? {};
    const isSeen = pulseSinceMs !== undefined && pulseSinceMs <= askedMs;
    return { mode, pulseSinceMs: isSeen ? pulseSinceMs : null };
  }

  command('status', 'link, guard, outputs, locks, the last commands and faults').action(
    async (options: CommonOptions) => print(await ask(options, 'status', { language: t.language }), showStatus),
  );
  command('set', 'switches an output; an impulse output pulses on "on", and "off" ends its pulse')
    .addArgument(numOutputArgument())
    .addArgument(new Argument('<state>', 'on or off').choices(['on', 'off']))
    .action(async (numOutput: number, state: string, options: CommonOptions) => {
      if (state === 'on') return print(await change(options, 'set', { numOutput, state: 1 }), showCommand);
      const askedMs = deps.clock.nowMs();
      const { mode, pulseSinceMs } = await seen(options, numOutput, askedMs);
      const reply = await change(options, 'set', { numOutput, state: 0, pulseSinceMs }, askedMs);
      print(reply, mode === 'impulse' ? showStop : showCommand);
    });
  command('pulse', 'pulses an impulse output once')
    .addArgument(numOutputArgument())
    .action(async (numOutput: number, options: CommonOptions) =>
      print(await change(options, 'pulse', { numOutput }), showCommand),
    );
  command('stop', 'ends the pulse that runs, and drops what waits; a gate that moves goes on')
    .addArgument(numOutputArgument())
    .action(async (numOutput: number, options: CommonOptions) => {
      const askedMs = deps.clock.nowMs();
      const { pulseSinceMs } = await seen(options, numOutput, askedMs);
      print(await change(options, 'stop', { numOutput, pulseSinceMs }, askedMs), showStop);
    });
  const pause: CommandDeps['pause'] = (delayMs) => new Promise((resolve) => void deps.clock.after(delayMs, resolve));
  const commandDeps: CommandDeps = { ...deps, command: subcommand, ask, change, print, pause, runOf, endWith };
  const isThere = (name: string): boolean => program.commands.some((known) => known.name() === name);
  for (const { load } of familiesFor(argv.slice(2), deps.families, isThere)) load()(program, commandDeps);
  return program;
}

function withCommonOptions(command: Command): Command {
  return command
    .option('--run <dir>', 'folder of agent.sock (else RELAYGATE_DEVICE_RUN_DIR, else /run/relaygate-agent)')
    .option('--json', 'print one line of JSON');
}

function errorText(error: unknown, { refusalIn, t }: RelayctlDeps): string {
  return error instanceof DeviceRefusal ? refusalIn(error, t.language) : problemOf(error);
}
