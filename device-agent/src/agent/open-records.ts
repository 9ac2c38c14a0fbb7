import type { Clock, DeviceSettings, Randomness } from '@relaygate/shared';
import type { Files } from '../files/files';
import type { HashPin } from '../local/hash-pin';
import type { Log } from '../program/log';
import type { DeviceClock } from '../program/wall-time';
import { factsOfPin, factsOfSettings } from './history/facts';
import { History } from './history/history';
import { HistoryFile } from './history/history-file';
import { PinGate } from './pin/pin-gate';

export interface RecordParts {
  files: Files;
  clock: Clock;
  wallClock: DeviceClock;
  randomness: Randomness;
  hashPin: HashPin;
  log: Log;
  bootId: string;
  historyPath: string;
  pinPath: string;
  /** As settings.json has them. */
  settings: DeviceSettings;
}

/** What the agent remembers beside the settings. */
export interface Records {
  history: History;
  pin: PinGate;
}

/** Reads history and PIN; what was edited by hand or cut short since is entered. Never rejects. */
export async function openRecords(parts: RecordParts): Promise<Records> {
  const { historyPath, pinPath, settings } = parts;
  const file = await HistoryFile.open({ ...parts, path: historyPath });
  const pin = await PinGate.open({ ...parts, path: pinPath });
  const history = new History(file, parts);
  history.reconcile(new Map([...factsOfSettings(settings), ...factsOfPin(pin.id)]));
  return { history, pin };
}
