/** Where the clock begins at a start. */
import type { WallClock } from '@relaygate/shared';
import type { Files } from '../files/files';
import { lastGoodTimeFile } from '../files/last-good-time';
import type { Log } from '../runtime/log';

export interface ClockStartDeps {
  files: Files;
  /** Of last-good-time.json. */
  path: string;
  wallClock: WallClock;
  log: Log;
  /** Rejects if this user may not, or the system refuses. */
  setClock(epochMs: number): Promise<void>;
}

/**
 * Sets a clock without a battery to the last time at which the device was linked, never back. Without a time server, a
 * certificate that is newer than the package would else be "not yet valid" for ever.
 */
export async function startClock({ files, path, wallClock, log, setClock }: ClockStartDeps): Promise<void> {
  const { text, value } = await lastGoodTimeFile(files, path).read();
  if (text === null) return;
  if (value === null) return log.warn(`${path} holds no time; the agent writes it anew when it is linked`);
  const lastMs = value.epochMs;
  if (lastMs <= wallClock.epochMs()) return;
  await setClock(lastMs);
  log.info(`the clock goes on from ${new Date(lastMs).toISOString()}, when this device was last linked`);
}
