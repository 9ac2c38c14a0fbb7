/** `relayctl identity`: who this device is to the server, and a new PIN. */
import type { Command } from 'commander';
import type { CommandDeps } from './command-deps';
import { type ConfirmOptions, confirm, withYes } from './confirmation';
import { showIdentity, showNewPin } from './show';

interface IdentityOptions extends ConfirmOptions {
  newPin?: true;
}

export function addCommands(program: Command, { command, ask, change, print, terminal, t }: CommandDeps): void {
  withYes(command(program, 'identity', 'who this device is to the server'))
    .option('--new-pin', 'makes a new PIN for the serial console and the web page, and shows it this once')
    .action(async (options: IdentityOptions) => {
      if (!options.newPin) return print(await ask(options, 'identity', {}), showIdentity);
      await confirm(options, t.newPin, terminal, t);
      print(await change(options, 'new-pin', {}), showNewPin);
    });
}
