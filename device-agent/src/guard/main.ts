import { RelaygateError } from '@relaygate/shared/relaygate-error';
import { Command } from 'commander';
import { BOOT_ID_FILE } from '../platform/boot-id';
import { onCrash, reportFailure, stopSignal, surviveClosedOutput } from '../platform/program';
import { serviceManager } from '../platform/service-manager';
import { foldersOf } from '../runtime/folders';
import { addDeviceOptions, type DeviceOptions } from '../runtime/options';
import { VERSION } from '../runtime/version';
import { startGuard } from './compose';

/**
 * The exit code of a guard that has found another one at work (EX_TEMPFAIL): nothing is to be switched off after it, see
 * hardware/package/files/usr/lib/relaygate/bin/outputs-off.
 */
const ANOTHER_RUNS = 75;

/** Runs relaygate-guard until a signal or the agent stops it; then every output is off. */
export async function main(argv: string[]): Promise<void> {
  surviveClosedOutput();
  onCrash('relaygate-guard', () => process.exit(1));
  const command = new Command('relaygate-guard')
    .description('Holds the relays: drives the outputs, times the pulses and answers the agent on guard.sock.')
    .version(VERSION)
    .allowExcessArguments(false);
  const options = addDeviceOptions(command, BOOT_ID_FILE).parse(argv).opts<DeviceOptions>();
  const stopped = stopSignal();
  // Loaded before the relays are touched, because loading takes time.
  const manager = serviceManager(process.env);
  try {
    const guard = await startGuard({ folders: foldersOf(options), bootIdFile: options.bootIdFile });
    manager.ready();
    await Promise.race([stopped, guard.ended]);
    manager.stopping();
    await guard.stop();
    process.exit(0);
  } catch (error) {
    reportFailure('relaygate-guard', error);
    process.exit(error instanceof RelaygateError && error.code === 'already-running' ? ANOTHER_RUNS : 1);
  }
}
