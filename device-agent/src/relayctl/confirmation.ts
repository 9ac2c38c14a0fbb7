/** Before a command that nobody can take back, a person says yes at a terminal; a script says so by --yes. */
import { RelaygateError } from '@relaygate/shared/relaygate-error';
import type { Command } from 'commander';
import type { RelayctlTranslations } from '../locales/relayctl';
import { badUsage } from '../runtime/complaint';
import type { Terminal } from './terminal';

export interface ConfirmOptions {
  yes?: true;
}

export function withYes(command: Command): Command {
  return command.option('--yes', 'without asking; needed where there is no terminal');
}

/** `what` will happen, in whole sentences. Throws `bad-usage` if nobody can be asked, `refused` if the answer is no. */
export async function confirm(
  { yes }: ConfirmOptions,
  what: string,
  terminal: Terminal,
  t: RelayctlTranslations,
): Promise<void> {
  if (yes) return;
  if (!terminal.isInteractive()) throw badUsage(t.nobodyToAsk(what));
  terminal.note(what);
  if (!(await typesYes(terminal, t))) throw new RelaygateError('refused', t.nothingChanged);
}

/** "yes" counts in every language: scripts that answer know no other. */
export async function typesYes(terminal: Terminal, { typeYes }: RelayctlTranslations, before = ''): Promise<boolean> {
  const answer = await terminal.ask(before + typeYes.question);
  return answer !== null && ['yes', typeYes.answer].includes(answer.toLowerCase());
}
