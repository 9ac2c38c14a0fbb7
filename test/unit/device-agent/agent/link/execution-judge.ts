import { strict as assert } from 'node:assert';
import type { LinkEffect } from '@relaygate/device-agent/agent/link/link';
import { CLOCK_DRIFT, EXECUTION_DEADLINE_MS, TIME_SAMPLE_LIFE_MS } from '@relaygate/shared';
import type { Connection } from './link-connection';

/** What two crystals may drift apart, in both directions, from the oldest sample that counts to the deadline. */
const MAX_DRIFT_MS = 2 * CLOCK_DRIFT * (TIME_SAMPLE_LIFE_MS + EXECUTION_DEADLINE_MS);
/** Of numbers with fractions. */
const ROUNDING_MS = 1e-6;

/** May this be executed, and is its deadline right by the server's true clock? */
export function judgeExecution(
  { epoch, upMs, time }: Connection,
  { command, startBeforeMs }: Extract<LinkEffect, { do: 'execute' }>,
  nowMs: number,
): void {
  assert(upMs !== null, 'I2: executes before the link is up');
  assert.equal(command.epoch, epoch, 'I12: executes a command of another epoch');
  if (startBeforeMs === null) {
    assert(!time.isKnownAt(nowMs), 'I3: refuses though the time is known');
    return;
  }
  assert(time.isKnownAt(nowMs), 'I14: executes without knowing the time');
  const spareMs = command.executeBeforeMs - time.at(startBeforeMs);
  // A deadline that has passed starts nothing, wherever exactly it lies.
  assert(startBeforeMs <= nowMs || spareMs >= -ROUNDING_MS, 'I2: would start after the execution deadline');
  assert(spareMs <= time.bestRttMs(nowMs) + MAX_DRIFT_MS, 'I3: gives up long before the deadline');
}
