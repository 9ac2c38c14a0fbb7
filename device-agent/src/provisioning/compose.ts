/** The only place that wires what sets a device up. */
import { type SiteSettings, STATUS_FILE } from '@relaygate/shared/site-settings';
import { systemClock, systemWallClock } from '@relaygate/shared/system';
import { dataPathsIn } from '../files/data-paths';
import type { Files } from '../files/files';
import { isResetBegun, refuseHalfReset } from '../files/reset-mark';
import type { StageFile } from '../files/staged-file';
import { RELAYCTL } from '../locales/en/relayctl';
import { askHelper } from '../platform/ask-helper';
import { certificateProblem } from '../platform/certificate-problem';
import { lockDataFolder } from '../platform/data-lock';
import { deviceClock } from '../platform/device-clock';
import { checkWritable, durableFiles, stageFile } from '../platform/durable-files';
import { fatPartition } from '../platform/fat-partition';
import { askNetworkManager, hasAddress, reconnect } from '../platform/network-look';
import { removableFiles } from '../platform/removable-files';
import {
  nameMachine,
  ownerOf,
  placeConnection,
  placeTimeServers,
  removeConnection,
  setClock,
  unblockWifi,
} from '../platform/site-machine';
import { stdoutLog } from '../platform/stdout-log';
import { unixDial } from '../platform/unix-dial';
import { askAgent, type ChangeDeps, requestChange } from '../relayctl/ask-agent';
import { readBoardProfiles } from '../relayctl/board-profiles';
import type { Folders } from '../runtime/folders';
import type { Log } from '../runtime/log';
import { codeOf, problemOf } from '../runtime/problem';
import { type Ask, lookAtAgent } from './agent-view';
import type { BootPartition } from './boot-partition';
import { startClock } from './clock-start';
import { FirstPage } from './first-page';
import { wifiStateOf } from './network-view';
import { type OwnSettings, SiteTakeOver, type TakeOverDeps } from './site-take-over';
import { type Say, statusWriter } from './status-file';
import { BETWEEN_WRITES_MS, startStatusWatch } from './status-watch';
import { statusWords, wordsBeforeStart } from './status-words';
import { TIME_SERVERS_FILE, timeServersText } from './time-servers';
import { WIFI_ID } from './wifi-keyfile';
import { WifiRetries } from './wifi-retries';

/** A slow card, mounted writable and read-only again. */
const HELPER_MS = 60_000;
/** Nobody is at a terminal. */
const AGENT_DEPS: ChangeDeps = { dial: unixDial, clock: systemClock, t: RELAYCTL, onInterrupt: () => () => {} };

export interface SetupOptions {
  folders: Folders;
  /** Where the boot partition is mounted. */
  boot: string;
  remount: boolean;
  /** Where NetworkManager looks for connections. */
  networkDir: string;
  /** Where systemd-timesyncd looks for its settings. */
  timeDir: string;
  /** The user whose files the data folder holds. */
  owner: string;
  /**
   * The sockets of the helpers that write the status and try the Wi-Fi again; undefined: this program does both, as root.
   */
  statusSocket?: string;
  wifiSocket?: string;
}

/** Takes new settings over before guard and agent start, and sets the machine up as the site says. */
export async function takeOver(options: SetupOptions): Promise<void> {
  const { dataDir } = options.folders;
  const log = stdoutLog(systemWallClock);
  await checkWritable(dataDir);
  // The agent, which finishes the reset, may not touch what this program has given to NetworkManager.
  if (await isResetBegun(durableFiles, dataDir)) removeConnection(connectionOf(options));
  await refuseHalfReset(durableFiles, dataDir);
  const lock = await lockDataFolder(dataDir, 'relaygate-agent', log);
  const { setup, say } = openSetup(options);
  try {
    await tried(log, 'the clock cannot be set', () =>
      startClock({
        files: durableFiles,
        path: dataPathsIn(dataDir).lastGoodTime,
        wallClock: systemWallClock,
        log,
        setClock,
      }),
    );
    await setup.takeOver();
    await sayProblem(say, null, await setup.ownSettings());
  } catch (error) {
    // Said in words for whoever has the card, and as the program's failure for whoever reads the journal.
    await sayProblem(say, problemOf(error), await setup.ownSettings()).catch((worse: unknown) =>
      log.warn(`${STATUS_FILE} cannot be written: ${problemOf(worse)}`),
    );
    throw error;
  } finally {
    // By the settings in force, also if the new file is wrong.
    await prepareMachine(await setup.site(), options, log);
    await lock.release();
  }
}

/** Logs a failure, and goes on. */
async function tried(log: Log, failure: string, work: () => void | Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    log.warn(`${failure}: ${problemOf(error)}`);
  }
}

/** Sets its name, its Wi-Fi with the country, and its time servers, until the next start. */
async function prepareMachine(site: SiteSettings | null, options: SetupOptions, log: Log): Promise<void> {
  const { hostname, wifi, timeServers } = site ?? {};
  await tried(log, 'the time servers cannot be given to systemd-timesyncd', () =>
    placeTimeServers(`${options.timeDir}/${TIME_SERVERS_FILE}`, timeServersText(timeServers)),
  );
  await tried(log, 'the Wi-Fi cannot be given to NetworkManager', () =>
    placeConnection(dataPathsIn(options.folders.dataDir).wifi, connectionOf(options)),
  );
  if (hostname !== undefined) await tried(log, 'the host name cannot be set', () => nameMachine(hostname));
  if (wifi !== undefined) await tried(log, 'the Wi-Fi cannot be switched on', () => unblockWifi(wifi.country));
}

/** The path of the site's Wi-Fi at NetworkManager. */
function connectionOf({ networkDir }: SetupOptions): string {
  return `${networkDir}/${WIFI_ID}.nmconnection`;
}

/** Keeps the status in words on the boot partition. Returns what stops it. */
export function watchStatus(options: SetupOptions): () => void {
  const { setup, say } = openSetup(options);
  const { statusSocket } = options;
  const { agentSocket } = options.folders;
  const ask = askOf(agentSocket);
  const retries = new WifiRetries();
  const firstPage = new FirstPage({
    isProven: async () => (await ask('proof', {})).isProven,
    switchOn: (request) => requestChange(AGENT_DEPS, agentSocket, 'web-on', request),
  });
  return startStatusWatch({
    clock: systemClock,
    log: stdoutLog(systemWallClock),
    look: async () => {
      const site = await setup.site();
      const network = { isConnected: hasAddress(), wifi: wifiStateOf(await askNetworkManager()) };
      const isDue = site?.wifi !== undefined && retries.isDue(systemClock.nowMs(), network);
      // A busy radio is left alone, above all with a technician's Wi-Fi.
      const isBusy = network.wifi === 'connecting' || network.wifi === 'connected';
      if (isDue && !isBusy) await tryWifiAgain(options);
      await firstPage.look(site);
      return statusWords({
        siteProblem: await setup.problem(),
        settings: await setup.ownSettings(),
        closings: await setup.closings(),
        site,
        agent: await lookAtAgent(ask),
        pageProblem: firstPage.problem,
        network,
      });
    },
    write: statusSocket === undefined ? say : saysByHelper(statusSocket),
  });
}

/** Never rejects: it is tried again later. */
async function tryWifiAgain({ wifiSocket }: SetupOptions): Promise<void> {
  if (wifiSocket === undefined) await reconnect(WIFI_ID);
  else await askHelper(wifiSocket, 'reconnect', {}, HELPER_MS).catch(() => {});
}

/** A helper that has failed is not started again at once: without a boot partition it would fail for ever. */
function saysByHelper(socket: string): Say {
  let failed: { error: unknown; atMs: number } | null = null;
  return async (words) => {
    if (failed !== null && systemClock.nowMs() - failed.atMs < BETWEEN_WRITES_MS) throw failed.error;
    try {
      const isNew = await askHelper(socket, 'say', { words }, HELPER_MS);
      failed = null;
      return isNew === true;
    } catch (error) {
      failed = { error, atMs: systemClock.nowMs() };
      throw error;
    }
  };
}

function openSetup({ folders, boot: folder, remount, owner }: SetupOptions) {
  const boot = readableOf(fatPartition({ folder, remount }));
  const setup = new SiteTakeOver({
    boot,
    ...writersFor(owner),
    systemFiles: removableFiles,
    stageSystem: stageFile,
    log: stdoutLog(systemWallClock),
    paths: dataPathsIn(folders.dataDir),
    profiles: () => readBoardProfiles(),
    // A device has no clock of its own: the link finds out whether certificates have expired.
    certificateProblem: (pem) => certificateProblem(pem, null),
  });
  return { setup, say: statusWriter(boot, deviceClock()) };
}

/** If it is mounted for root alone, nobody else can read it, and all else is said all the same. */
function readableOf(boot: BootPartition): BootPartition {
  const ofOthers = (error: unknown): null | Promise<never> =>
    codeOf(error) === 'EACCES' ? null : Promise.reject(error);
  return { ...boot, read: (name) => boot.read(name).catch(ofOthers) };
}

/** The agent is not root: files that are written for it must be its own. */
function writersFor(user: string): Pick<TakeOverDeps, 'files' | 'stage'> {
  const number = ownerOf(user);
  const owner = number === undefined ? {} : { owner: number };
  const stage: StageFile = (path, text, options) => stageFile(path, text, { ...options, ...owner });
  const replace: Files['replace'] = (path, text, options) => durableFiles.replace(path, text, { ...options, ...owner });
  return { files: { ...durableFiles, replace }, stage };
}

async function sayProblem(say: Say, siteProblem: string | null, settings: OwnSettings): Promise<void> {
  const words = wordsBeforeStart({ siteProblem, settings });
  if (words !== null) await say(words);
}

function askOf(agentSocket: string): Ask {
  return async (type, body) => {
    const reply = await askAgent(AGENT_DEPS, agentSocket, type, body);
    // The agent has built the answer from the named type, as relayctl relies on too.
    return JSON.parse(JSON.stringify(reply));
  };
}
