import type { OutputSettings } from '@relaygate/shared';
import type { Device } from '../device';
import type { Edge, Trouble } from '../history';
import type { Facts } from './facts';
import type { Span } from './span';
import type { Violation } from './violation';

/** A timer, the board and its answer. */
const SLACK_MS = 5;
/** An order that a hanging board has in hand holds up the next ones for so long after the board works again. */
const BOARD_SLACK_MS = 4_500;
/** An order of a slow board, and the timeouts around it. */
const EARLY_MS = 0.05;
/** A command is written down before the board is told. */
const BEGUN_BEFORE_MS = 50;

/** I4, I5, I8: what the relays did, command or not. */
export function checkRelays(facts: Facts): Violation[] {
  return facts.devices.flatMap((device) =>
    device.setup.outputs.flatMap((_output, n) => {
      const edges = facts.history.edges.filter((edge) => edge.machine === device.setup.name && edge.output === n);
      return [
        ...checkPulses(facts, device, n, edges),
        ...checkUncommanded(facts, device, n, edges),
        ...checkRestored(facts, device, n, edges),
      ];
    }),
  );
}

/** I4. */
function checkPulses(facts: Facts, device: Device, numOutput: number, edges: readonly Edge[]): Violation[] {
  const { name: machine } = device.setup;
  const bad = [...guardGaps(facts, device), ...boardTroubles(facts, device)].toSorted((a, b) => a.fromMs - b.fromMs);
  const forced = facts.settings.forcedOf(machine);
  return edges.flatMap((on, n): Violation[] => {
    const begun = { fromMs: on.orderedMs - BEGUN_BEFORE_MS, untilMs: on.atMs };
    const modes = facts.settings.valuesOf({ machine, numOutput }, 'mode', begun);
    if (!on.active || modes.has('on-off')) return [];
    const off = edges[n + 1];
    const offMs = off?.atMs ?? facts.endMs;
    // As it was set when the pulse began, whatever has been set since.
    const lengthsMs = [...facts.settings.valuesOf({ machine, numOutput }, 'pulseMs', begun)];
    const pulseMs = lengthsMs.join(' or ');
    const dueMs = on.atMs + device.clock.trueDelayMs(Math.min(...lengthsMs));
    let latestMs = on.atMs + device.clock.trueDelayMs(Math.max(...lengthsMs)) + SLACK_MS;
    for (const { fromMs, untilMs } of bad) {
      if (fromMs <= latestMs && untilMs >= on.atMs) latestMs = Math.max(latestMs, untilMs + SLACK_MS);
    }
    const what = `a pulse of ${pulseMs} ms on output ${on.output} of ${on.machine}`;
    if (offMs > latestMs) {
      return [
        {
          invariant: 'I4',
          atMs: offMs,
          sentence: `${what} lasted ${(offMs - on.atMs).toFixed(1)} ms, which nothing excuses`,
        },
      ];
    }
    const isCutShort = off && off.cause === 'order' && offMs < dueMs - EARLY_MS;
    const isExcused = [...bad, ...forced].some(
      ({ fromMs, untilMs }) => fromMs <= offMs + SLACK_MS && untilMs >= on.atMs,
    );
    if (!isCutShort || isExcused) return [];
    return [{ invariant: 'I4', atMs: offMs, sentence: `${what} ended after ${(offMs - on.atMs).toFixed(1)} ms` }];
  });
}

/** I5: what moves without a command is a pulse's end, a start's policy, or a failing board. */
function checkUncommanded(facts: Facts, device: Device, numOutput: number, edges: readonly Edge[]): Violation[] {
  const { name: machine } = device.setup;
  const starts = startsOf(facts, device);
  const troubles = [...boardTroubles(facts, device), ...pauses(facts, device), ...facts.settings.forcedOf(machine)];
  return edges.flatMap((edge, n): Violation[] => {
    if (facts.commandIdOf(edge) !== null || edge.cause === 'power-cut') return [];
    const where = `output ${edge.output} of ${edge.machine}`;
    const start = starts.find(({ fromMs, untilMs }) => edge.atMs >= fromMs && edge.atMs <= untilMs + SLACK_MS);
    const span = { fromMs: start?.fromMs ?? edges[n - 1]?.atMs ?? 0, untilMs: edge.atMs };
    const modes = facts.settings.valuesOf({ machine, numOutput }, 'mode', span);
    if (!edge.active) {
      if (modes.has('impulse') || start || isWithin(edge.atMs, troubles)) return [];
      return [{ invariant: 'I5', atMs: edge.atMs, sentence: `${where} went off by itself` }];
    }
    const found = (why: string): Violation[] => [
      { invariant: 'I5', atMs: edge.atMs, sentence: `${where} went on ${why}` },
    ];
    if (!start) return found('without a command');
    if (!modes.has('on-off')) return found('at a start, and it is an impulse output');
    const policies = [...facts.settings.valuesOf({ machine, numOutput }, 'powerOn', span)];
    const problems = policies.map((powerOn) => problemAtStart(facts, device, powerOn, { edges, n }));
    const [first] = problems;
    return first && !problems.includes(null) ? found(first) : [];
  });
}

/** Why this policy may not have switched on the edge at a start; null: it may. */
function problemAtStart(
  facts: Facts,
  device: Device,
  powerOn: OutputSettings['powerOn'],
  { edges, n }: { edges: readonly Edge[]; n: number },
): string | null {
  const atMs = edges[n]?.atMs ?? 0;
  switch (powerOn) {
    case 'off':
      return 'at a start, and its policy is off';
    case 'on': {
      const boot = bootAt(facts, device, atMs);
      const before = edges
        .slice(0, n)
        .some((e) => e.active && facts.commandIdOf(e) === null && bootAt(facts, device, e.atMs) === boot);
      return before ? 'twice in one boot' : null;
    }
    case 'restore': {
      // What the policy before has switched on at a start is to be restored like what a command did.
      const last = edges.slice(0, n).findLast((e) => e.active || facts.commandIdOf(e) !== null);
      if (last?.active) return null;
      // "Off" was to be durable before its edge, unless the disk refused.
      if (last && facts.hasTrouble(device.setup.name, ['disk'], last.atMs - 5_000, atMs)) return null;
      return 'at a start, and it was off before';
    }
    default:
      return powerOn satisfies never;
  }
}

/** I8: an "on" that was confirmed is there again after a restart. */
function checkRestored(facts: Facts, device: Device, n: number, edges: readonly Edge[]): Violation[] {
  const { name } = device.setup;
  return facts.livesOf(device.guard.name).flatMap(({ fromMs, readyMs }): Violation[] => {
    if (readyMs === null) return [];
    const last = edges.findLast((edge) => edge.atMs < fromMs && facts.commandIdOf(edge) !== null);
    if (!last?.active || !isRestored(facts, name, n, { fromMs: last.orderedMs, untilMs: readyMs })) return [];
    const commandId = facts.commandIdOf(last);
    const isConfirmed = facts.history.verdicts.some(
      (v) => v.machine === name && v.commandId === commandId && v.outcome === 'executed',
    );
    const isExcused =
      facts.hasTrouble(name, ['disk', 'board'], last.atMs - 5_000, readyMs) ||
      hasRelease(facts, device, edges, { since: last, untilMs: fromMs }) ||
      hasBegunOff(facts, name, n, last.atMs, fromMs);
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

/** All the time, and by no policy that was another for a moment. */
function isRestored(facts: Facts, machine: string, numOutput: number, span: Span): boolean {
  const modes = facts.settings.valuesOf({ machine, numOutput }, 'mode', span);
  const policies = facts.settings.valuesOf({ machine, numOutput }, 'powerOn', span);
  const isForced = facts.settings.forcedOf(machine).some((f) => f.fromMs <= span.untilMs && f.untilMs >= span.fromMs);
  return !modes.has('impulse') && !policies.has('off') && !policies.has('on') && !isForced;
}

/** A later command had begun to switch it off: then "off" may be what is remembered. */
function hasBegunOff(facts: Facts, machine: string, n: number, fromMs: number, untilMs: number): boolean {
  return facts.history.starts.some(
    (start) =>
      start.machine === machine &&
      start.atMs > fromMs &&
      start.atMs < untilMs &&
      facts.commands.get(start.commandId)?.record.numOutput === n,
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

/** From each life's begin until it is ready. */
function startsOf(facts: Facts, device: Device): Span[] {
  return facts
    .livesOf(device.guard.name)
    .map(({ fromMs, readyMs, untilMs }) => ({ fromMs, untilMs: readyMs ?? untilMs ?? facts.endMs }));
}

/** When no guard was ready, or the one there was did nothing. */
function guardGaps(facts: Facts, device: Device): Span[] {
  const gaps: Span[] = [];
  let sinceMs = 0;
  for (const { readyMs, untilMs } of facts.livesOf(device.guard.name)) {
    if (readyMs === null) continue;
    gaps.push({ fromMs: sinceMs, untilMs: readyMs });
    sinceMs = untilMs ?? facts.endMs;
  }
  if (sinceMs < facts.endMs) gaps.push({ fromMs: sinceMs, untilMs: facts.endMs });
  return [...gaps, ...pauses(facts, device)];
}

/** An orderly stop switches everything off. */
function pauses(facts: Facts, device: Device): Span[] {
  const kinds: readonly Trouble['kind'][] = ['stall', 'stop'];
  return facts.history.troubles.filter(({ name, kind }) => name === device.guard.name && kinds.includes(kind));
}

function boardTroubles(facts: Facts, device: Device): Span[] {
  return facts.history.troubles
    .filter(({ name, kind }) => name === device.setup.name && kind === 'board')
    .map(({ fromMs, untilMs }) => ({ fromMs, untilMs: untilMs + BOARD_SLACK_MS }));
}

function isWithin(atMs: number, spans: readonly Span[]): boolean {
  return spans.some(({ fromMs, untilMs }) => atMs >= fromMs && atMs <= untilMs + SLACK_MS);
}

function bootAt(facts: Facts, device: Device, atMs: number): string | undefined {
  return facts.livesOf(device.guard.name).findLast(({ fromMs }) => fromMs <= atMs)?.bootId;
}
