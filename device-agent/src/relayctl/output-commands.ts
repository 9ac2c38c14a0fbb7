/** `relayctl output`: shows or changes an output's settings. */
import { OUTPUT_SETTINGS } from '@relaygate/shared/output-settings';
import type { Command } from 'commander';
import type { OutputReply } from '../agent/technician/local-messages/outputs';
import { type FirmwareClosing, firmwareClosings } from '../provisioning/boards/boot-config';
import type { CommandDeps } from './command-deps';
import { numOutputArgument } from './numbers';
import { changeOf, withSettingOptions } from './setting-options';
import { showOutput } from './show';

interface OutputOptions {
  force?: boolean;
}

export function addCommands(program: Command, { command, change, print, boardConfig }: CommandDeps): void {
  withSettingOptions(command(program, 'output', "shows or changes an output's settings"), OUTPUT_SETTINGS)
    .addArgument(numOutputArgument())
    .option('--force', 'mode, polarity and interlock of an active output: switch it off first')
    .action(async (numOutput: number, options: OutputOptions) => {
      const body = { numOutput, change: changeOf(options, OUTPUT_SETTINGS), force: options.force ?? false };
      const reply = await change(options, 'output', body);
      print({ ...reply, closings: closingsOf(reply, boardConfig) }, (changed, t) =>
        showOutput(changed, Object.keys(body.change), t),
      );
    });
}

/** What the firmware closes of an output whose polarity has changed. */
function closingsOf({ before, after, bcm }: OutputReply, boardConfig: () => string | null): FirmwareClosing[] {
  if (before.activeLevel === after.activeLevel || bcm === null) return [];
  return firmwareClosings(boardConfig(), { activeLevel: after.activeLevel, relays: [{ bcm }] });
}
