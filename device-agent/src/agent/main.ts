import { Command } from 'commander';
import { BOOT_ID_FILE } from '../platform/boot-id';
import { onCrash, reportFailure, stopSignal, surviveClosedOutput } from '../platform/program';
import { serviceManager } from '../platform/service-manager';
import { foldersOf } from '../runtime/folders';
import { addDeviceOptions, type DeviceOptions } from '../runtime/options';
import { VERSION } from '../runtime/version';
import { startAgent } from './compose';

/** Runs relaygate-agent until a signal stops it; a running pulse is the guard's and goes on. */
export async function main(argv: string[]): Promise<void> {
  surviveClosedOutput();
  onCrash('relaygate-agent', () => process.exit(1));
  const command = new Command('relaygate-agent')
    .description(
      'Keeps the link to the server, the settings and the local API on agent.sock; moves outputs through the guard.',
    )
    .version(VERSION)
    .option('--wifi-socket <path>', 'socket of relaygate-helper, which asks NetworkManager; else this program does');
  const options = addDeviceOptions(command, BOOT_ID_FILE).parse(argv).opts<DeviceOptions & { wifiSocket?: string }>();
  const stopped = stopSignal();
  // Loaded first, because loading takes time.
  const manager = serviceManager(process.env);
  try {
    const { bootIdFile, wifiSocket } = options;
    const agent = await startAgent({ folders: foldersOf(options), bootIdFile, wifiSocket });
    manager.ready();
    await Promise.race([stopped, agent.ended]);
    manager.stopping();
    await agent.stop();
    process.exit(0);
  } catch (error) {
    reportFailure('relaygate-agent', error);
    process.exit(1);
  }
}
