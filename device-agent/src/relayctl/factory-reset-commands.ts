/** `relayctl factory-reset`: makes this device a new one. */
import { RelaygateError } from '@relaygate/shared/relaygate-error';
import type { Command } from 'commander';
import type { IdentityReply } from '../agent/technician/local-messages/device';
import type { ResetReply } from '../agent/technician/local-messages/reset';
import type { RelayctlWords } from '../locales/relayctl';
import type { CommandDeps } from './command-deps';
import type { Terminal } from './terminal';

export function addCommands(program: Command, { command, print, ask, change, terminal, words }: CommandDeps): void {
  command(program, 'factory-reset', 'switches everything off and wipes keys, PIN, settings, history, locks and proof')
    .option('--yes-wipe <login>', 'the product login of this device, instead of typing it')
    .action(async (options: { yesWipe?: string }) => {
      const productLogin = options.yesWipe ?? (await typedLogin(await ask(options, 'identity', {}), terminal, words));
      print(await change(options, 'factory-reset', { productLogin }), showReset);
    });
}

async function typedLogin({ productLogin }: IdentityReply, terminal: Terminal, words: RelayctlWords): Promise<string> {
  terminal.note(words.wipes);
  const typed = await terminal.ask(words.typeLogin(productLogin));
  if (typed === productLogin) return typed;
  throw new RelaygateError('refused', words.otherLogin);
}

function showReset({ productLogin }: ResetReply, words: RelayctlWords): string {
  return words.wiped(productLogin).join('\n');
}
