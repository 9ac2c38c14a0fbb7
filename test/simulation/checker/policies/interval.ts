/** `minSwitchIntervalMs`: no command switches on sooner than that after the last edge, and none is refused later. */

import type { Device } from '../../machines/device';
import type { Edge } from '../../witnesses/board-records';
import { isClick } from '../clicks';
import type { Facts } from '../facts';
import { wantsOn } from '../orders';
import { isTouched, relayTroubles, SLACK_MS } from '../spans';
import type { Violation } from '../violation';
import type { Rules } from './rules';

const ROUNDING_MS = 0.01;

export function checkInterval(
  facts: Facts,
  device: Device,
  rules: Rules,
  numOutput: number,
  edges: readonly Edge[],
): Violation[] {
  const { minSwitchIntervalMs } = rules;
  if (minSwitchIntervalMs === 0) return [];
  const { name } = device.setup;
  const intervalMs = device.clock.trueDelayMs(minSwitchIntervalMs);
  const say = (atMs: number, sentence: string): Violation => ({
    invariant: 'I14',
    atMs,
    sentence: `output ${numOutput} of ${name} ${sentence}`,
  });
  const clicks = new Set(facts.orders.filter((order) => isClick(facts, order)).flatMap((order) => order.edges));
  const tooSoon = edges.flatMap((on, n): Violation[] => {
    const before = edges[n - 1];
    // The power-on policy is not held up.
    if (!on.active || !before || facts.commandIdOf(on) === null || clicks.has(on)) return [];
    const sinceMs = on.atMs - before.atMs;
    if (sinceMs >= intervalMs - ROUNDING_MS) return [];
    return [say(on.atMs, `went on ${sinceMs.toFixed(1)} ms after its last edge, which is too soon`)];
  });
  // An "off" calls a power-on back that still waits: the board is told of it, and is off already, as its input shows or not.
  const calledBackMs = facts.orders
    .filter((order) => order.machine === name && order.numOutput === numOutput && wantsOn(order) === false)
    .flatMap(({ edges: [edge], verdict }) =>
      verdict?.outcome === 'already-set' || (verdict?.outcome === 'unproven' && !edge) ? [verdict.atMs] : [],
    );
  calledBackMs.push(...neverOnMs(facts, device, rules, numOutput, edges));
  const troubles = relayTroubles(facts, device, numOutput);
  const refused = facts.orders.flatMap((order): Violation[] => {
    const { machine, numOutput: n, verdict, renewals, atMs } = order;
    if (machine !== name || n !== numOutput || verdict?.reason !== 'switched-too-soon') return [];
    if (wantsOn(order) === false) return [say(verdict.atMs, 'was not switched off, as if that could be too soon')];
    const fromMs = atMs - intervalMs - SLACK_MS;
    const isSoon =
      edges.some((edge) => edge.atMs >= fromMs && edge.atMs <= verdict.atMs) ||
      renewals.length > 0 ||
      calledBackMs.some((ms) => ms >= fromMs && ms <= verdict.atMs) ||
      isTouched(fromMs, verdict.atMs, troubles);
    return isSoon ? [] : [say(verdict.atMs, 'was refused as too soon, and had not moved for long enough')];
  });
  return [...tooSoon, ...refused];
}

/** When `maxOnMs` ended a power-on that still waited for its turn: the board is told of it, and is off already. */
function neverOnMs(
  facts: Facts,
  { setup: { name }, guard, clock }: Device,
  { interlock, maxOnMs }: Rules,
  numOutput: number,
  edges: readonly Edge[],
): number[] {
  if (interlock === null || maxOnMs === 0) return [];
  return facts.livesOf(guard.name).flatMap(({ fromMs, readyMs }) => {
    if (readyMs === null) return [];
    const policies = facts.settings.valuesOf({ machine: name, numOutput }, 'powerOn', { fromMs, untilMs: readyMs });
    const overMs = readyMs + clock.trueDelayMs(maxOnMs);
    const wentOn = edges.some(({ active, atMs }) => active && atMs >= fromMs && atMs <= overMs);
    return wentOn || [...policies].every((policy) => policy === 'off') ? [] : [overMs];
  });
}
