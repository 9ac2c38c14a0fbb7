/** How relayctl, relaygate-server and relaygate-flash explain a wrong command line. */
import type { ErrorCode } from './errors';
import { oneLine } from './plain-text';

/** The error with which commander ends the parsing. */
interface ParseEnd {
  code: string;
  message: string;
}

/** Of commander's `Command`: where a command line has its commands. */
interface CommandTree {
  name(): string;
  readonly commands: readonly CommandTree[];
  /** `required`: it takes a value. */
  readonly options: readonly { required: boolean; long?: string | undefined; short?: string | undefined }[];
}

/** Commander's code if it has printed the help instead of an error. */
const HELP_INSTEAD = 'commander.help';
const UNKNOWN_JSON = "error: unknown option '--json'";

/** The fault of a command line, in one line. `words`: the words after the program's name. */
export function usageProblem(program: CommandTree, { code, message }: ParseEnd, words: readonly string[]): string {
  if (message.startsWith(UNKNOWN_JSON) && commandsIn(program, words).length > 0) return whereJsonGoes(program, words);
  if (code !== HELP_INSTEAD && !message.startsWith(UNKNOWN_JSON)) return withoutPrefix(message);
  const asked = words[words.indexOf('help') + 1];
  const what =
    words.includes('help') && asked !== undefined && !asked.startsWith('-')
      ? `unknown command '${asked}'`
      : 'a command is missing';
  return `${what}; "${program.name()} --help" lists them`;
}

/** `--json` is an option of commands, not of the program or a group of commands. */
function whereJsonGoes(program: CommandTree, words: readonly string[]): string {
  const before = commandsIn(program, words.slice(0, words.indexOf('--json')));
  return before.length === 0
    ? `--json goes behind the command: "${program.name()} COMMAND --json"`
    : `unknown option '--json'; "${[program.name(), ...before].join(' ')} --help" shows what goes there`;
}

/** The command and its subcommand, without options, their values and arguments. */
function commandsIn(program: CommandTree, words: readonly string[]): string[] {
  const names: string[] = [];
  let at = program;
  let isValue = false;
  for (const word of words) {
    const next = isValue ? undefined : at.commands.find((command) => command.name() === word);
    if (next) names.push(word);
    at = next ?? at;
    isValue = at.options.some(({ required, long, short }) => required && [long, short].includes(word));
  }
  return names;
}

/** Commander's own sentence, without its prefix. */
function withoutPrefix(message: string): string {
  return oneLine(message)
    .replace(/^error: /, '')
    .replace(/^command-argument value /, '');
}

/** The line on stderr with `--json`. */
export function errorJson(code: ErrorCode, message: string): string {
  return JSON.stringify({ error: code, message });
}
