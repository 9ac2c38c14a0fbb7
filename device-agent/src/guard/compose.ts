/** The only place that wires the guard's adapters. */

import { parseGuardSettings } from '@relaygate/shared/guard-settings';
import { RelaygateError } from '@relaygate/shared/relaygate-error';
import { systemClock, systemWallClock } from '@relaygate/shared/system-clock';
import { refuseHalfReset } from '../files/reset-mark';
import { readSettings } from '../files/settings-file';
import { readBootId } from '../platform/boot-id';
import { lockDataFolder } from '../platform/data-lock';
import { checkWritable, durableFiles } from '../platform/durable-files';
import type { FileLock } from '../platform/file-lock';
import { offOrdersFile } from '../platform/off-orders-file';
import { preciseClock } from '../platform/precise-clock';
import { goFirst } from '../platform/priority';
import { stdoutLog } from '../platform/stdout-log';
import { claimSocket } from '../platform/unix-listener';
import type { BoardMachine } from '../relay/relay-board';
import { relayBoard } from '../relay/relay-boards';
import type { Folders } from '../runtime/folders';
import type { Log } from '../runtime/log';
import { openGuard } from './open-guard';
import { serveGuard } from './serve-guard';

export interface GuardOptions {
  folders: Folders;
  bootIdFile: string;
}

export interface RunningGuard {
  /** Resolves when the agent has asked for the guard's end, and has gone. */
  ended: Promise<void>;
  stop(): Promise<void>;
}

/** Starts the guard; resolves when its socket answers, with what stops it. */
export async function startGuard({ folders, bootIdFile }: GuardOptions): Promise<RunningGuard> {
  const log = stdoutLog(systemWallClock);
  if (!goFirst()) log.info('runs at normal priority: on a busy machine pulses may end some milliseconds late');
  // The lock comes before the first order, so that no other guard drives this board. It comes before the first file,
  // because an agent that finishes a factory reset holds it until no settings are left.
  const lock = await lockDataFolder(folders.dataDir, 'relaygate-guard', log);
  try {
    return await startAlone({ folders, bootIdFile }, lock, log);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function startAlone({ folders, bootIdFile }: GuardOptions, lock: FileLock, log: Log): Promise<RunningGuard> {
  await refuseHalfReset(durableFiles, folders.dataDir);
  const { settings } = await readSettings(durableFiles, `${folders.dataDir}/settings.json`, parseGuardSettings);
  const bootId = await readBootId(bootIdFile);
  const socket = await claimSocket(folders.guardSocket, 'relaygate-guard');
  try {
    const board = relayBoard(settings.board);
    const { inputs = [] } = settings;
    const numInputs = inputs.map(({ numInput }) => numInput);
    const guard = await openGuard(settings.outputs, {
      clock: preciseClock,
      slackClock: systemClock,
      driver: board.driver(machineOf(folders.dataDir), settings.outputs, numInputs),
      files: durableFiles,
      log,
      bootId,
      board: settings.board,
      inputs,
      statePath: `${folders.dataDir}/state.json`,
      journalPath: folders.guardJournal,
      checkWritable: () => checkWritable(folders.dataDir),
      offOrders: {
        file: offOrdersFile(folders.guardOffOrders),
        textOf: (outputs, urgent) => board.offOrders(outputs, urgent),
      },
    });
    const lateOff = board.lateOff?.() ?? null;
    if (lateOff !== null) log.warn(lateOff);
    let end = (): void => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    socket.serve(serveGuard(guard, log, end));
    log.info(`ready: ${settings.outputs.length} outputs, socket ${folders.guardSocket}`);
    return {
      ended,
      async stop() {
        const stuck = await guard.stop();
        await socket.close();
        await lock.release();
        if (stuck.length > 0)
          throw new RelaygateError('refused', `The board kept outputs ${stuck.join(', ')} from going off.`);
        log.info('stopped: all outputs are off');
      },
    };
  } catch (error) {
    await socket.close();
    throw error;
  }
}

/** Loaded where it is needed only, so that no other guard pays for it (I4). */
function machineOf(dataDir: string): BoardMachine {
  return {
    clock: preciseClock,
    slackClock: systemClock,
    dataDir,
    openSerial() {
      // biome-ignore lint/style/noRestrictedGlobals: loaded where it is needed only.
      const { nodeSerial }: typeof import('../platform/node-serial') = require('../platform/node-serial');
      return nodeSerial();
    },
    lockByte(path, byte) {
      // biome-ignore lint/style/noRestrictedGlobals: loaded where it is needed only.
      const { lockByte }: typeof import('../platform/byte-lock') = require('../platform/byte-lock');
      return lockByte(path, byte);
    },
  };
}
