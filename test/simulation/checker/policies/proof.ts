/** `feedbackInput`: what is called done was shown by the input, and what it showed is not called unproven. */
import type { OutputSettings } from '@relaygate/shared';
import type { Device } from '../../device';
import type { Edge } from '../../history';
import type { Facts } from '../facts';
import { type Order, wantsOn } from '../orders';
import type { Span } from '../span';
import { isTouched, relayTroubles } from '../spans';
import type { Violation } from '../violation';
import type { Rules } from './rules';

/** A look at the input every 10 ms, the board's answer and the way. */
const LOOK_MS = 25;
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
    if (!verdict) return [];
    const span = { fromMs: order.atMs, untilMs: verdict.atMs };
    const [mode, ...others] = facts.settings.valuesOf({ machine: name, numOutput }, 'mode', span);
    const wanted = mode && others.length === 0 ? wantedBy(order, mode) : null;
    if (wanted === null) return [];
    const say = (sentence: string): Violation[] => [
      { invariant: 'I3', atMs: verdict.atMs, sentence: `output ${numOutput} of ${name}: ${sentence} (${commandId})` },
    ];
    const sinceMs = order.edges[0]?.atMs ?? order.renewals[0]?.atMs ?? beginOf(order, orders);
    // Until an answer is given; one that a later question brought says nothing of its time.
    const isTimed = verdict.isReply && !order.isRepeated && hasMoved(order);
    const between = isTimed ? orders.find((other) => other !== order && isBetween(other, order, sinceMs)) : undefined;
    if (between) return say(`${between.commandId} moved it before it was proven`);
    const isDone = verdict.outcome === 'already-set' || (verdict.outcome === 'executed' && hasMoved(order));
    if (isDone) {
      const isShown = isTouched(sinceMs, verdict.atMs, shown(wanted));
      return isShown ? [] : say(`${verdict.outcome}, and its input never showed it`);
    }
    if (verdict.reason !== 'feedback-missing' || (order.edges.length === 0 && order.renewals.length === 0)) return [];
    const lookMs = sinceMs + device.clock.trueDelayMs(rules.feedbackMs) - LOOK_MS;
    const wasShown = shown(wanted).some(
      (span) => Math.min(span.untilMs, lookMs + LOOK_MS) - Math.max(span.fromMs, sinceMs) >= LOOK_MS,
    );
    const isStill = mode === 'impulse' || !edges.some(({ atMs }) => atMs > sinceMs && atMs <= verdict.atMs + ANSWER_MS);
    const isExcused = isTouched(sinceMs, verdict.atMs, relayTroubles(facts, device));
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

/** It was not looked at before those ahead of it were through. */
function beginOf(order: Order, orders: readonly Order[]): number {
  const untilMs = order.verdict?.atMs ?? order.atMs;
  const before = orders.filter((other) => other !== order && other.atMs <= order.atMs);
  return Math.max(
    order.atMs,
    ...before.flatMap(({ verdict }) => (verdict && verdict.atMs <= untilMs ? [verdict.atMs] : [])),
  );
}

/** The other command's edge came between this one's and its answer. */
function isBetween({ edges }: Order, { verdict }: Order, sinceMs: number): boolean {
  return edges.some(({ atMs }) => atMs > sinceMs && atMs < (verdict?.atMs ?? 0) - ANSWER_MS);
}

function shownSpans(facts: Facts, name: string, number: number, active: boolean): Span[] {
  const changes = facts.history.inputs.filter(({ machine, input }) => machine === name && input === number);
  const first = { shows: false, atMs: 0 };
  return [first, ...changes].flatMap(({ shows, atMs }, n) =>
    shows === active ? [{ fromMs: atMs, untilMs: changes[n]?.atMs ?? facts.endMs }] : [],
  );
}
