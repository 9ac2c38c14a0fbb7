import { oneLine, plainLine } from '@relaygate/shared/plain-text';
import { type Command, Option } from 'commander';
import { DEFAULT_DATA_DIR } from './folders';

/** The options of guard and agent. */
export interface DeviceOptions {
  data: string;
  run?: string;
  bootIdFile: string;
}

export function addDeviceOptions(command: Command, bootIdFile: string): Command {
  return command
    .configureOutput({ outputError: (text, write) => write(`${plainLine(oneLine(text))}\n`) })
    .addOption(
      new Option('--data <dir>', 'folder of settings.json and of what the device remembers')
        .env('RELAYGATE_DEVICE_DATA_DIR')
        .default(DEFAULT_DATA_DIR),
    )
    .addOption(
      new Option(
        '--run <dir>',
        'one folder for guard.sock, agent.sock and journal.jsonl, instead of /run/relaygate-guard and /run/relaygate-agent',
      ).env('RELAYGATE_DEVICE_RUN_DIR'),
    )
    .addOption(
      new Option('--boot-id-file <file>', 'where the id of this boot is read (tests play power cuts with it)').default(
        bootIdFile,
      ),
    );
}
