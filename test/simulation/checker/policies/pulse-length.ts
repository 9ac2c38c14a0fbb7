/** Pulses, and `retrigger`: how long each may be, and that a command that must make one longer does. */

import type { Device } from '../../machines/device';
import type { Edge, Renewal } from '../../witnesses/board-records';
import { startOf } from '../../witnesses/started';
import type { Facts } from '../facts';
import { wantsOn } from '../orders';
import { isTouched, latestMs, relayTroubles, SLACK_MS } from '../spans';
import type { Violation } from '../violation';
import type { Rules } from './rules';

const EARLY_MS = 0.05;
/** A command is looked at before it is written down. */
const BEGUN_BEFORE_MS = 50;

/** I4. */
export function checkPulses(
  facts: Facts,
  device: Device,
  rules: Rules,
  numOutput: number,
  edges: readonly Edge[],
): Violation[] {
  const { name } = device.setup;
  const renewals = facts.history.renewals.filter(({ machine, output }) => machine === name && output === numOutput);
  return [
    ...edges.flatMap((on, n) => {
      if (!on.active || facts.settings.modesAt(on).has('on-off')) return [];
      return checkPulse(facts, device, rules, on, edges[n + 1], renewals);
    }),
    ...checkRetrigger(facts, device, rules, numOutput),
  ];
}

function checkPulse(
  facts: Facts,
  device: Device,
  { retrigger }: Rules,
  on: Edge,
  off: Edge | undefined,
  renewals: readonly Renewal[],
): Violation[] {
  const troubles = relayTroubles(facts, device, on.output);
  const offMs = off?.atMs ?? facts.endMs;
  let { shortestMs, longestMs } = lengthsAt(facts, device, on);
  const what = `a pulse of ${[...new Set([shortestMs, longestMs])].map(Math.round).join(' or ')} ms on output ${on.output} of ${on.machine}`;
  const say = (atMs: number, sentence: string): Violation[] => [
    { invariant: 'I4', atMs, sentence: `${what} ${sentence}` },
  ];
  let sinceMs = on.atMs;
  for (const renewal of renewals) {
    const { atMs, orderedMs } = renewal;
    if (atMs < on.atMs || atMs > offMs) continue;
    if (retrigger === 'ignore') return say(atMs, 'was made longer, which it must not be');
    if (orderedMs > latestMs(sinceMs + longestMs, on.atMs, troubles)) return say(atMs, 'was made longer after its end');
    sinceMs = atMs;
    ({ shortestMs, longestMs } = lengthsAt(facts, device, renewal));
  }
  if (offMs > latestMs(sinceMs + longestMs, on.atMs, troubles))
    return say(offMs, `lasted ${(offMs - on.atMs).toFixed(1)} ms, which nothing excuses`);
  const isCutShort =
    off && off.cause === 'order' && offMs < sinceMs + shortestMs - EARLY_MS && !isStopped(facts, on, offMs);
  const excuses = [...troubles, ...facts.settings.forcedOf(on)];
  if (!isCutShort || isTouched(on.atMs, offMs + SLACK_MS, excuses)) return [];
  return say(offMs, `ended after ${(offMs - on.atMs).toFixed(1)} ms`);
}

/** Somebody on site has ended this very pulse. */
function isStopped(facts: Facts, on: Edge, offMs: number): boolean {
  const { machine, output } = on;
  const names = namesOf(facts.edgesOf(machine, output), on);
  return facts.orders.some(
    ({ command, atMs, ...order }) =>
      command.action === 'stop' &&
      names.includes(command.pulseSinceMs) &&
      order.machine === machine &&
      order.numOutput === output &&
      atMs <= offMs,
  );
}

/** What makes a pulse longer leaves it its name, also where its relay had dropped meanwhile. */
export function namesOf(edges: readonly Edge[], on: Edge): (number | null)[] {
  const n = edges.indexOf(on);
  const [before, off] = edges.slice(Math.max(0, n - 2), n);
  return [on.clockMs, ...(before && off?.cause === 'drop' ? namesOf(edges, before) : [])];
}

/** As it was set when the command began, whatever has been set since; two while a change is under way. */
function lengthsAt(
  facts: Facts,
  device: Device,
  moved: Pick<Edge, 'machine' | 'output' | 'notAfterMs' | 'orderedMs' | 'atMs'>,
): { shortestMs: number; longestMs: number } {
  const { machine, output, orderedMs, atMs } = moved;
  const start = startOf(facts.history, moved);
  // Where it was first asked for: a slow journal comes between that and its start.
  const asked = facts.orders.find((order) => order.machine === machine && order.commandId === start?.commandId);
  const fromMs = Math.min(asked?.atMs ?? orderedMs, (start?.atMs ?? orderedMs) - BEGUN_BEFORE_MS);
  const begun = { fromMs, untilMs: atMs };
  const lengths = [...facts.settings.valuesOf({ machine, numOutput: output }, 'pulseMs', begun)];
  const [shortestMs, longestMs] = [Math.min(...lengths), Math.max(...lengths)].map((ms) =>
    device.clock.trueDelayMs(ms),
  );
  return { shortestMs: shortestMs ?? 0, longestMs: longestMs ?? 0 };
}

/** I3: a pulse that is to be longer is, before that is confirmed. */
function checkRetrigger(facts: Facts, device: Device, { retrigger }: Rules, numOutput: number): Violation[] {
  if (retrigger !== 'extend') return [];
  return facts.orders.flatMap((order): Violation[] => {
    const { machine, numOutput: n, verdict, edges, renewals, commandId } = order;
    if (machine !== device.setup.name || n !== numOutput || verdict?.outcome !== 'executed') return [];
    // A toggle is a pulse too.
    const hasMoved = edges.length + renewals.length > 0;
    if (hasMoved || wantsOn(order) === false) return [];
    // Where it is no output of pulses, a toggle that switches off what had lost its supply moves nothing.
    const span = { fromMs: order.atMs, untilMs: verdict.atMs };
    if (facts.settings.valuesOf({ machine, numOutput }, 'mode', span).has('on-off')) return [];
    const sentence = `output ${numOutput} of ${machine} was not pulsed anew, and its guard says executed (${commandId})`;
    return [{ invariant: 'I3', atMs: verdict.atMs, sentence }];
  });
}
