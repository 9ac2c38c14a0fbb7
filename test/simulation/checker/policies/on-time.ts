/** How long an on-off output may be on, and what may end it before: `maxOnMs`, `onLinkLoss`, `onAgentLoss`. */
import { AGENT_HEARTBEAT_MS, SILENCE_MS } from '../../../support/time/promised-times';
import type { Device } from '../../machines/device';
import type { Edge } from '../../witnesses/board-records';
import type { Facts } from '../facts';
import type { Span } from '../span';
import { bootAt, isTouched, latestMs, relayTroubles, stalls } from '../spans';
import type { Violation } from '../violation';
import { agentSpans, gapsBetween, isThere, linkSpans } from './presence';
import type { Rules } from './rules';

/** The next sign of life is there by then. */
const SIGN_OF_LIFE_MS = AGENT_HEARTBEAT_MS + 100;
const EARLY_MS = 0.05;
const WAY_MS = 5;

/** I4: no longer than a policy allows. */
export function checkOnTime(facts: Facts, device: Device, rules: Rules, edges: readonly Edge[]): Violation[] {
  const { maxOnMs, onLinkLoss, linkLossMs, onAgentLoss, agentLossMs } = rules;
  const found: Violation[] = [];
  for (const [n, on] of edges.entries()) {
    if (!on.active || facts.settings.modesAt(on).has('impulse')) continue;
    const troubles = relayTroubles(facts, device, on.output);
    const offMs = edges[n + 1]?.atMs ?? facts.endMs;
    const say = (dueMs: number, why: string): void => {
      if (offMs <= latestMs(dueMs, on.atMs, troubles)) return;
      const where = `output ${on.output} of ${on.machine}`;
      const sentence = `${where} was on until ${(offMs - dueMs).toFixed(1)} ms after ${why}`;
      found.push({ invariant: 'I4', atMs: offMs, sentence });
    };
    if (maxOnMs > 0)
      say(onSinceMs(facts, device, on) + device.clock.trueDelayMs(maxOnMs), `its ${maxOnMs} ms were over`);
    const losses = [
      ...(onLinkLoss === 'off'
        ? [{ spans: linkSpans(facts, device, SILENCE_MS), lossMs: linkLossMs, what: 'link' }]
        : []),
      ...(onAgentLoss === 'off' ? [{ spans: agentSpans(facts, device), lossMs: agentLossMs, what: 'agent' }] : []),
    ];
    for (const { spans, lossMs, what } of losses) {
      for (const { fromMs, untilMs } of countedGaps(facts, device, spans)) {
        const dueMs = Math.max(on.atMs, fromMs) + device.clock.trueDelayMs(lossMs) + WAY_MS;
        // Put off beyond that, it is heard again before.
        if (latestMs(dueMs, on.atMs, troubles) < untilMs) say(dueMs, `the ${what} had been away for ${lossMs} ms`);
      }
    }
  }
  return found;
}

/** Why it may go off without a command at that moment; null: no policy of its own says so. */
export function endOf(facts: Facts, device: Device, rules: Rules, on: Edge, offMs: number): string | null {
  const { maxOnMs, onLinkLoss, linkLossMs, onAgentLoss, agentLossMs } = rules;
  const sinceMs = wantedSinceMs(facts, device, on);
  const isOver = (forMs: number): boolean => offMs >= sinceMs + device.clock.trueDelayMs(forMs) - EARLY_MS;
  if (maxOnMs > 0 && isOver(maxOnMs)) return 'max-on';
  const isAway = (spans: readonly Span[], lossMs: number): boolean => {
    const fromMs = offMs - device.clock.trueDelayMs(lossMs) + WAY_MS;
    return isOver(lossMs) && !isThere(facts, device, spans, { fromMs, untilMs: offMs, forMs: SIGN_OF_LIFE_MS });
  };
  if (onLinkLoss === 'off' && isAway(linkSpans(facts, device), linkLossMs)) return 'link-loss';
  if (onAgentLoss === 'off' && isAway(agentSpans(facts, device), agentLossMs)) return 'agent-loss';
  return null;
}

/**
 * Whether it was to be off by then, whatever its guard had heard: its own time was over, or nobody was there for all of the time that
 * its policy allows.
 */
export function mustHaveEnded(facts: Facts, device: Device, rules: Rules, on: Edge, offMs: number): boolean {
  if (endOf(facts, device, rules, on, offMs) === null) return false;
  const { maxOnMs, onLinkLoss, linkLossMs, onAgentLoss, agentLossMs } = rules;
  const trueMs = (forMs: number): number => device.clock.trueDelayMs(forMs);
  const wasAway = (spans: readonly Span[], lossMs: number): boolean => !isTouched(offMs - trueMs(lossMs), offMs, spans);
  return (
    (maxOnMs > 0 && offMs >= wantedSinceMs(facts, device, on) + trueMs(maxOnMs)) ||
    (onLinkLoss === 'off' && wasAway(linkSpans(facts, device), linkLossMs)) ||
    (onAgentLoss === 'off' && wasAway(agentSpans(facts, device), agentLossMs))
  );
}

/** By its edge: it cannot be later. */
export function onSinceMs(facts: Facts, device: Device, on: Edge): number {
  return firstOn(facts, device, on).atMs;
}

/** What a start brings on has its time from that start, whatever it waits for. */
function wantedSinceMs(facts: Facts, device: Device, on: Edge): number {
  const first = firstOn(facts, device, on);
  if (facts.commandIdOf(first) !== null) return first.atMs;
  const boot = bootAt(facts, device, first.atMs);
  return facts.livesOf(device.guard.name).find(({ bootId }) => bootId === boot)?.fromMs ?? first.atMs;
}

/** An output that an orderly stop took off and the next guard of that boot put on again has no new time. */
function firstOn(facts: Facts, device: Device, on: Edge): Edge {
  const edges = facts.edgesOf(on.machine, on.output);
  const isOwn = (edge: Edge | undefined): boolean =>
    edge?.cause === 'order' &&
    facts.commandIdOf(edge) === null &&
    bootAt(facts, device, edge.atMs) === bootAt(facts, device, on.atMs);
  let first = edges.indexOf(on);
  while (isOwn(edges[first]) && isOwn(edges[first - 1]) && first >= 2) first -= 2;
  return edges[first] ?? on;
}

/**
 * Of each boot: when its guards could hear of nobody. The first one counts from its start; one that hung hears what was
 * said before as if it were said now.
 */
function countedGaps(facts: Facts, device: Device, spans: readonly Span[]): Span[] {
  const hangs = stalls(facts, device.guard.name);
  const gaps = gapsBetween(spans, facts.endMs).map(({ fromMs, untilMs }) => {
    const hang = hangs.find((one) => one.fromMs <= fromMs && one.untilMs >= fromMs);
    return { fromMs: hang?.untilMs ?? fromMs, untilMs };
  });
  const lives = facts.livesOf(device.guard.name).filter(({ readyMs }) => readyMs !== null);
  return [...new Set(lives.map(({ bootId }) => bootId))].flatMap((boot) => {
    const own = lives.filter(({ bootId }) => bootId === boot);
    const beginMs = own[0]?.readyMs ?? 0;
    const endMs = own.at(-1)?.untilMs ?? facts.endMs;
    return gaps.map((gap) => ({ fromMs: Math.max(gap.fromMs, beginMs), untilMs: Math.min(gap.untilMs, endMs) }));
  });
}
