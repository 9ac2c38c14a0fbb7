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

/** What is wrong with a command line, in one line. `words`: what was typed behind the program's name. */
export function usageProblem(program: string, { code, message }: ParseEnd, words: readonly string[]): string {
  if (code !== HELP_INSTEAD) return usageWords(message);
  const asked = words[words.indexOf('help') + 1];
  const what =
    words.includes('help') && asked !== undefined && !asked.startsWith('-')
      ? `unknown command '${asked}'`
      : 'a command is missing';
  return `${what}; "${program} --help" lists them`;
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
