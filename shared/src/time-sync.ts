/**
 * The clock of another process as time exchanges with it show it: of the server, or of another node. It ends with that
 * process (on the device's link with the epoch), because another process may be on another machine. I2, I14.
 */
import { CLOCK_DRIFT, TIME_SAMPLE_LIFE_MS } from './limits';

export interface TimeSample {
  /** Both on the clock of this side. */
  sentMs: number;
  receivedMs: number;
  /** On the other clock, at some moment between the two. */
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
 * The moment on this side's clock that certainly lies before `serverDeadlineMs` on the other, or null without a
 * usable sample. The error is half the round trip, and the drift of two crystals up to the deadline itself.
 */
export function localDeadlineMs(sync: TimeSync, serverDeadlineMs: number, nowMs: number): number | null {
  const best = bestSample(sync, nowMs);
  if (!best) return null;
  const middleMs = (best.sentMs + best.receivedMs) / 2;
  const estimateMs = serverDeadlineMs - (best.serverMs - middleMs);
  const driftMs = CLOCK_DRIFT * Math.max(0, estimateMs - middleMs);
  return estimateMs - rttOf(best) / 2 - driftMs;
}

/**
 * The moment on the other clock that certainly lies before `localMs` on this side's, or null without a usable sample. The error
 * is half the round trip, and the drift of two crystals between the sample and that moment.
 */
export function remoteMomentMs(sync: TimeSync, localMs: number, nowMs: number): number | null {
  const best = bestSample(sync, nowMs);
  if (!best) return null;
  const middleMs = (best.sentMs + best.receivedMs) / 2;
  const driftMs = CLOCK_DRIFT * Math.abs(localMs - middleMs);
  return localMs + (best.serverMs - middleMs) - rttOf(best) / 2 - driftMs;
}

/** The one with the smallest round trip of those that are young enough. */
function bestSample(sync: TimeSync, nowMs: number): TimeSample | null {
  return sync
    .filter((sample) => isAlive(sample, nowMs))
    .reduce<TimeSample | null>((least, sample) => (!least || rttOf(sample) < rttOf(least) ? sample : least), null);
}

function rttOf({ sentMs, receivedMs }: TimeSample): number {
  return receivedMs - sentMs;
}

function isAlive({ receivedMs }: TimeSample, nowMs: number): boolean {
  return nowMs - receivedMs <= TIME_SAMPLE_LIFE_MS;
}
