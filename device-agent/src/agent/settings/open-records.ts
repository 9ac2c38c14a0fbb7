import type { Clock, Randomness } from '@relaygate/shared';
import type { DeviceSettings } from '@relaygate/shared/device';
import type { DataPaths } from '../../files/data-paths';
import type { RemovableFiles } from '../../files/files';
import type { HashPin } from '../../files/hash-pin';
import type { Log } from '../../runtime/log';
import type { DeviceClock } from '../../runtime/wall-time';
import { factsOfPin, factsOfSettings } from '../history/facts';
import { History } from '../history/history';
import { HistoryFile } from '../history/history-file';
import { PinGate } from '../technician/pin/pin-gate';

export interface RecordDeps {
  files: RemovableFiles;
  clock: Clock;
  wallClock: DeviceClock;
  randomness: Randomness;
  hashPin: HashPin;
  log: Log;
  bootId: string;
  paths: DataPaths;
  /** As settings.json has them. */
  settings: DeviceSettings;
}

/** What the agent remembers beside the settings. */
export interface Records {
  history: History;
  pin: PinGate;
}

/** One call works at a time; once it has succeeded, it is not done again. */
function untilDone(work: () => Promise<unknown>): () => Promise<void> {
  let done: Promise<void> | null = null;
  return () => {
    done ??= work().then(
      () => {},
      (error: unknown) => {
        done = null;
        throw error;
      },
    );
    return done;
  };
}

/** Reads history and PIN. Edits by hand and changes that were cut short since are entered. Never rejects. */
export async function openRecords(deps: RecordDeps): Promise<Records> {
  const { files, paths, settings } = deps;
  const pin = await PinGate.open({ ...deps, path: paths.pin });
  const syncFound = untilDone(() =>
    Promise.all([paths.settings, ...(pin.id === null ? [] : [paths.pin])].map((path) => files.sync(path))),
  );
  syncFound().catch(() => {});
  const file = await HistoryFile.open({ ...deps, path: paths.history });
  const history = new History(file, { ...deps, syncFound });
  history.reconcile(new Map([...factsOfSettings(settings), ...factsOfPin(pin.id)]));
  return { history, pin };
}
