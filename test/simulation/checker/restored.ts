/** I8: what was confirmed, and a restart. */
import { INTERLOCK_DELAY_MAX_MS } from '../../support/time/promised-times';
import type { Device } from '../machines/device';
import type { Edge } from '../witnesses/board-records';
import type { Life } from '../witnesses/history';
import type { Facts } from './facts';
import { type Order, wantsOn } from './orders';
import { isBrokenOff, isForestalled } from './policies/interlock';
import { endOf } from './policies/on-time';
import { isLimited, type Rules, rulesOf } from './policies/rules';
import type { Span } from './span';
import {
  absencesOf,
  boardTroubles,
  isTouched,
  missedAnswersOf,
  POWER_ON_TURN_MS,
  SLACK_MS,
  SLOW_WRITE_MS,
} from './spans';
import type { Violation } from './violation';

export function checkRestorations(facts: Facts): Violation[] {
  return facts.devices.flatMap((device) =>
    rulesOf(device).flatMap((rules, n) => checkRestored(facts, device, rules, n, facts.edgesOf(device.setup.name, n))),
  );
}

/** An "on" that was confirmed is there again after a restart. */
function checkRestored(facts: Facts, device: Device, rules: Rules, n: number, edges: readonly Edge[]): Violation[] {
  const { name } = device.setup;
  const lives = facts.livesOf(device.guard.name);
  return lives.flatMap(({ fromMs, readyMs, bootId }): Violation[] => {
    if (readyMs === null) return [];
    const last = edges.findLast((edge) => edge.atMs < fromMs && facts.commandIdOf(edge) !== null);
    if (!last?.active || !isRestored(facts, name, n, { fromMs: last.orderedMs, untilMs: readyMs })) return [];
    const commandId = facts.commandIdOf(last);
    const isConfirmed = facts.history.verdicts.some(
      (v) => v.machine === name && v.commandId === commandId && v.outcome === 'executed',
    );
    const since = lives.filter((life) => life.fromMs > last.atMs && life.fromMs <= fromMs);
    // The first of its boot that died in its start has begun to count, and nobody knows from when on (I14).
    const isUncounted = (start: Pick<Life, 'bootId' | 'fromMs'>): boolean =>
      isLimited(rules) &&
      since.some(
        (life) =>
          life.readyMs === null && life.fromMs < start.fromMs && life.bootId === start.bootId && isFirstOf(lives, life),
      );
    const isUnknown = (start: Pick<Life, 'bootId' | 'fromMs'>): boolean =>
      isUncounted(start) || (isLimited(rules) && isUnrecorded(facts, name, last, lives, start));
    const isExcused =
      facts.isWipedBetween(name, last.atMs, readyMs) ||
      facts.hasTrouble(name, ['disk'], fromMs, readyMs) ||
      isTouched(fromMs, restoredByMs(readyMs, rules), [
        ...boardTroubles(facts, device, n),
        ...missedAnswersOf(facts, device, n),
      ]) ||
      isTouched(last.atMs, readyMs, absencesOf(facts, device)) ||
      hasRelease(facts, device, edges, { since: last, untilMs: fromMs }) ||
      hasBegunOff(facts, name, n, last.atMs, fromMs) ||
      isFoundOff(facts, edges, last, fromMs) ||
      hasFailedSince(facts, device, edges, { since: last, untilMs: fromMs }) ||
      // What one start has decided is what the next one finds.
      since.some(
        (life) => !isOnAfter(life, rules, edges) && (isUnknown(life) || isLeftOff(facts, device, rules, last, life)),
      ) ||
      isUnknown({ bootId, fromMs }) ||
      mayHaveEnded(facts, device, rules, last, fromMs);
    if (!isConfirmed || isExcused || isOnAfter({ readyMs }, rules, edges)) return [];
    return [
      {
        invariant: 'I8',
        atMs: readyMs,
        sentence: `output ${n} of ${name} was confirmed on and is off after a restart`,
      },
    ];
  });
}

/** No other guard of its boot was ready before: what that one knew stands in the journal. */
function isFirstOf(lives: readonly Life[], { bootId, fromMs }: Life): boolean {
  return !lives.some((earlier) => earlier.bootId === bootId && earlier.readyMs !== null && earlier.fromMs < fromMs);
}

/**
 * The first guard of its boot that had the output on died before a slow journal had since when: the next one of that boot cannot
 * know how much of its time it has had (I14). Whatever holds up the journal later takes that from none.
 */
function isUnrecorded(
  facts: Facts,
  machine: string,
  on: Edge,
  lives: readonly Life[],
  { bootId, fromMs }: Pick<Life, 'bootId' | 'fromMs'>,
): boolean {
  const first = lives.find((life) => life.bootId === bootId && life.readyMs !== null && (life.untilMs ?? 0) > on.atMs);
  if (first?.readyMs == null || first.untilMs === null || first.untilMs > fromMs) return false;
  const givenMs = Math.max(on.atMs, first.readyMs) + SLACK_MS;
  if (!facts.hasTrouble(machine, ['journal'], givenMs - SLOW_WRITE_MS, givenMs)) return false;
  const writtenMs = facts.workedBy(machine, ['journal'], givenMs - SLOW_WRITE_MS, SLOW_WRITE_MS);
  return first.untilMs <= writtenMs;
}

/** When a start has brought on what it restores, and had everybody wait whose interlock wants that. */
function restoredByMs(readyMs: number, { interlock }: Rules): number {
  return readyMs + (interlock === null ? 0 : INTERLOCK_DELAY_MAX_MS + SLACK_MS);
}

function isOnAfter({ readyMs }: Pick<Life, 'readyMs'>, rules: Rules, edges: readonly Edge[]): boolean {
  if (readyMs === null) return false;
  const byMs = restoredByMs(readyMs, rules);
  return edges.some((edge, nth) => edge.active && edge.atMs <= byMs && (edges[nth + 1]?.atMs ?? byMs) >= readyMs);
}

/** A start may leave off what was on: its time is over, or another one of its interlock goes on. */
function isLeftOff(facts: Facts, device: Device, rules: Rules, on: Edge, { fromMs, readyMs, untilMs }: Life): boolean {
  if (readyMs === null) return false;
  return (
    isForestalled(facts, device, on.output, { fromMs, untilMs: restoredByMs(readyMs, rules) }) ||
    isTakingTurns(facts, device, rules, { fromMs, untilMs: untilMs ?? facts.endMs }) ||
    endOf(facts, device, rules, on, readyMs + turnMs(device, rules)) !== null
  );
}

/** What a start has an output wait for its interlock, where nothing else is in the way; its own time goes on meanwhile. */
function turnMs(device: Device, { interlock }: Rules): number {
  if (interlock === null) return 0;
  const group = rulesOf(device).filter((other) => other.interlock === interlock);
  return device.clock.trueDelayMs(Math.max(...group.map(({ interlockDelayMs }) => interlockDelayMs))) + SLACK_MS;
}

/** It waits for the others of its interlock, and its guard died or was asked for one of them before. */
function isTakingTurns(facts: Facts, device: Device, { interlock }: Rules, life: Span): boolean {
  if (interlock === null) return false;
  const byMs = life.fromMs + POWER_ON_TURN_MS;
  const rules = rulesOf(device);
  const isAsked = facts.orders.some(
    ({ machine, numOutput, atMs }) =>
      machine === device.setup.name && rules[numOutput]?.interlock === interlock && atMs > life.fromMs && atMs < byMs,
  );
  return isAsked || life.untilMs < byMs;
}

/** All the time, and by no policy that was another for a moment. */
function isRestored(facts: Facts, machine: string, numOutput: number, span: Span): boolean {
  const modes = facts.settings.valuesOf({ machine, numOutput }, 'mode', span);
  const policies = facts.settings.valuesOf({ machine, numOutput }, 'powerOn', span);
  const isForced = isTouched(span.fromMs, span.untilMs, facts.settings.forcedOf({ machine, output: numOutput }));
  return !modes.has('impulse') && !policies.has('off') && !policies.has('on') && !isForced;
}

/** A later command had begun to switch it off, or was told that it is: then "off" may be what is remembered. */
function hasBegunOff(facts: Facts, machine: string, n: number, fromMs: number, untilMs: number): boolean {
  const isOff = (order: Order): boolean =>
    order.machine === machine && order.numOutput === n && wantsOn(order) !== true;
  const isSince = (atMs: number): boolean => atMs > fromMs && atMs < untilMs;
  const begun = facts.history.starts.filter((start) => start.machine === machine && isSince(start.atMs));
  return facts.orders.some(
    (order) =>
      isOff(order) &&
      (begun.some(({ commandId }) => commandId === order.commandId) ||
        (order.verdict?.outcome === 'already-set' && isSince(order.verdict.atMs))),
  );
}

/** Its relay lost its supply, and an order since has had the guard read that: then "off" may be what is remembered. */
function isFoundOff(facts: Facts, edges: readonly Edge[], on: Edge, untilMs: number): boolean {
  const drop = edges.find(({ cause, atMs }) => cause === 'drop' && atMs > on.atMs);
  if (!drop) return false;
  return facts.orders.some(
    ({ machine, numOutput, atMs }) =>
      machine === drop.machine && numOutput === drop.output && atMs > drop.atMs && atMs < untilMs,
  );
}

/** A command was to bring it on again, and the board did not: it was refused, so a power cut must not bring "on" back. */
function hasFailedSince(
  facts: Facts,
  device: Device,
  edges: readonly Edge[],
  { since, untilMs }: { since: Edge; untilMs: number },
): boolean {
  const { machine, output } = since;
  const troubles = boardTroubles(facts, device, output);
  return facts.history.starts.some((start) => {
    if (start.machine !== machine || start.atMs <= since.atMs || start.atMs >= untilMs) return false;
    const order = facts.orders.find((other) => other.machine === machine && other.commandId === start.commandId);
    const isOff = edges.findLast(({ atMs }) => atMs <= start.atMs)?.active === false;
    if (order?.numOutput !== output || !isOff || order.edges.length > 0) return false;
    return isTouched(start.atMs, order.verdict?.atMs ?? untilMs, troubles);
  });
}

/** A policy was about to switch it off when its guard died: that is written down before its edge comes. */
function mayHaveEnded(facts: Facts, device: Device, rules: Rules, on: Edge, untilMs: number): boolean {
  if (hasEnded(facts, device, rules, on, untilMs)) return true;
  const diedMs = facts.livesOf(device.guard.name).findLast((life) => (life.untilMs ?? facts.endMs) <= untilMs)?.untilMs;
  if (diedMs == null) return false;
  const ended = endOf(facts, device, rules, on, diedMs + SLACK_MS);
  return ended !== null || isBrokenOff(facts, device, on.output, diedMs);
}

/** A policy had the board asked for off, whatever the relay did: off is what is remembered. */
export function hasEnded(facts: Facts, device: Device, rules: Rules, on: Edge, untilMs: number): boolean {
  return facts.history.offsAsked.some(
    ({ machine, output, atMs }) =>
      machine === on.machine &&
      output === on.output &&
      atMs > on.atMs &&
      atMs < untilMs &&
      (endOf(facts, device, rules, on, atMs) !== null || isBrokenOff(facts, device, output, atMs)),
  );
}

/**
 * It was driven off since, by itself, while the guard ran: then off is what is remembered. Not so of an orderly stop.
 */
function hasRelease(
  facts: Facts,
  device: Device,
  edges: readonly Edge[],
  { since, untilMs }: { since: Edge; untilMs: number },
): boolean {
  return edges.some(
    (edge) =>
      edge.atMs > since.atMs &&
      edge.atMs < untilMs &&
      !edge.active &&
      edge.cause === 'order' &&
      facts.commandIdOf(edge) === null &&
      !facts.hasTrouble(device.guard.name, ['stop'], edge.atMs, edge.atMs),
  );
}
