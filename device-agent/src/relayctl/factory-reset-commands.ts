/** `relayctl factory-reset`: makes this device a new one. */
import { RelaygateError } from '@relaygate/shared/relaygate-error';
import type { Command } from 'commander';
import type { IdentityReply } from '../agent/technician/local-messages/device';
import type { ResetReply } from '../agent/technician/local-messages/reset';
import type { RelayctlTranslations } from '../locales/relayctl';
import type { CommandDeps } from './command-deps';
import type { Terminal } from './terminal';

export function addCommands(program: Command, { command, print, ask, change, terminal, t }: CommandDeps): void {
  command(program, 'factory-reset', 'switches everything off and wipes keys, PIN, settings, history, locks and proof')
    .option('--yes-wipe <login>', 'the product login of this device, instead of typing it')
    .action(async (options: { yesWipe?: string }) => {
      const productLogin = options.yesWipe ?? (await typedLogin(await ask(options, 'identity', {}), terminal, t));
      print(await change(options, 'factory-reset', { productLogin }), showReset);
    });
}

async function typedLogin(
  { productLogin }: IdentityReply,
  terminal: Terminal,
  t: RelayctlTranslations,
): Promise<string> {
  terminal.note(t.wipes);
  const typed = await terminal.ask(t.typeLogin(productLogin));
  if (typed === productLogin) return typed;
  throw new RelaygateError('refused', t.otherLogin);
}

function showReset({ productLogin }: ResetReply, t: RelayctlTranslations): string {
  return t.wiped(productLogin).join('\n');
}
