import { type OutputSettings, wholeOutput } from '@relaygate/shared';
import type { Device } from '../device';
import type { Edge } from '../history';
import type { Facts } from './facts';
import { isBrokenOff, isLockedOut } from './policies/interlock';
import { endOf } from './policies/on-time';
import { boardTroubles, bootAt, isWithin, SLACK_MS, stalls, startsOf } from './spans';
import type { Violation } from './violation';

/** Disk and state file, unless there is trouble. */
const SAVED_WITHIN_MS = 100;

/** I5, I8: what the relays did, command or not. */
export function checkRelays(facts: Facts): Violation[] {
  return facts.devices.flatMap((device) =>
    device.setup.outputs.flatMap((output, n) => {
      const edges = facts.history.edges.filter((edge) => edge.machine === device.setup.name && edge.output === n);
      return [...checkUncommanded(facts, device, output, edges), ...checkRestored(facts, device, output, n, edges)];
    }),
  );
}

/** I5: what moves without a command is a pulse's end, a start's policy, or a failing board. */
function checkUncommanded(facts: Facts, device: Device, output: OutputSettings, edges: readonly Edge[]): Violation[] {
  const starts = startsOf(facts, device);
  const troubles = [...boardTroubles(facts, device), ...stalls(facts, device.guard.name)];
  return edges.flatMap((edge, n): Violation[] => {
    if (facts.commandIdOf(edge) !== null || edge.cause === 'power-cut') return [];
    const where = `output ${edge.output} of ${edge.machine}`;
    const isStarting = starts.some(({ fromMs, untilMs }) => edge.atMs >= fromMs && edge.atMs <= untilMs + SLACK_MS);
    if (!edge.active) {
      const isPulseEnd = output.mode === 'impulse';
      if (isPulseEnd || isStarting || isWithin(edge.atMs, troubles)) return [];
      const on = edges[n - 1];
      if (on && endOf(facts, device, wholeOutput(output), on, edge.atMs) !== null) return [];
      if (isBrokenOff(facts, device, edge.output, edge.atMs)) return [];
      return [{ invariant: 'I5', atMs: edge.atMs, sentence: `${where} went off by itself` }];
    }
    const found = (why: string): Violation[] => [
      { invariant: 'I5', atMs: edge.atMs, sentence: `${where} went on ${why}` },
    ];
    if (!isStarting) return found('without a command');
    if (output.mode === 'impulse') return found('at a start, and it is an impulse output');
    switch (output.powerOn) {
      case 'off':
        return found('at a start, and its policy is off');
      case 'on': {
        const boot = bootAt(facts, device, edge.atMs);
        const before = edges
          .slice(0, n)
          .some((e) => e.active && facts.commandIdOf(e) === null && bootAt(facts, device, e.atMs) === boot);
        return before ? found('twice in one boot') : [];
      }
      case 'restore': {
        const last = edges.slice(0, n).findLast((e) => facts.commandIdOf(e) !== null);
        const isCapped = wholeOutput(output).maxOnMs > 0;
        if (isCapped && last && bootAt(facts, device, last.atMs) === bootAt(facts, device, edge.atMs))
          return found('at a start, and nobody knows how long it was on in this boot');
        if (last?.active && wasEnded(facts, device, edges.slice(0, n), last)) return found('at a start, after its end');
        if (last?.active) return [];
        // "Off" was to be durable before its edge, unless the disk refused.
        if (last && facts.hasTrouble(device.setup.name, ['disk'], last.atMs - 5_000, edge.atMs)) return [];
        return found('at a start, and it was off before');
      }
      default:
        return output.powerOn satisfies never;
    }
  });
}

/** I8: an "on" that was confirmed is there again after a restart. */
function checkRestored(
  facts: Facts,
  device: Device,
  output: OutputSettings,
  n: number,
  edges: readonly Edge[],
): Violation[] {
  if (output.mode !== 'on-off' || output.powerOn !== 'restore') return [];
  const { name } = device.setup;
  return facts.livesOf(device.guard.name).flatMap(({ fromMs, readyMs, bootId }, nth, lives): Violation[] => {
    if (readyMs === null) return [];
    const last = edges.findLast((edge) => edge.atMs < fromMs && facts.commandIdOf(edge) !== null);
    if (!last?.active) return [];
    const commandId = facts.commandIdOf(last);
    const isConfirmed = facts.history.verdicts.some(
      (v) => v.machine === name && v.commandId === commandId && v.outcome === 'executed',
    );
    const isExcused =
      facts.hasTrouble(name, ['disk', 'board'], last.atMs - 5_000, readyMs) ||
      hasRelease(facts, edges, last, fromMs) ||
      hasBegunOff(facts, name, n, last.atMs, fromMs) ||
      isLockedOut(facts, device, n, readyMs) ||
      mayHaveEnded(facts, device, output, last, fromMs) ||
      (wholeOutput(output).maxOnMs > 0 && lives.slice(0, nth).some((before) => before.bootId === bootId));
    const isOn = edges.findLast((edge) => edge.atMs <= readyMs)?.active ?? false;
    if (!isConfirmed || isExcused || isOn) return [];
    return [
      {
        invariant: 'I8',
        atMs: readyMs,
        sentence: `output ${n} of ${name} was confirmed on and is off after a restart`,
      },
    ];
  });
}

/** A later command had begun to switch it off: then "off" may be what is remembered. */
function hasBegunOff(facts: Facts, machine: string, n: number, fromMs: number, untilMs: number): boolean {
  return facts.history.starts.some(
    (start) =>
      start.machine === machine &&
      start.atMs > fromMs &&
      start.atMs < untilMs &&
      facts.orders.some((order) => order.commandId === start.commandId && order.numOutput === n),
  );
}

/** The guard before had switched it off by itself, long enough before its own end to write that down. */
function wasEnded(facts: Facts, device: Device, edges: readonly Edge[], since: Edge): boolean {
  return edges.some(({ active, atMs, cause }) => {
    if (active || cause !== 'order' || atMs <= since.atMs) return false;
    const life = facts
      .livesOf(device.guard.name)
      .find(({ fromMs, untilMs }) => fromMs <= atMs && (untilMs ?? facts.endMs) > atMs);
    if (life?.readyMs == null || life.readyMs > atMs || life.untilMs === null) return false;
    const hadTime = life.untilMs - atMs > SAVED_WITHIN_MS && !isWithin(atMs, stalls(facts, device.guard.name));
    return hadTime && !facts.hasTrouble(device.setup.name, ['disk'], atMs - 5_000, life.untilMs);
  });
}

/** A policy was about to switch it off when its guard died: that is written down before its edge comes. */
function mayHaveEnded(facts: Facts, device: Device, output: OutputSettings, on: Edge, untilMs: number): boolean {
  const diedMs = facts.livesOf(device.guard.name).findLast((life) => (life.untilMs ?? facts.endMs) <= untilMs)?.untilMs;
  if (diedMs == null) return false;
  const ended = endOf(facts, device, wholeOutput(output), on, diedMs + SLACK_MS);
  return ended !== null || isBrokenOff(facts, device, on.output, diedMs);
}

/** It was driven off since, by itself, while the guard ran: then off is what is remembered. */
function hasRelease(facts: Facts, edges: readonly Edge[], since: Edge, untilMs: number): boolean {
  return edges.some(
    (edge) =>
      edge.atMs > since.atMs &&
      edge.atMs < untilMs &&
      !edge.active &&
      edge.cause === 'order' &&
      facts.commandIdOf(edge) === null,
  );
}
