/** Relays that click for somebody who watches: short pulses, one output at a time, whatever it is else. */

import type { Device } from '../machines/device';
import type { Edge } from '../witnesses/board-records';
import type { Deed } from '../witnesses/on-site-records';
import type { Facts } from './facts';
import type { Order } from './orders';
import { isWanted } from './power-on';
import { latestMs, relayTroubles } from './spans';
import type { Rule, Violation } from './violation';

const CLICKS = 3;
const CLICK_MS = 300;

export function isClick(facts: Facts, { machine, by }: Pick<Order, 'machine' | 'by'>): boolean {
  return facts.history.deeds.some(
    (deed) => deed.machine === machine && deed.actor === by && deed.request.type === 'click',
  );
}

/** I3, I4, I10. */
export function checkClicks(facts: Facts): Violation[] {
  return facts.devices.flatMap((device) => {
    const { name } = device.setup;
    const clicks = facts.history.deeds.filter(({ machine, request }) => machine === name && request.type === 'click');
    if (clicks.length === 0) return [];
    return clicks.flatMap((deed) => [...checkClick(facts, device, deed), ...checkOthers(facts, device, deed)]);
  });
}

function checkClick(facts: Facts, device: Device, { actor, request, answer, answeredMs }: Deed): Violation[] {
  if (request.type !== 'click') return [];
  const { numOutput } = request;
  const { name } = device.setup;
  const troubles = relayTroubles(facts, device, numOutput);
  const orders = ordersBy(facts, name, actor);
  const say = (invariant: Rule, atMs: number, what: string): Violation => ({
    invariant,
    atMs,
    sentence: `output ${numOutput} of ${name} ${what} (${actor})`,
  });
  const found = orders.flatMap(({ edges: [on], numOutput: moved, command }): Violation[] => {
    if (!on) return [];
    if (moved !== numOutput || command.action !== 'pulse')
      return [say('I10', on.atMs, 'was to click, and another one moved')];
    const edges = facts.edgesOf(name, numOutput);
    const offMs = edges[edges.indexOf(on) + 1]?.atMs ?? facts.endMs;
    const dueMs = on.atMs + device.clock.trueDelayMs(CLICK_MS);
    const latestOffMs = latestMs(dueMs, on.atMs, troubles);
    if (offMs <= latestOffMs || isRestored(facts, on, latestOffMs)) return [];
    return [say('I4', offMs, `clicked for ${(offMs - on.atMs).toFixed(1)} ms`)];
  });
  const heard = orders.filter(({ edges, verdict }) => edges[0]?.active && verdict?.outcome === 'executed');
  if (orders.length > CLICKS) found.push(say('I1', orders.at(-1)?.atMs ?? 0, `clicked ${orders.length} times`));
  if (answer === 'ok' && heard.length !== CLICKS)
    found.push(say('I3', answeredMs ?? facts.endMs, `is said to have clicked, and did so ${heard.length} times`));
  return found;
}

/** The "off" before the click could not be saved, and its orderer was told so: a guard that has started since restores "on". */
function isRestored(facts: Facts, { machine, output, atMs }: Edge, untilMs: number): boolean {
  const before = facts.orders.findLast(
    (order) => order.machine === machine && order.numOutput === output && order.atMs < atMs && !isClick(facts, order),
  );
  if (before?.verdict?.reason !== 'state-not-saved') return false;
  return facts.history.guardStarts.some((start) => {
    const settings = start.outputs[output];
    const isSince = start.machine === machine && start.atMs > atMs && start.atMs <= untilMs;
    return isSince && settings !== undefined && isWanted(start, settings, output);
  });
}

/** Nobody moves anything from afar between two clicks: who watches would take it for one. */
function checkOthers(facts: Facts, { setup: { name } }: Device, { actor }: Deed): Violation[] {
  const orders = ordersBy(facts, name, actor);
  const [first] = orders.flatMap(({ edges }) => edges);
  if (!first) return [];
  // A board may move behind its guard's answer that it has not, with which the clicks are over.
  const untilMs = Math.max(
    ...orders.flatMap(({ edges, verdict }) => edges.map((edge) => Math.min(edge.atMs, verdict?.atMs ?? edge.atMs))),
  );
  return facts.orders.flatMap(({ machine, epoch, atMs, edges: [edge], commandId }): Violation[] => {
    const isBetween = atMs > first.atMs && atMs < untilMs;
    if (machine !== name || epoch === null || !edge || !isBetween) return [];
    const sentence = `output ${edge.output} of ${name} was moved by ${commandId} while another one clicked`;
    return [{ invariant: 'proof', atMs: edge.atMs, sentence }];
  });
}

function ordersBy(facts: Facts, machine: string, actor: string): Order[] {
  return facts.orders.filter((order) => order.machine === machine && order.by === actor);
}
