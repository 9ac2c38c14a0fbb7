/** The only place that wires what sets a device up. */
import { STATUS_FILE } from '@relaygate/shared/site-settings';
import { systemClock, systemWallClock } from '@relaygate/shared/system';
import type { DeviceStatus } from '../agent/local-messages/device';
import { askAgent } from '../cli/ask-agent';
import { readBoardProfiles } from '../cli/board-profiles';
import { FactoryReset } from '../files/factory-reset';
import type { Files } from '../files/files';
import type { Folders } from '../program/folders';
import { problemOf } from '../program/problem';
import { lockDataFolder } from '../system/data-lock';
import { checkWritable, durableFiles } from '../system/durable-files';
import { fatPartition } from '../system/fat-partition';
import { askNetworkManager, hasAddress } from '../system/network-look';
import { certificateProblem, nameMachine, ownerOf, unblockWifi } from '../system/site-machine';
import { stdoutLog } from '../system/stdout-log';
import { unixDial } from '../system/unix-dial';
import { wifiStateOf } from './network-view';
import { SiteTakeOver } from './site-take-over';
import { StatusFile } from './status-file';
import { StatusWatch } from './status-watch';
import { statusWords, wordsBeforeStart } from './status-words';

export interface SetupOptions {
  folders: Folders;
  /** Where the boot partition is mounted. */
  boot: string;
  remount: boolean;
  networkDir: string;
  /** The user whose files the data folder holds. */
  owner: string;
}

/** Before guard and agent start: takes new settings over, and gives the machine its name and the Wi-Fi its country. */
export async function takeOver(options: SetupOptions): Promise<void> {
  const { dataDir } = options.folders;
  const log = stdoutLog(systemWallClock);
  await checkWritable(dataDir);
  await new FactoryReset(durableFiles, dataDir).refuseHalfDone();
  const lock = await lockDataFolder(dataDir, 'relaygate-agent');
  const { setup, status } = partsOf(options);
  try {
    await setup.takeOver();
  } catch (error) {
    // In words for whoever has the card, and as the program's failure for whoever has the journal.
    await sayProblem(status, problemOf(error), await hasSettings(dataDir)).catch((worse: unknown) =>
      log.warn(`${STATUS_FILE} cannot be written: ${problemOf(worse)}`),
    );
    throw error;
  } finally {
    await lock.release();
  }
  const site = await setup.site();
  const { hostname, wifi } = site ?? {};
  if (hostname !== undefined) await tried(() => nameMachine(hostname), 'the host name cannot be set');
  if (wifi !== undefined) await tried(() => unblockWifi(wifi.country), 'the Wi-Fi cannot be switched on');
  if (!(await hasSettings(dataDir))) await sayProblem(status, null, false);

  async function tried(work: () => void | Promise<void>, failure: string): Promise<void> {
    try {
      await work();
    } catch (error) {
      log.warn(`${failure}: ${problemOf(error)}`);
    }
  }
}

/** Keeps the status in words on the boot partition. Returns what stops it. */
export function watchStatus(options: SetupOptions): () => void {
  const { setup, status } = partsOf(options);
  const { agentSocket, dataDir } = options.folders;
  const watch = new StatusWatch({
    clock: systemClock,
    log: stdoutLog(systemWallClock),
    look: async () =>
      statusWords({
        siteProblem: await setup.problem(),
        hasSettings: await hasSettings(dataDir),
        site: await setup.site(),
        status: await askStatus(agentSocket),
        network: { isConnected: hasAddress(), wifi: wifiStateOf(await askNetworkManager()) },
      }),
    write: (words) => status.say(words),
  });
  return watch.start();
}

function partsOf({ folders, boot: folder, remount, networkDir, owner }: SetupOptions) {
  const boot = fatPartition({ folder, remount });
  const setup = new SiteTakeOver({
    boot,
    files: filesOf(owner),
    systemFiles: durableFiles,
    log: stdoutLog(systemWallClock),
    dataDir: folders.dataDir,
    networkDir,
    profiles: () => readBoardProfiles(),
    certificateProblem,
  });
  return { setup, status: new StatusFile(boot, systemWallClock) };
}

/** The agent is no root: what is written for it must be its own. */
function filesOf(user: string): Files {
  const owner = ownerOf(user);
  if (owner === undefined) return durableFiles;
  return { ...durableFiles, replace: (path, text, options) => durableFiles.replace(path, text, { ...options, owner }) };
}

async function hasSettings(dataDir: string): Promise<boolean> {
  return (await durableFiles.read(`${dataDir}/settings.json`)) !== null;
}

async function sayProblem(status: StatusFile, siteProblem: string | null, settings: boolean): Promise<void> {
  const words = wordsBeforeStart({ siteProblem, hasSettings: settings });
  if (words !== null) await status.say(words);
}

async function askStatus(agentSocket: string): Promise<DeviceStatus | null> {
  try {
    const reply = await askAgent({ dial: unixDial, clock: systemClock }, agentSocket, 'status', {});
    // The agent has built the answer from this very type, as relayctl relies on too.
    return JSON.parse(JSON.stringify(reply));
  } catch {
    return null;
  }
}
