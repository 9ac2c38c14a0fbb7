/** Before a command does what nobody takes back, a person says yes at a terminal; a script has said so by --yes. */
import { RelaygateError } from '@relaygate/shared/relaygate-error';
import type { Command } from 'commander';
import type { Terminal } from './terminal';

export interface ConfirmOptions {
  yes?: true;
}

export function withYes(command: Command): Command {
  return command.option('--yes', 'without asking; needed where there is no terminal');
}

/** `what` will happen, in whole sentences. Throws `bad-usage` where nobody can be asked, `refused` where it is not to be. */
export async function confirm({ yes }: ConfirmOptions, what: string, terminal: Terminal): Promise<void> {
  if (yes) return;
  if (!terminal.isInteractive())
    throw new RelaygateError('bad-usage', `Nobody can be asked without a terminal: --yes does it. ${what}`);
  terminal.tell(what);
  const answer = await terminal.ask('Type "yes" to go on: ');
  if (answer?.toLowerCase() !== 'yes') throw new RelaygateError('refused', 'Nothing was changed.');
}
