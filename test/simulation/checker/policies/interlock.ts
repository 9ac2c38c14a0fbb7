/** `interlock`: of a group one output at most is on, and another goes on only after the delay. */

import type { Device } from '../../machines/device';
import type { Edge } from '../../witnesses/board-records';
import type { Facts } from '../facts';
import { isOpenAt, type Order, wantsOn, wasKeptFromMoving } from '../orders';
import { isWanted } from '../power-on';
import type { Span } from '../span';
import type { Violation } from '../violation';
import { isShownLongEnough, LOOK_MS, shownSpans } from './proof';
import { type Rules, rulesOf } from './rules';

/** What a double cannot tell. */
const ROUNDING_MS = 0.01;

/** I14: whatever dies, hangs or fails. */
export function checkInterlocks(facts: Facts, device: Device): Violation[] {
  const outputs = rulesOf(device);
  const groups = new Set(outputs.flatMap(({ interlock }) => (interlock === null ? [] : [interlock])));
  return [...groups].flatMap((group) => {
    const members = membersOf(outputs, group);
    const delayMs = device.clock.trueDelayMs(Math.max(...members.map((n) => outputs[n]?.interlockDelayMs ?? 0)));
    const edges = facts.history.edges.filter(
      ({ machine, output }) => machine === device.setup.name && members.includes(output),
    );
    return edges.flatMap((edge, n) => (edge.active ? checkOn(edge, edges.slice(0, n), members, delayMs) : []));
  });
}

function checkOn(on: Edge, before: readonly Edge[], members: readonly number[], delayMs: number): Violation[] {
  return members.flatMap((member): Violation[] => {
    const last = before.findLast(({ output }) => output === member);
    if (member === on.output || !last) return [];
    const sinceMs = on.atMs - last.atMs;
    if (!last.active && sinceMs >= delayMs - ROUNDING_MS) return [];
    const what = last.active ? 'is on' : `went off only ${sinceMs.toFixed(1)} ms before (${delayMs.toFixed(0)} ms)`;
    const sentence = `output ${on.output} of ${on.machine} went on, and output ${member} of its interlock ${what}`;
    return [{ invariant: 'I14', atMs: on.atMs, sentence }];
  });
}

/** Whether at that moment a command for another member, of those that `counts` takes, may have broken this one off. */
export function isBrokenOff(
  facts: Facts,
  device: Device,
  numOutput: number,
  atMs: number,
  counts: (order: Order) => boolean = () => true,
): boolean {
  const outputs = rulesOf(device);
  const group = outputs[numOutput]?.interlock ?? null;
  if (group === null) return false;
  return facts.orders.some(
    (order) =>
      order.machine === device.setup.name &&
      order.numOutput !== numOutput &&
      outputs[order.numOutput]?.interlock === group &&
      wantsOn(order) !== false &&
      isOpenAt(order, atMs) &&
      !wasKeptFromMoving(order) &&
      counts(order),
  );
}

/**
 * Whether the start switched on a member before this one by its policy: of several that are to power on, the first one
 * does. Its turn comes when the guard is ready already; if its own time is over by then, both stay off.
 */
export function isForestalled(facts: Facts, device: Device, numOutput: number, start: Span): boolean {
  const outputs = rulesOf(device);
  const group = outputs[numOutput]?.interlock ?? null;
  const before = group === null ? [] : membersOf(outputs, group).filter((n) => n < numOutput);
  const { name } = device.setup;
  const known = facts.history.guardStarts.find(({ machine, atMs }) => machine === name && atMs === start.fromMs);
  const isOnByPolicy = (n: number): boolean => {
    const output = known?.outputs[n];
    return known !== undefined && output?.powerOn === 'on' && isWanted(known, output, n);
  };
  if (before.some(isOnByPolicy)) return true;
  return facts.history.edges.some(
    (edge) =>
      edge.machine === name &&
      before.includes(edge.output) &&
      edge.active &&
      facts.commandIdOf(edge) === null &&
      edge.atMs >= start.fromMs &&
      edge.atMs <= start.untilMs,
  );
}

/**
 * Whether nobody could tell at that moment that all others are off and stay so: the input of one had not shown it, or the
 * disk did not take it.
 */
export function isInDoubt(facts: Facts, device: Device, numOutput: number, atMs: number): boolean {
  const outputs = rulesOf(device);
  const group = outputs[numOutput]?.interlock ?? null;
  const others = group === null ? [] : membersOf(outputs, group).filter((n) => n !== numOutput);
  const span = { fromMs: atMs, untilMs: atMs };
  const isRemembered = others.some((numOutput) =>
    facts.settings.valuesOf({ machine: device.setup.name, numOutput }, 'powerOn', span).has('restore'),
  );
  if (isRemembered && facts.hasTrouble(device.setup.name, ['disk'], atMs, atMs)) return true;
  return others.some((n) => {
    const { feedbackInput = null, feedbackMs = 0 } = outputs[n] ?? {};
    if (feedbackInput === null) return false;
    const fromMs = atMs - Math.max(device.clock.trueDelayMs(feedbackMs), LOOK_MS);
    return !isShownLongEnough(shownSpans(facts, device.setup.name, feedbackInput, false), fromMs, atMs);
  });
}

function membersOf(outputs: readonly Rules[], group: string): number[] {
  return outputs.flatMap(({ interlock }, n) => (interlock === group ? [n] : []));
}
