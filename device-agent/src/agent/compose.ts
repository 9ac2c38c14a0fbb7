/** The only place that wires the agent's adapters. */
import { dirname, join } from 'node:path';
import { RelaygateError } from '@relaygate/shared';
import { parseDeviceSettings } from '@relaygate/shared/device';
import { systemClock, systemRandomness, systemWallClock } from '@relaygate/shared/system';
import { dataPathsIn } from '../files/data-paths';
import { FactoryReset } from '../files/factory-reset';
import { SealableFiles } from '../files/sealable-files';
import { readSettings } from '../files/settings-file';
import { readBootId } from '../platform/boot-id';
import { lockDataFolder } from '../platform/data-lock';
import { deviceClock } from '../platform/device-clock';
import { diagnoseBy } from '../platform/diagnose';
import { checkWritable, durableFiles } from '../platform/durable-files';
import { ed25519Identity } from '../platform/ed25519-identity';
import type { FileLock } from '../platform/file-lock';
import { helpedHotspot } from '../platform/helped-hotspot';
import { httpsListener } from '../platform/https-listener';
import { withoutLastWords } from '../platform/last-words';
import { nmcliHotspot } from '../platform/nmcli-hotspot';
import { nodeSerial } from '../platform/node-serial';
import { ownNetwork } from '../platform/own-network';
import { readPageOf } from '../platform/page-files';
import { putBackAside, removableFiles } from '../platform/removable-files';
import { scryptPin } from '../platform/scrypt-pin';
import { selfSigned } from '../platform/self-signed';
import { stdoutLog } from '../platform/stdout-log';
import { unixDial } from '../platform/unix-dial';
import { claimSocket } from '../platform/unix-listener';
import { webSocketDial } from '../platform/web-socket-dial';
import { readSiteProfile } from '../provisioning/site/site-record';
import type { Folders } from '../runtime/folders';
import type { Log } from '../runtime/log';
import { problemOf } from '../runtime/problem';
import { VERSION } from '../runtime/version';
import { openAgent } from './agent';
import { finishBegunReset } from './begun-reset';
import { openIdentity } from './link/identity-file';
import type { Hotspot } from './technician/web/hotspot';

/** The page's files, as the build leaves them. */
const PAGE_FOLDER = join(__dirname, '../../page/dist');
const RELAYCTL = join(__dirname, '../../bin/relayctl.js');

export interface AgentOptions {
  folders: Folders;
  bootIdFile: string;
  /** The socket of `relaygate-helper wifi`; undefined: this process may ask NetworkManager itself. */
  wifiSocket: string | undefined;
}

export interface RunningAgent {
  /** Resolves after a factory reset. */
  ended: Promise<void>;
  stop(): Promise<void>;
}

/** Starts the agent; resolves when its socket answers, with what stops it. Guard and server may be away. */
export async function startAgent({ folders, bootIdFile, wifiSocket }: AgentOptions): Promise<RunningAgent> {
  const log = stdoutLog(systemWallClock);
  const wallClock = deviceClock();
  const paths = dataPathsIn(folders.dataDir);
  const factoryReset = new FactoryReset(removableFiles, folders.dataDir, [folders.agentEvents]);
  const hotspot = wifiSocket === undefined ? nmcliHotspot(dirname(folders.agentSocket)) : helpedHotspot(wifiSocket);
  if (await factoryReset.isBegun()) await finishReset(factoryReset, folders, hotspot, log);
  const { settings, text } = await readSettings(durableFiles, paths.settings, parseDeviceSettings);
  await checkWritable(folders.dataDir);
  const files = new SealableFiles(removableFiles);
  const dialLink = webSocketDial(settings.link);
  const bootId = await readBootId(bootIdFile);
  const lock = await lockDataFolder(folders.dataDir, 'relaygate-agent', log);
  const socket = await claimSocket(folders.agentSocket, 'relaygate-agent');
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  try {
    // A fault that keeps the agent from starting must show before the first write.
    const identity = await openIdentity(durableFiles, paths.identity, systemRandomness, ed25519Identity);
    await putBackAside(paths.enrolmentCode).catch((error: unknown) =>
      log.warn(`${paths.enrolmentCode}: ${problemOf(error)}`),
    );
    const agent = await openAgent({
      clock: systemClock,
      wallClock,
      randomness: systemRandomness,
      hashPin: scryptPin,
      files,
      paths,
      eventsPath: folders.agentEvents,
      log,
      dialGuard: unixDial(folders.guardSocket),
      dialLink,
      // Loaded at the first opening only: a device without a console needs no serial ports, and none may end the agent.
      openSerial: async (serial, listener) => nodeSerial()(serial, listener),
      settings,
      settingsText: text,
      web: {
        listen: httpsListener,
        network: ownNetwork,
        readPage: readPageOf(PAGE_FOLDER),
        certificates: selfSigned(systemRandomness, systemWallClock),
        hotspot,
      },
      diagnose: diagnoseBy(RELAYCTL, folders),
      siteProfile: () => readSiteProfile(durableFiles, paths.site),
      factoryReset,
      onReset: end,
      identity,
      version: VERSION,
      bootId,
    });
    agent.start();
    socket.serve(agent.serveLocal(), withoutLastWords);
    log.info(`ready: product ${settings.link.productLogin}, socket ${folders.agentSocket}`);
    return {
      ended,
      async stop() {
        const stopped = agent.stop();
        // First, because the page's Wi-Fi may delay the end for longer than systemd waits for this program.
        await agent.records.history.written();
        await stopped;
        // The end has made entries too.
        await agent.records.history.written();
        await socket.close();
        await lock.release();
        log.info('stopped');
      },
    };
  } catch (error) {
    await socket.close();
    await lock.release();
    throw error;
  }
}

/** Finishes a reset that a former agent has begun. Always rejects, because no device is left that could start. */
async function finishReset(
  factoryReset: FactoryReset,
  { dataDir, guardSocket }: Folders,
  hotspot: Hotspot,
  log: Log,
): Promise<never> {
  const lock = await lockDataFolder(dataDir, 'relaygate-agent', log);
  try {
    // The wiping removes the mark of a Wi-Fi that a former agent may have left, so the Wi-Fi ends first.
    if ((await durableFiles.read(dataPathsIn(dataDir).hotspotMark)) !== null) await hotspot.end().catch(() => {});
    await finishBegunReset({
      factoryReset,
      dialGuard: unixDial(guardSocket),
      lockGuardOut: () => lockUnlessHeld(dataDir, log),
      clock: systemClock,
      log,
    });
  } finally {
    await lock.release();
  }
  throw new RelaygateError(
    'bad-setting',
    `The factory reset that was begun is finished: this device has no settings yet. Write ${dataDir}/settings.json.`,
  );
}

/** null: a guard works on the folder. */
async function lockUnlessHeld(dataDir: string, log: Log): Promise<FileLock | null> {
  try {
    return await lockDataFolder(dataDir, 'relaygate-guard', log);
  } catch (error) {
    if (error instanceof RelaygateError && error.code === 'already-running') return null;
    throw error;
  }
}
