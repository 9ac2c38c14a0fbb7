import { describe, expect, test } from '@jest/globals';
import {
  CLOCK_DRIFT,
  localDeadlineMs,
  NO_TIME_SYNC,
  remoteMomentMs,
  TIME_SAMPLE_LIFE_MS,
  type TimeSample,
  withSample,
} from '@relaygate/shared';
import fc from 'fast-check';
import { generatedRounds } from '../../support/chance/generated-rounds';
import { TIME_VECTORS } from '../../support/link-protocol/vectors';

/** The server's clock runs 1,000,000 ms ahead. */
const AHEAD_MS = 1_000_000;
const sample = (sentMs: number, rttMs: number): TimeSample => ({
  sentMs,
  receivedMs: sentMs + rttMs,
  serverMs: sentMs + rttMs / 2 + AHEAD_MS,
});

describe('a deadline of the server', () => {
  test('lies half a round trip and the drift before its estimate', () => {
    const sync = withSample(NO_TIME_SYNC, sample(100, 40));
    const deadline = localDeadlineMs(sync, AHEAD_MS + 5_120, 200);
    expect(deadline).toBeCloseTo(5_120 - 20 - 5_000 * CLOCK_DRIFT, 6);
  });

  test('is taken from the sample with the smallest round trip', () => {
    const sync = [sample(100, 400), sample(600, 10), sample(700, 90)].reduce(withSample, NO_TIME_SYNC);
    expect(localDeadlineMs(sync, AHEAD_MS + 605, 800)).toBeCloseTo(600, 6);
  });

  test('is unknown without a sample, and once the last one is too old', () => {
    expect(localDeadlineMs(NO_TIME_SYNC, 1, 1)).toBeNull();
    const sync = withSample(NO_TIME_SYNC, sample(0, 10));
    expect(localDeadlineMs(sync, AHEAD_MS, 10 + TIME_SAMPLE_LIFE_MS)).not.toBeNull();
    expect(localDeadlineMs(sync, AHEAD_MS, 11 + TIME_SAMPLE_LIFE_MS)).toBeNull();
  });

  test.each(TIME_VECTORS.cases)(
    'is that of shared/vectors/time-exchange.json: $case',
    ({ samples, nowMs, executeBeforeMs, startBeforeMs }) => {
      const deadline = localDeadlineMs(samples.reduce(withSample, NO_TIME_SYNC), executeBeforeMs, nowMs);
      if (startBeforeMs === null) expect(deadline).toBeNull();
      else expect(deadline).toBeCloseTo(startBeforeMs, 6);
    },
  );

  test('never comes later than the true moment, however the round trip was split and the clocks drift (I2)', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 2_000, noNaN: true }),
        fc.double({ min: 0, max: 2_000, noNaN: true }),
        fc.double({ min: -CLOCK_DRIFT * 0.99, max: CLOCK_DRIFT * 0.99, noNaN: true }),
        fc.double({ min: 0, max: 60_000, noNaN: true }),
        (thereMs, backMs, drift, aheadOfSampleMs) => {
          const sentMs = 500;
          const serverNow = (localMs: number): number => AHEAD_MS + localMs * (1 + drift);
          const sync = withSample(NO_TIME_SYNC, {
            sentMs,
            receivedMs: sentMs + thereMs + backMs,
            serverMs: serverNow(sentMs + thereMs),
          });
          const serverDeadlineMs = serverNow(sentMs + thereMs) + aheadOfSampleMs;
          const deadline = localDeadlineMs(sync, serverDeadlineMs, sentMs + thereMs + backMs) ?? Number.NaN;
          expect(serverNow(deadline)).toBeLessThanOrEqual(serverDeadlineMs + 2_500 * CLOCK_DRIFT);
        },
      ),
      generatedRounds(100, 1_000),
    );
  });
});

describe('a moment of this side', () => {
  test('lies half a round trip and the drift before its estimate on the other clock', () => {
    const sync = [sample(100, 400), sample(600, 10)].reduce(withSample, NO_TIME_SYNC);
    expect(remoteMomentMs(sync, 605, 800)).toBeCloseTo(AHEAD_MS + 600, 6);
    for (const localMs of [605 - 4_000, 605 + 4_000])
      expect(remoteMomentMs(sync, localMs, 800)).toBeCloseTo(AHEAD_MS + localMs - 5 - 4_000 * CLOCK_DRIFT, 6);
  });

  test('is unknown without a sample, and once the last one is too old', () => {
    expect(remoteMomentMs(NO_TIME_SYNC, 1, 1)).toBeNull();
    expect(remoteMomentMs([sample(0, 10)], 1, 11 + TIME_SAMPLE_LIFE_MS)).toBeNull();
  });

  test('never comes later than it is on the other clock, however the round trip was split and the clocks drift (I2)', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 2_000, noNaN: true }),
        fc.double({ min: 0, max: 2_000, noNaN: true }),
        fc.double({ min: -CLOCK_DRIFT * 0.99, max: CLOCK_DRIFT * 0.99, noNaN: true }),
        fc.double({ min: -5_000, max: 60_000, noNaN: true }),
        (thereMs, backMs, drift, afterSampleMs) => {
          const sentMs = 5_000;
          const otherNow = (localMs: number): number => AHEAD_MS + localMs * (1 + drift);
          const receivedMs = sentMs + thereMs + backMs;
          const sync = withSample(NO_TIME_SYNC, { sentMs, receivedMs, serverMs: otherNow(sentMs + thereMs) });
          const localMs = sentMs + afterSampleMs;
          const moment = remoteMomentMs(sync, localMs, receivedMs) ?? Number.NaN;
          expect(moment).toBeLessThanOrEqual(otherNow(localMs) + 2_500 * CLOCK_DRIFT);
        },
      ),
      generatedRounds(100, 1_000),
    );
  });
});
