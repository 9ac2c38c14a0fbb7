import type { OutputSettings } from '@relaygate/shared/device';
import type { Device } from '../machines/device';
import type { Edge } from '../witnesses/board-records';
import type { Life } from '../witnesses/history';
import { problemAtReturn, returnsOf } from './absences';
import type { Facts } from './facts';
import { isOpenAt, type Order, wantsOn, wasDone, wasKeptFromMoving } from './orders';
import { isBrokenOff, isInDoubt } from './policies/interlock';
import { endOf, mustHaveEnded, onSinceMs } from './policies/on-time';
import { type Rules, rulesOf } from './policies/rules';
import type { Span } from './span';
import {
  absencesOf,
  boardTroubles,
  bootAt,
  isWithin,
  latestMs,
  POWER_ON_TURN_MS,
  POWERED_ON_AGAIN_MS,
  pauses,
  poweringOnAgain,
  retriesOf,
  SLACK_MS,
  SLOW_WRITE_MS,
  stalls,
  startsOf,
} from './spans';
import type { Violation } from './violation';

/** Disk and state file, unless there is trouble. */
const SAVED_WITHIN_MS = 100;
/** Until a guard hears of an edge from its board. */
const ANSWERED_WITHIN_MS = 0.15;
/** A state that a disk has refused is tried again after a second. */
const SAVED_AGAIN_MS = 3_000;

/** I5: what the relays did without a command. */
export function checkRelays(facts: Facts): Violation[] {
  return facts.devices.flatMap((device) =>
    rulesOf(device).flatMap((rules, n) =>
      checkUncommanded(facts, device, rules, n, facts.edgesOf(device.setup.name, n)),
    ),
  );
}

/** A guard whose board fails at its start has its outputs powered on when the board is back, and it has heard of that. */
function startsWithBoard(facts: Facts, device: Device, numOutput: number): Span[] {
  const hangs = [...stalls(facts, device.guard.name), ...poweringOnAgain(facts, device, numOutput)];
  const troubles = [
    ...boardTroubles(facts, device, numOutput, POWERED_ON_AGAIN_MS),
    ...absencesOf(facts, device),
    ...hangs,
  ];
  return startsOf(facts, device).map(({ fromMs, untilMs }) => ({
    fromMs,
    untilMs: latestMs(untilMs, fromMs, troubles),
  }));
}

/** What moves without a command is a pulse's end, a start's policy, or a failing board. */
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
  const hangs = [...pauses(facts, device), ...retriesOf(facts, device, numOutput)];
  const troubles = [...boardTroubles(facts, device, numOutput), ...absences, ...hangs, ...forced];
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
      if (turn && (isCalledOff(facts, edge) || isWithin(edge.orderedMs, facts.settings.unwantedOf(edge)))) return [];
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
function isCalledOff(
  facts: Facts,
  { machine, output, atMs }: Edge,
  counts: (order: Order) => boolean = () => true,
): boolean {
  return facts.orders.some(
    (order) =>
      order.machine === machine &&
      order.numOutput === output &&
      wantsOn(order) === false &&
      isOpenAt(order, atMs) &&
      (!wasKeptFromMoving(order) || isLockedSince(facts, order)) &&
      counts(order),
  );
}

/** A lock may have come while this was on its way: perhaps it had called its output off by then. */
function isLockedSince(facts: Facts, { machine, numOutput, atMs, verdict }: Order): boolean {
  return facts.history.locks.some(
    (lock) =>
      lock.machine === machine &&
      lock.numOutput === numOutput &&
      lock.askedMs <= (verdict?.atMs ?? facts.endMs) &&
      (lock.answeredMs ?? facts.endMs) >= atMs,
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

/**
 * The disk was in trouble then, or came into it while what it had refused was tried again, and so on until `untilMs`; a
 * guard that hangs tries nothing.
 */
function wasUnsaved(facts: Facts, { setup: { name }, guard }: Device, fromMs: number, untilMs: number): boolean {
  if (!facts.hasTrouble(name, ['disk'], fromMs - SLOW_WRITE_MS, fromMs + SLOW_WRITE_MS)) return false;
  const triedMs = facts.workedBy(name, ['disk'], fromMs - SLOW_WRITE_MS, SAVED_AGAIN_MS);
  const hangs = stalls(facts, guard.name).map((hang) => ({ ...hang, untilMs: hang.untilMs + SAVED_WITHIN_MS }));
  return latestMs(triedMs, fromMs, hangs) > untilMs;
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
  return edges.some((edge) => {
    const { active, atMs, cause, orderedMs } = edge;
    if (active || cause !== 'order' || atMs <= since.atMs) return false;
    const life = lifeAt(facts, device, atMs);
    if (life?.readyMs == null || life.readyMs > atMs || life.untilMs === null) return false;
    const isUnwanted =
      mustHaveEnded(facts, device, rules, since, atMs) ||
      // What was refused has perhaps called nothing off.
      isCalledOff(facts, edge, wasDone) ||
      isBrokenOff(facts, device, edge.output, orderedMs, wasDone) ||
      isWithin(orderedMs, facts.settings.unwantedOf(edge));
    if (!isUnwanted && isPutBackIn(facts, device, rules, edges, atMs)) return false;
    const hadTime = life.untilMs - atMs > SAVED_WITHIN_MS && !isWithin(atMs, unsaved);
    return hadTime && !wasUnsaved(facts, device, atMs, life.untilMs);
  });
}

/**
 * Kept off by its interlock, or put off since its board did not bring it on, at a start or when the board is back: it stays
 * remembered as it was.
 */
function isPutBackIn(facts: Facts, device: Device, rules: Rules, edges: readonly Edge[], atMs: number): boolean {
  const numOutput = edges[0]?.output ?? 0;
  const turnMs = rules.interlock === null ? 0 : POWER_ON_TURN_MS;
  const wasOnSince = (fromMs: number): boolean =>
    edges.some((edge) => edge.active && edge.hasFailed !== true && edge.atMs >= fromMs && edge.atMs < atMs);
  const puts = [...startsWithBoard(facts, device, numOutput), ...returnsOf(facts, device, numOutput)];
  return puts.some(({ fromMs, untilMs }) => atMs > fromMs && atMs <= untilMs + turnMs && !wasOnSince(fromMs));
}
