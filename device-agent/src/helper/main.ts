import { RelaygateError } from '@relaygate/shared/relaygate-error';
import { Mutex } from 'async-mutex';
import { type Actions, requestSession } from '../ipc/request-session';
import { deviceClock } from '../platform/device-clock';
import { fatPartition } from '../platform/fat-partition';
import { serveInherited } from '../platform/inherited-socket';
import { reconnect } from '../platform/network-look';
import { nmcliHotspot } from '../platform/nmcli-hotspot';
import { onCrash, reportFailure, stopSignal, surviveClosedOutput } from '../platform/program';
import { statusWriter } from '../provisioning/status-file';
import { WIFI_ID } from '../provisioning/wifi-keyfile';
import { DEFAULT_BOOT_DIR } from '../runtime/folders';
import { problemOf } from '../runtime/problem';
import { statusActions, wifiActions } from './actions';

const USAGE = 'usage: relaygate-helper wifi RUN_FOLDER | status-file [BOOT_FOLDER], started by its socket unit';

/**
 * Runs relaygate-helper: what needs a right that agent and status watch do not have. systemd starts it when somebody connects
 * to its socket; it ends with its last client.
 */
export async function main([, , what, folder]: string[]): Promise<void> {
  surviveClosedOutput();
  onCrash('relaygate-helper', () => process.exit(1));
  try {
    const actions = actionsOf(what, folder);
    await serveInherited((connection) => requestSession(connection, actions, () => {}, warn), stopSignal());
    process.exit(0);
  } catch (error) {
    reportFailure('relaygate-helper', error);
    process.exit(1);
  }
}

function actionsOf(what: string | undefined, folder: string | undefined): Actions {
  if (what === 'wifi' && folder !== undefined) {
    const mutex = new Mutex();
    const wifi = { ...nmcliHotspot(folder), reconnect: () => reconnect(WIFI_ID) };
    return wifiActions(wifi, mutex);
  }
  if (what === 'status-file') {
    const say = statusWriter(fatPartition({ folder: folder ?? DEFAULT_BOOT_DIR, remount: true }), deviceClock());
    return statusActions((words) => say(words).catch(refuseFolder));
  }
  throw new Error(USAGE);
}

function refuseFolder(cause: unknown): never {
  if (cause instanceof RelaygateError) throw cause;
  throw new RelaygateError('folder-not-writable', `The boot partition cannot be written: ${problemOf(cause)}`, {
    cause,
  });
}

function warn(error: unknown): void {
  process.stderr.write(`relaygate-helper: ${problemOf(error)}\n`);
}
