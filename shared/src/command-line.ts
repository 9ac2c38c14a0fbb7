/** What relayctl, relaygate-server and relaygate-flash tell alike about a command line that did not work. */
import type { ErrorCode } from './errors';
import { oneLine } from './plain-text';

/** Of commander: what it ends the parsing with. */
interface ParseEnd {
  code: string;
  message: string;
}

/** Its own code where it has printed a help that nobody asked for. */
const HELP_INSTEAD = 'commander.help';
const UNKNOWN_JSON = "error: unknown option '--json'";

/** What is wrong with a command line, in one line. `words`: what was typed behind the program's name. */
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

/** It is a command's option: neither the program nor a family of commands has it. */
function whereJsonGoes(program: string, words: readonly string[]): string {
  const before = words.slice(0, words.indexOf('--json')).filter((word) => !word.startsWith('-'));
  return before.length === 0
    ? `--json goes behind the command: "${program} COMMAND --json"`
    : `unknown option '--json'; "${[program, ...before].join(' ')} --help" shows what goes there`;
}

/** Commander's own sentence, without what says that it is one. */
function usageWords(message: string): string {
  return oneLine(message)
    .replace(/^error: /, '')
    .replace(/^command-argument value /, '');
}

/** With `--json`, on stderr. */
export function errorJson(code: ErrorCode, message: string): string {
  return JSON.stringify({ error: code, message });
}
