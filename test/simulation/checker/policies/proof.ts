/** `feedbackInput`: what is called done was shown by the input, and what it showed is not called unproven. */

import type { OutputSettings } from '@relaygate/shared/device';
import { FEEDBACK_LOOK_MS } from '../../../support/time/promised-times';
import type { Device } from '../../machines/device';
import type { Edge } from '../../witnesses/board-records';
import { isClick } from '../clicks';
import type { Facts } from '../facts';
import { type Order, wantsOn } from '../orders';
import type { Span } from '../span';
import { isTouched, relayTroubles } from '../spans';
import type { Violation } from '../violation';
import type { Rules } from './rules';

/** A look at the input every 10 ms, the board's answer and the way. */
export const LOOK_MS = 25;
/** What the guard's answer may be behind the board. */
const ANSWER_MS = 2;

/** I3. */
export function checkProofs(
  facts: Facts,
  device: Device,
  rules: Rules,
  numOutput: number,
  edges: readonly Edge[],
): Violation[] {
  const { feedbackInput } = rules;
  if (feedbackInput === null) return [];
  const { name } = device.setup;
  const orders = facts.orders.filter((order) => order.machine === name && order.numOutput === numOutput);
  const shown = (active: boolean): Span[] => shownSpans(facts, name, feedbackInput, active);
  return orders.flatMap((order): Violation[] => {
    const { verdict, commandId } = order;
    // What clicks is looked at by people.
    if (!verdict || isClick(facts, order)) return [];
    const span = { fromMs: order.atMs, untilMs: verdict.atMs };
    const [mode, ...others] = facts.settings.valuesOf({ machine: name, numOutput }, 'mode', span);
    const wanted = mode && others.length === 0 ? wantedBy(order, mode) : null;
    if (wanted === null) return [];
    const say = (sentence: string): Violation[] => [
      { invariant: 'I3', atMs: verdict.atMs, sentence: `output ${numOutput} of ${name}: ${sentence} (${commandId})` },
    ];
    const sinceMs = order.edges[0]?.atMs ?? order.renewals[0]?.atMs ?? beginOf(order, orders);
    const isDone = verdict.outcome === 'already-set' || (verdict.outcome === 'executed' && hasMoved(order));
    if (isDone) {
      const isShown = isTouched(sinceMs, verdict.atMs, shown(wanted));
      if (!isShown) return say(`${verdict.outcome}, and its input never showed it`);
      const [edge] = order.edges;
      const wasShown = edge && shown(wanted).some((span) => span.fromMs <= order.atMs && span.untilMs >= edge.atMs);
      const mustKnow =
        edge && !hadSlowLook(facts, device, feedbackInput, { fromMs: order.atMs, untilMs: edge.orderedMs });
      return wasShown && mustKnow ? say(`${verdict.outcome}, and its input had shown it before`) : [];
    }
    if (verdict.reason !== 'feedback-missing' || (order.edges.length === 0 && order.renewals.length === 0)) return [];
    const withinMs = device.clock.trueDelayMs(rules.feedbackMs);
    const fromMs =
      hasMoved(order) && mode === 'impulse' ? proofBeganMs(facts, edges, sinceMs, withinMs, shown(true)) : sinceMs;
    const wasShown = isShownLongEnough(shown(wanted), fromMs, fromMs + withinMs);
    // The next edge ends the proof; a pulse may be shown when it is over.
    const isStill = !edges.some(
      ({ atMs, active }) => (active || mode === 'on-off') && atMs > sinceMs && atMs <= verdict.atMs + ANSWER_MS,
    );
    const isExcused = isTouched(fromMs, verdict.atMs, relayTroubles(facts, device, numOutput));
    return wasShown && isStill && !isExcused ? say('its input showed it, and it was called unproven') : [];
  });
}

/** What is to be proven; null: a toggle that moved nothing. */
function wantedBy(order: Order, mode: OutputSettings['mode']): boolean | null {
  if (mode === 'impulse') return order.edges.length + order.renewals.length > 0 ? true : null;
  return wantsOn(order);
}

function hasMoved({ edges, renewals }: Order): boolean {
  return edges.length + renewals.length > 0;
}

/** The guard asked its board what the input showed before the edge, and was not told in time: then it does not know. */
function hadSlowLook(facts: Facts, { setup, clock }: Device, number: number, { fromMs, untilMs }: Span): boolean {
  const patienceMs = clock.trueDelayMs(FEEDBACK_LOOK_MS);
  return facts.history.looks.some(
    ({ machine, input, askedMs, answeredMs }) =>
      machine === setup.name &&
      input === number &&
      askedMs >= fromMs &&
      askedMs <= untilMs &&
      (answeredMs ?? facts.endMs) - askedMs >= patienceMs,
  );
}

/**
 * Since when the input had been looked at for a pulse that was begun or made longer at `movedMs`: what makes it longer joins
 * the proof that is under way, which has its time from the edge on.
 */
function proofBeganMs(
  facts: Facts,
  edges: readonly Edge[],
  movedMs: number,
  withinMs: number,
  shown: readonly Span[],
): number {
  const on = edges.findLast(({ active, atMs }) => active && atMs <= movedMs);
  if (!on) return movedMs;
  return facts.history.renewals
    .filter(({ machine, output }) => machine === on.machine && output === on.output)
    .filter(({ atMs }) => atMs > on.atMs && atMs <= movedMs)
    .reduce((fromMs, { atMs }) => {
      const isOver = atMs > fromMs + withinMs || isShownLongEnough(shown, fromMs, atMs);
      return isOver ? atMs : fromMs;
    }, on.atMs);
}

/** A look comes every so often. */
export function isShownLongEnough(shown: readonly Span[], fromMs: number, untilMs: number): boolean {
  return shown.some((span) => Math.min(span.untilMs, untilMs) - Math.max(span.fromMs, fromMs) >= LOOK_MS);
}

/** It was not looked at before those ahead of it were through. */
function beginOf(order: Order, orders: readonly Order[]): number {
  const untilMs = order.verdict?.atMs ?? order.atMs;
  const before = orders.filter((other) => other !== order && other.atMs <= order.atMs);
  return Math.max(
    order.atMs,
    ...before.flatMap(({ verdict }) => (verdict && verdict.atMs <= untilMs ? [verdict.atMs] : [])),
  );
}

export function shownSpans(facts: Facts, name: string, number: number, active: boolean): Span[] {
  const changes = facts.history.inputs.filter(({ machine, input }) => machine === name && input === number);
  const first = { shows: false, atMs: 0 };
  return [first, ...changes].flatMap(({ shows, atMs }, n) =>
    shows === active ? [{ fromMs: atMs, untilMs: changes[n]?.atMs ?? facts.endMs }] : [],
  );
}
