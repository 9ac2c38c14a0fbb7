/** How relayctl, relaygate-server and relaygate-flash explain a wrong command line. */
import type { ErrorCode } from './errors';
import { oneLine } from './plain-text';

/** The error with which commander ends the parsing. */
interface ParseEnd {
  code: string;
  message: string;
}

/** Commander's code if it has printed the help instead of an error. */
const HELP_INSTEAD = 'commander.help';
const UNKNOWN_JSON = "error: unknown option '--json'";

/** The fault of a command line, in one line. `words`: the words after the program's name. */
export function usageProblem(program: string, { code, message }: ParseEnd, words: readonly string[]): string {
  if (message.startsWith(UNKNOWN_JSON) && words.some((word) => !word.startsWith('-')))
    return whereJsonGoes(program, words);
  if (code !== HELP_INSTEAD && !message.startsWith(UNKNOWN_JSON)) return usageWords(message);
  const asked = words[words.indexOf('help') + 1];
  const what =
    words.includes('help') && asked !== undefined && !asked.startsWith('-')
      ? `unknown command '${asked}'`
      : 'a command is missing';
  return `${what}; "${program} --help" lists them`;
}

/** `--json` is an option of commands, not of the program or a group of commands. */
function whereJsonGoes(program: string, words: readonly string[]): string {
  const before = words.slice(0, words.indexOf('--json')).filter((word) => !word.startsWith('-'));
  return before.length === 0
    ? `--json goes behind the command: "${program} COMMAND --json"`
    : `unknown option '--json'; "${[program, ...before].join(' ')} --help" shows what goes there`;
}

/** Commander's own sentence, without its prefix. */
function usageWords(message: string): string {
  return oneLine(message)
    .replace(/^error: /, '')
    .replace(/^command-argument value /, '');
}

/** The line on stderr with `--json`. */
export function errorJson(code: ErrorCode, message: string): string {
  return JSON.stringify({ error: code, message });
}
