/** Pulses, and `retrigger`: how long each may be, and that a command that must make one longer does. */
import type { WholeOutput } from '@relaygate/shared';
import type { Device } from '../../device';
import type { Edge, Renewal } from '../../history';
import type { Facts } from '../facts';
import { wantsOn } from '../orders';
import { isTouched, latestMs, relayTroubles, SLACK_MS } from '../spans';
import type { Violation } from '../violation';

const EARLY_MS = 0.05;

/** I4. */
export function checkPulses(
  facts: Facts,
  device: Device,
  rules: WholeOutput,
  numOutput: number,
  edges: readonly Edge[],
): Violation[] {
  const { name } = device.setup;
  const renewals = facts.history.renewals.filter(({ machine, output }) => machine === name && output === numOutput);
  return [
    ...edges.flatMap((on, n) => (on.active ? checkPulse(facts, device, rules, on, edges[n + 1], renewals) : [])),
    ...checkRetrigger(facts, device, rules, numOutput),
  ];
}

function checkPulse(
  facts: Facts,
  device: Device,
  { pulseMs, retrigger }: WholeOutput,
  on: Edge,
  off: Edge | undefined,
  renewals: readonly Renewal[],
): Violation[] {
  const troubles = relayTroubles(facts, device);
  const offMs = off?.atMs ?? facts.endMs;
  const lengthMs = device.clock.trueDelayMs(pulseMs);
  const what = `a pulse of ${pulseMs} ms on output ${on.output} of ${on.machine}`;
  const say = (atMs: number, sentence: string): Violation[] => [
    { invariant: 'I4', atMs, sentence: `${what} ${sentence}` },
  ];
  let dueMs = on.atMs + lengthMs;
  for (const { atMs, orderedMs } of renewals) {
    if (atMs < on.atMs || atMs > offMs) continue;
    if (retrigger === 'ignore') return say(atMs, 'was made longer, which it must not be');
    if (orderedMs > latestMs(dueMs, on.atMs, troubles)) return say(atMs, 'was made longer after its end');
    dueMs = atMs + lengthMs;
  }
  if (offMs > latestMs(dueMs, on.atMs, troubles))
    return say(offMs, `lasted ${(offMs - on.atMs).toFixed(1)} ms, which nothing excuses`);
  const isCutShort = off && off.cause === 'order' && offMs < dueMs - EARLY_MS;
  if (!isCutShort || isTouched(on.atMs, offMs + SLACK_MS, troubles)) return [];
  return say(offMs, `ended after ${(offMs - on.atMs).toFixed(1)} ms`);
}

/** I3: a pulse that is to be longer is, before that is confirmed. */
function checkRetrigger(facts: Facts, device: Device, { retrigger }: WholeOutput, numOutput: number): Violation[] {
  if (retrigger !== 'extend') return [];
  return facts.orders.flatMap((order): Violation[] => {
    const { machine, numOutput: n, verdict, edges, renewals, commandId } = order;
    if (machine !== device.setup.name || n !== numOutput || verdict?.outcome !== 'executed') return [];
    // A toggle is a pulse too.
    const hasMoved = edges.length + renewals.length > 0;
    if (hasMoved || wantsOn(order) === false) return [];
    const sentence = `output ${numOutput} of ${machine} was not pulsed anew, and its guard says executed (${commandId})`;
    return [{ invariant: 'I3', atMs: verdict.atMs, sentence }];
  });
}
