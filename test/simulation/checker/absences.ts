/** Boards that were away: what is told of it, and what may move when one is back. Nothing here is the guard's own word. */

import type { Device } from '../machines/device';
import type { Absence, Edge } from '../witnesses/board-records';
import { buttonOf } from '../witnesses/presses';
import type { Facts } from './facts';
import { endOf, onSinceMs } from './policies/on-time';
import { type Rules, rulesOf } from './policies/rules';
import { hasEnded } from './restored';
import type { Span } from './span';
import { absencesOf, boardTroubles, guardGaps, isTouched, latestMs, pauses, poweringOnAgain, SLACK_MS } from './spans';
import type { Violation } from './violation';

/** Until a guard that was told has told its agent. */
const REPORTED_WITHIN_MS = 20;
/** What an order, its journal record and a disk that remembers take before the board hears of it. */
const ORDERED_WITHIN_MS = 60;

/** I14, I8. */
export function checkAbsences(facts: Facts): Violation[] {
  return facts.devices.flatMap((device) => {
    const absences = facts.history.absences.filter(({ machine }) => machine === device.setup.name);
    return absences.flatMap((absence) => [
      ...checkReports(facts, device, absence, absences),
      ...checkQueued(facts, device, absence),
      ...checkBack(facts, device, absence, absences),
    ]);
  });
}

/** I4: a relay that may be longer on than it should is a fault that everybody can read. */
function checkReports(
  facts: Facts,
  device: Device,
  { fromMs, untilMs }: Absence,
  all: readonly Absence[],
): Violation[] {
  const gaps = guardGaps(facts, device);
  const { name } = device.setup;
  const lies = facts.history.boardReports.filter(({ machine, atMs, isAway }) => {
    if (machine !== name || isTouched(atMs - REPORTED_WITHIN_MS, atMs, gaps)) return false;
    const wasAway = atMs > fromMs + REPORTED_WITHIN_MS && atMs < untilMs;
    const isBack = atMs > untilMs + REPORTED_WITHIN_MS && !isTouched(atMs - REPORTED_WITHIN_MS, atMs, all);
    return (wasAway && !isAway) || (isBack && isAway);
  });
  return lies.slice(0, 1).map(({ atMs, isAway }) => ({
    invariant: 'I4',
    atMs,
    sentence: `the guard of ${name} called its board ${isAway ? 'away, and it was back' : 'well, and it was away'}`,
  }));
}

/** What was commanded while the board was away was refused then: nothing of it moves a relay later. */
function checkQueued(facts: Facts, device: Device, { fromMs, untilMs }: Absence): Violation[] {
  const { name } = device.setup;
  const gaps = guardGaps(facts, device);
  const rules = rulesOf(device);
  return facts.orders.flatMap(({ machine, numOutput, commandId, atMs, edges }): Violation[] => {
    const [edge] = edges;
    if (machine !== name || !edge || atMs < fromMs || edge.orderedMs < untilMs) return [];
    // It may wait for those of its interlock, for a slow disk, or for the one before it.
    const isHeldUp =
      rules[numOutput]?.interlock !== null ||
      atMs > untilMs - ORDERED_WITHIN_MS ||
      isTouched(atMs, untilMs, gaps) ||
      facts.hasTrouble(name, ['disk', 'journal'], atMs - ORDERED_WITHIN_MS, edge.orderedMs);
    if (isHeldUp) return [];
    const sentence = `output ${numOutput} of ${name} was commanded while its board was away, and moved when it was back (${commandId})`;
    return [{ invariant: 'I14', atMs: edge.atMs, sentence }];
  });
}

/** An "on" that was confirmed and that a restart would restore is there again with the board. */
function checkBack(facts: Facts, device: Device, absence: Absence, all: readonly Absence[]): Violation[] {
  const { name } = device.setup;
  const { fromMs, untilMs } = absence;
  const span: Span = { fromMs: fromMs - ORDERED_WITHIN_MS, untilMs: untilMs + 2 * SLACK_MS };
  const others = all.filter((other) => other !== absence);
  if (
    untilMs > facts.endMs - SLACK_MS ||
    isTouched(span.fromMs, span.untilMs, [...guardGaps(facts, device), ...others])
  )
    return [];
  return rulesOf(device).flatMap((rules, numOutput): Violation[] => {
    const forced = facts.settings.forcedOf({ machine: name, output: numOutput });
    if (isTouched(span.fromMs, span.untilMs, [...boardTroubles(facts, device, numOutput), ...forced])) return [];
    const edges = facts.edgesOf(name, numOutput);
    const last = edges.findLast(({ atMs }) => atMs <= fromMs - ORDERED_WITHIN_MS);
    const since = edges.filter(({ atMs, cause }) => last && atMs > last.atMs && atMs <= untilMs && cause === 'order');
    const orders = facts.orders.filter(({ machine, numOutput: n }) => machine === name && n === numOutput);
    const isConfirmed = orders.some(
      ({ edges: [edge], verdict }) =>
        edge === last && verdict?.outcome === 'executed' && verdict.atMs < fromMs - ORDERED_WITHIN_MS,
    );
    const isAsked = orders.some(({ atMs, verdict }) => {
      const endMs = verdict?.atMs ?? facts.endMs;
      return last && endMs > last.atMs && atMs <= span.untilMs && !(verdict?.atMs && verdict.atMs < span.fromMs);
    });
    const isPressed = isPressedWithin(facts, device, numOutput, { fromMs: last?.atMs ?? 0, untilMs: span.untilMs });
    const isPlain =
      last?.active && isConfirmed && !isAsked && !isPressed && since.length === 0 && rules.interlock === null;
    const output = { machine: name, numOutput };
    const wide = { fromMs: last?.orderedMs ?? 0, untilMs: span.untilMs };
    const isRestored =
      isOnly(facts.settings.valuesOf(output, 'powerOn', wide), 'restore') &&
      isOnly(facts.settings.valuesOf(output, 'mode', wide), 'on-off');
    if (!last || !isPlain || !isRestored || endOf(facts, device, rules, last, span.untilMs) !== null) return [];
    if (hasEnded(facts, device, rules, last, span.untilMs)) return [];
    const now = edges.findLast(({ atMs }) => atMs <= span.untilMs);
    // It was on again, and has lost its supply since.
    const hasDropped = now?.cause === 'drop' && now.atMs > untilMs;
    if (now?.active || hasDropped) return [];
    const sentence = `output ${numOutput} of ${name} was confirmed on, and is off since its board is back`;
    return [{ invariant: 'I8', atMs: untilMs, sentence }];
  });
}

/** A press that came to nothing stands in no journal, and was a command all the same. */
function isPressedWithin(
  { history }: Facts,
  { setup: { name, inputs } }: Device,
  numOutput: number,
  { fromMs, untilMs }: Span,
): boolean {
  return history.contacts.some(
    ({ machine, input, isActive, atMs }) =>
      machine === name &&
      isActive &&
      buttonOf(inputs, input)?.output === numOutput &&
      atMs >= fromMs &&
      atMs <= untilMs,
  );
}

/** From when a board went until its guard has heard that it is back, and may have given its orders for this output. */
export function returnsOf(facts: Facts, device: Device, numOutput: number): Span[] {
  const troubles = [
    ...pauses(facts, device),
    ...boardTroubles(facts, device, numOutput),
    ...poweringOnAgain(facts, device, numOutput),
  ];
  return absencesOf(facts, device).map(({ fromMs, untilMs }) => ({
    fromMs,
    untilMs: latestMs(untilMs, fromMs, troubles),
  }));
}

/** Why its board's return may not have switched on this output; null: it may. `earlier`: its edges until then. */
export function problemAtReturn(
  facts: Facts,
  device: Device,
  rules: Rules,
  earlier: readonly Edge[],
  on: Edge,
): string | null {
  const output = { machine: device.setup.name, numOutput: on.output };
  const span = { fromMs: earlier.at(-1)?.atMs ?? 0, untilMs: on.atMs };
  const words = 'when its board was back';
  if (!facts.settings.valuesOf(output, 'mode', span).has('on-off')) return `${words}, and it is an impulse output`;
  if (!facts.settings.valuesOf(output, 'powerOn', span).has('restore')) return `${words}, and nothing restores it`;
  const last = earlier.findLast((edge) => edge.active || facts.commandIdOf(edge) !== null);
  if (!last?.active) return `${words}, and it was off before`;
  const { maxOnMs } = rules;
  if (maxOnMs > 0 && on.atMs > onSinceMs(facts, device, last) + device.clock.trueDelayMs(maxOnMs) + SLACK_MS)
    return `${words}, and its time was over`;
  const off = earlier.findLast(({ active, atMs, cause }) => !active && cause === 'order' && atMs > last.atMs);
  // Put off since the board failed it is tried again.
  const failures = [
    ...boardTroubles(facts, device, on.output),
    ...absencesOf(facts, device),
    ...guardGaps(facts, device),
  ];
  return off && !isTouched(off.orderedMs, off.atMs, failures) ? `${words}, after its end` : null;
}

function isOnly<T>(values: ReadonlySet<T>, value: T): boolean {
  return values.size === 1 && values.has(value);
}
