/**
 * The server's clock as time exchanges on one link show it. It ends with the link's epoch, because another server process
 * has another clock. I2, I14.
 */
import { CLOCK_DRIFT, TIME_SAMPLE_LIFE_MS } from './limits';

export interface TimeSample {
  /** Both on this device's clock. */
  sentMs: number;
  receivedMs: number;
  /** On the server's clock, at some moment between the two. */
  serverMs: number;
}

export type TimeSync = readonly TimeSample[];

export const NO_TIME_SYNC: TimeSync = [];

/** Samples are asked for every 10 s and live for 60 s; the oldest beyond that are dropped. I15. */
const KEPT_SAMPLES = 16;

export function withSample(sync: TimeSync, sample: TimeSample): TimeSync {
  return [...sync.filter((older) => isAlive(older, sample.receivedMs)), sample].slice(-KEPT_SAMPLES);
}

/**
 * The moment on this device's clock that certainly lies before `serverDeadlineMs` on the server's, or null without a
 * usable sample. The error is half the round trip, and the drift of two crystals up to the deadline itself.
 */
export function localDeadlineMs(sync: TimeSync, serverDeadlineMs: number, nowMs: number): number | null {
  const best = sync
    .filter((sample) => isAlive(sample, nowMs))
    .reduce<TimeSample | null>((least, sample) => (!least || rttOf(sample) < rttOf(least) ? sample : least), null);
  if (!best) return null;
  const middleMs = (best.sentMs + best.receivedMs) / 2;
  const estimateMs = serverDeadlineMs - (best.serverMs - middleMs);
  const driftMs = CLOCK_DRIFT * Math.max(0, estimateMs - middleMs);
  return estimateMs - rttOf(best) / 2 - driftMs;
}

function rttOf({ sentMs, receivedMs }: TimeSample): number {
  return receivedMs - sentMs;
}

function isAlive({ receivedMs }: TimeSample, nowMs: number): boolean {
  return nowMs - receivedMs <= TIME_SAMPLE_LIFE_MS;
}
