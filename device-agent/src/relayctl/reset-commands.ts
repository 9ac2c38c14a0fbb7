/** `relayctl factory-reset`: makes this device a new one. */
import { RelaygateError } from '@relaygate/shared/relaygate-error';
import type { Command } from 'commander';
import type { IdentityReply } from '../agent/technician/local-messages/device';
import type { ResetReply } from '../agent/technician/local-messages/reset';
import type { CommandDeps } from './command-deps';
import type { Terminal } from './terminal';

export interface ResetCommandDeps extends CommandDeps {
  terminal: Terminal;
}

export function addResetCommand(program: Command, { command, print, ask, change, terminal }: ResetCommandDeps): void {
  command(program, 'factory-reset', 'switches everything off and wipes keys, PIN, settings, history, locks and proof')
    .option('--yes-wipe <login>', 'the product login of this device, instead of typing it')
    .action(async (options: { yesWipe?: string }) => {
      const productLogin = options.yesWipe ?? (await typedLogin(await ask(options, 'identity', {}), terminal));
      print(await change(options, 'factory-reset', { productLogin }), showReset);
    });
}

async function typedLogin({ productLogin }: IdentityReply, terminal: Terminal): Promise<string> {
  terminal.tell(
    'Every output goes off. Keys, PIN, settings, history, locks and the proof of the wiring are gone for good.',
  );
  const typed = await terminal.ask(`Type this device's product login (${productLogin}) to go on: `);
  if (typed === productLogin) return typed;
  throw new RelaygateError('refused', 'That is not its product login; nothing was changed.');
}

function showReset({ productLogin }: ResetReply): string {
  return [
    'This device is wiped. Guard and agent have ended; they start again once there are settings.',
    "The server still knows the old key. Its operator takes that back, and gets the new device's code:",
    `  relaygate-server product revoke-device ${productLogin}`,
    'Restart this device before it is set up anew:',
    '  sudo reboot',
  ].join('\n');
}
