import { plainLine } from '@relaygate/shared';
import { oneLine } from '@relaygate/shared/plain-text';
import { Command, Option } from 'commander';
import { onCrash, reportFailure, stopSignal, surviveClosedOutput } from '../platform/program';
import { DEFAULT_BOOT_DIR, DEFAULT_DATA_DIR, foldersOf } from '../runtime/folders';
import { VERSION } from '../runtime/version';
import { type SetupOptions, takeOver, watchStatus } from './compose';

interface Options extends Omit<SetupOptions, 'folders'> {
  data: string;
  run?: string;
}

/** Runs relaygate-setup: once before guard and agent start, or as a watch beside them. */
export async function main(argv: string[]): Promise<void> {
  surviveClosedOutput();
  onCrash('relaygate-setup', () => process.exit(1));
  const program = new Command('relaygate-setup')
    .description('Takes the settings of a site over from the boot partition, and says there how the device is.')
    .version(VERSION)
    .configureOutput({ outputError: (text, write) => write(`${plainLine(oneLine(text))}\n`) });
  command(program, 'take', 'takes relaygate-site.json over, before guard and agent start').action((options: Options) =>
    ended(takeOver(setupOf(options))),
  );
  command(program, 'watch', 'keeps relaygate-status.txt, beside guard and agent')
    .option('--status-socket <path>', 'socket of relaygate-helper, which writes it; else this program does')
    .option('--wifi-socket <path>', 'socket of relaygate-helper, which asks NetworkManager; else this program does')
    .action(async (options: Options) => {
      const stopped = stopSignal();
      const stop = watchStatus(setupOf(options));
      await stopped;
      stop();
      process.exit(0);
    });
  await program.parseAsync(argv);
}

function command(program: Command, name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .addOption(
      new Option('--data <dir>', 'folder of settings.json').env('RELAYGATE_DEVICE_DATA_DIR').default(DEFAULT_DATA_DIR),
    )
    .addOption(new Option('--run <dir>', 'folder of agent.sock').env('RELAYGATE_DEVICE_RUN_DIR'))
    .option('--boot <dir>', 'where the boot partition is mounted', DEFAULT_BOOT_DIR)
    .option('--remount', 'where it is mounted read-only: make it writable for as long as something is written', false)
    .option(
      '--network-dir <dir>',
      'where NetworkManager looks for connections',
      '/run/NetworkManager/system-connections',
    )
    .option('--time-dir <dir>', 'where systemd-timesyncd looks for its settings', '/run/systemd/timesyncd.conf.d')
    .option('--owner <user>', 'whose the files in the data folder are, where this runs as root', 'relaygate-agent');
}

function setupOf({ data, run, ...rest }: Options): SetupOptions {
  return { ...rest, folders: foldersOf({ data, run }) };
}

async function ended(work: Promise<void>): Promise<void> {
  try {
    await work;
    process.exit(0);
  } catch (error) {
    reportFailure('relaygate-setup', error);
    process.exit(1);
  }
}
