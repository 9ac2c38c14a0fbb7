import type { OutputSettings } from '@relaygate/shared/device';
import { INTERLOCK_DELAY_MAX_MS } from '../../support/promised-times';
import type { Device } from '../device';
import type { Edge, Life } from '../history';
import { problemAtReturn, returnsOf } from './absences';
import type { Facts } from './facts';
import { isOpenAt, type Order, wantsOn } from './orders';
import { isBrokenOff, isForestalled, isInDoubt } from './policies/interlock';
import { endOf, onSinceMs } from './policies/on-time';
import { isLimited, type Rules, rulesOf } from './policies/rules';
import type { Span } from './span';
import {
  absencesOf,
  boardTroubles,
  bootAt,
  isTouched,
  isWithin,
  latestMs,
  pauses,
  SLACK_MS,
  SLOW_WRITE_MS,
  stalls,
  startsOf,
} from './spans';
import type { Violation } from './violation';

/** How long an output that is to power on waits for the others of its interlock. */
const POWER_ON_TURN_MS = 10_100;
/** Disk and state file, unless there is trouble. */
const SAVED_WITHIN_MS = 100;
/** Until a guard hears of an edge from its board. */
const ANSWERED_WITHIN_MS = 0.15;
/** A state that a disk has refused is tried again after a second. */
const SAVED_AGAIN_MS = 3_000;

/** I5, I8: what the relays did, command or not. */
export function checkRelays(facts: Facts): Violation[] {
  return facts.devices.flatMap((device) =>
    rulesOf(device).flatMap((rules, n) => {
      const edges = facts.history.edges.filter((edge) => edge.machine === device.setup.name && edge.output === n);
      return [...checkUncommanded(facts, device, rules, n, edges), ...checkRestored(facts, device, rules, n, edges)];
    }),
  );
}

/** A guard whose board fails at its start has its outputs powered on when the board is back, and it has heard of that. */
function startsWithBoard(facts: Facts, device: Device, numOutput: number): Span[] {
  const hangs = stalls(facts, device.guard.name);
  const troubles = [...boardTroubles(facts, device, numOutput), ...absencesOf(facts, device), ...hangs];
  return startsOf(facts, device).map(({ fromMs, untilMs }) => ({
    fromMs,
    untilMs: latestMs(untilMs, fromMs, troubles),
  }));
}

/** I5: what moves without a command is a pulse's end, a start's policy, or a failing board. */
function checkUncommanded(
  facts: Facts,
  device: Device,
  rules: Rules,
  numOutput: number,
  edges: readonly Edge[],
): Violation[] {
  const { name: machine } = device.setup;
  const starts = startsWithBoard(facts, device, numOutput);
  const absences = returnsOf(facts, device, numOutput);
  const forced = facts.settings.forcedOf({ machine, output: numOutput });
  const troubles = [...boardTroubles(facts, device, numOutput), ...absences, ...pauses(facts, device), ...forced];
  return edges.flatMap((edge, n): Violation[] => {
    if (facts.commandIdOf(edge) !== null || edge.cause !== 'order') return [];
    const where = `output ${numOutput} of ${machine}`;
    // Those of an interlock wait for their turn, and the guard is ready before.
    const turnMs = edge.active && rules.interlock !== null ? POWER_ON_TURN_MS : SLACK_MS;
    const start = starts.findLast(({ fromMs, untilMs }) => edge.atMs >= fromMs && edge.atMs <= untilMs + turnMs);
    const span = { fromMs: start?.fromMs ?? edges[n - 1]?.atMs ?? 0, untilMs: edge.atMs };
    const modes = facts.settings.valuesOf({ machine, numOutput }, 'mode', span);
    if (!edge.active) {
      if (modes.has('impulse') || start || isWithin(edge.atMs, troubles)) return [];
      const on = edges[n - 1];
      if (on && endOf(facts, device, rules, on, edge.atMs) !== null) return [];
      if (isBrokenOff(facts, device, edge.output, edge.orderedMs)) return [];
      const turn = [...starts, ...absences].findLast(
        ({ untilMs }) => edge.atMs >= untilMs && edge.atMs <= untilMs + POWER_ON_TURN_MS && rules.interlock !== null,
      );
      if (turn && isCalledOff(facts, edge)) return [];
      // Closed since before: it is not on until its turn has come, and is opened where that is refused.
      const isClosed = turn && on && on.atMs <= turn.fromMs + ANSWERED_WITHIN_MS;
      if (isClosed && isInDoubt(facts, device, edge.output, edge.orderedMs)) return [];
      return [{ invariant: 'I5', atMs: edge.atMs, sentence: `${where} went off by itself` }];
    }
    const found = (why: string): Violation[] => [
      { invariant: 'I5', atMs: edge.atMs, sentence: `${where} went on ${why}` },
    ];
    const isBack = absences.some(({ fromMs, untilMs }) => edge.atMs >= fromMs && edge.atMs <= untilMs + turnMs);
    const problemBack = isBack ? problemAtReturn(facts, device, rules, edges.slice(0, n), edge) : 'without a command';
    if (!start && problemBack !== null) return found(problemBack);
    if (!start) return [];
    if (!modes.has('on-off')) return found('at a start, and it is an impulse output');
    const policies = [...facts.settings.valuesOf({ machine, numOutput }, 'powerOn', span)];
    const problems = policies.map((powerOn) => problemAtStart(facts, device, powerOn, rules, edges.slice(0, n + 1)));
    const [first] = problems;
    return first && !problems.includes(null) ? found(first) : [];
  });
}

/** "Off" came while its output waited for its turn to power on: the guard puts it off without more ado. */
function isCalledOff(facts: Facts, { machine, output, atMs }: Edge): boolean {
  return facts.orders.some(
    (order) =>
      order.machine === machine && order.numOutput === output && wantsOn(order) === false && isOpenAt(order, atMs),
  );
}

/** Why this policy may not have switched on the edge at a start; null: it may. */
function problemAtStart(
  facts: Facts,
  device: Device,
  powerOn: OutputSettings['powerOn'],
  rules: Rules,
  edges: readonly Edge[],
): string | null {
  const atMs = edges.at(-1)?.atMs ?? 0;
  const earlier = edges.slice(0, -1);
  const { maxOnMs } = rules;
  switch (powerOn) {
    case 'off':
      return 'at a start, and its policy is off';
    case 'on': {
      const boot = bootAt(facts, device, atMs);
      const before = earlier.some(
        (e) =>
          e.active &&
          facts.commandIdOf(e) === null &&
          bootAt(facts, device, e.atMs) === boot &&
          !isUnanswered(facts, device, e),
      );
      return before ? 'twice in one boot' : null;
    }
    case 'restore': {
      // What the policy before has switched on at a start is to be restored like what a command did.
      const last = earlier.findLast((e) => e.active || facts.commandIdOf(e) !== null);
      const [on] = edges.slice(-1);
      if (maxOnMs > 0 && on && atMs > onSinceMs(facts, device, on) + device.clock.trueDelayMs(maxOnMs) + SLACK_MS)
        return 'at a start, and its time was over';
      if (last?.active && wasEnded(facts, device, rules, earlier, last)) return 'at a start, after its end';
      if (last?.active) return null;
      // "Off" was to be durable before its edge, unless the disk refused until its guard ended.
      if (last && wasUnsaved(facts, device, last.orderedMs, lifeAt(facts, device, last.orderedMs)?.untilMs ?? atMs))
        return null;
      return 'at a start, and it was off before';
    }
    default:
      return powerOn satisfies never;
  }
}

/** Its board went before its guard could hear of it: what was to be on is not, as far as anybody knows. */
function isUnanswered(facts: Facts, device: Device, { atMs }: Edge): boolean {
  return absencesOf(facts, device).some(({ fromMs }) => fromMs >= atMs && fromMs <= atMs + ANSWERED_WITHIN_MS);
}

/** I8: an "on" that was confirmed is there again after a restart. */
function checkRestored(facts: Facts, device: Device, rules: Rules, n: number, edges: readonly Edge[]): Violation[] {
  const { name } = device.setup;
  const lives = facts.livesOf(device.guard.name);
  return lives.flatMap(({ fromMs, readyMs }): Violation[] => {
    if (readyMs === null) return [];
    const last = edges.findLast((edge) => edge.atMs < fromMs && facts.commandIdOf(edge) !== null);
    if (!last?.active || !isRestored(facts, name, n, { fromMs: last.orderedMs, untilMs: readyMs })) return [];
    const commandId = facts.commandIdOf(last);
    const isConfirmed = facts.history.verdicts.some(
      (v) => v.machine === name && v.commandId === commandId && v.outcome === 'executed',
    );
    const since = lives.filter((life) => life.fromMs > last.atMs && life.fromMs <= fromMs);
    const isExcused =
      facts.hasTrouble(name, ['disk'], fromMs, readyMs) ||
      isTouched(fromMs, restoredByMs(readyMs, rules), boardTroubles(facts, device, n)) ||
      isTouched(last.atMs, readyMs, absencesOf(facts, device)) ||
      hasRelease(facts, device, edges, { since: last, untilMs: fromMs }) ||
      hasBegunOff(facts, name, n, last.atMs, fromMs) ||
      isFoundOff(facts, edges, last, fromMs) ||
      // What one start has decided is what the next one finds.
      since.some((life) => !isOnAfter(life, rules, edges) && isLeftOff(facts, device, rules, last, life)) ||
      (isLimited(rules) && facts.hasTrouble(name, ['journal'], last.atMs, readyMs)) ||
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
    endOf(facts, device, rules, on, readyMs) !== null
  );
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

/** The disk was in trouble then, or came into it while what it had refused was tried again, and so on until `untilMs`. */
function wasUnsaved(facts: Facts, { setup: { name } }: Device, fromMs: number, untilMs: number): boolean {
  if (!facts.hasTrouble(name, ['disk'], fromMs - SLOW_WRITE_MS, fromMs + SLOW_WRITE_MS)) return false;
  return facts.workedBy(name, ['disk'], fromMs - SLOW_WRITE_MS, SAVED_AGAIN_MS) > untilMs;
}

/** Of its guard. */
function lifeAt(facts: Facts, device: Device, atMs: number): Life | undefined {
  return facts
    .livesOf(device.guard.name)
    .find(({ fromMs, untilMs }) => fromMs <= atMs && (untilMs ?? facts.endMs) > atMs);
}

/** The guard before had switched it off by itself, long enough before its own end to write that down. */
function wasEnded(facts: Facts, device: Device, rules: Rules, edges: readonly Edge[], since: Edge): boolean {
  const unsaved = [...pauses(facts, device), ...facts.settings.forcedOf(since)];
  return edges.some(({ active, atMs, cause }) => {
    if (active || cause !== 'order' || atMs <= since.atMs) return false;
    const life = lifeAt(facts, device, atMs);
    if (life?.readyMs == null || life.readyMs > atMs || life.untilMs === null) return false;
    // Kept off at the start by its interlock, or put off since its board did not bring it on, it stays remembered as it was.
    const wasOn = edges.some(
      (edge) => edge.active && edge.hasFailed !== true && edge.atMs >= life.fromMs && edge.atMs < atMs,
    );
    const isTurn = rules.interlock !== null && atMs <= life.readyMs + POWER_ON_TURN_MS;
    const failures = [...boardTroubles(facts, device, since.output), ...absencesOf(facts, device)];
    const isTriedAgain = atMs <= latestMs(life.readyMs, life.fromMs, failures);
    if ((isTurn || isTriedAgain) && !wasOn && endOf(facts, device, rules, since, atMs) === null) return false;
    const hadTime = life.untilMs - atMs > SAVED_WITHIN_MS && !isWithin(atMs, unsaved);
    return hadTime && !wasUnsaved(facts, device, atMs, life.untilMs);
  });
}

/** A policy was about to switch it off when its guard died: that is written down before its edge comes. */
function mayHaveEnded(facts: Facts, device: Device, rules: Rules, on: Edge, untilMs: number): boolean {
  const diedMs = facts.livesOf(device.guard.name).findLast((life) => (life.untilMs ?? facts.endMs) <= untilMs)?.untilMs;
  if (diedMs == null) return false;
  const ended = endOf(facts, device, rules, on, diedMs + SLACK_MS);
  return ended !== null || isBrokenOff(facts, device, on.output, diedMs);
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
