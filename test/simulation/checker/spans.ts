/** Times in which a machine's guard or board did not work, which excuse what would else be wrong. */
import { DRIVE_TIMEOUT_MS, RELEASE_RETRY_MS } from '../../support/time/promised-times';
import type { Device } from '../machines/device';
import type { History } from '../witnesses/history';
import type { Facts } from './facts';
import type { Span } from './span';

/** A timer, the board and its answer. */
export const SLACK_MS = 5;
/** What a slow write takes at most, to the journal or to the disk. */
export const SLOW_WRITE_MS = 1_500;
/** How long an output that is to power on waits for the others of its interlock. */
export const POWER_ON_TURN_MS = 10_100;
/** What its board has not brought on is put off first, and tried again after a second. */
export const POWERED_ON_AGAIN_MS = 1_200;

/** The latest moment for what was due: each trouble from `fromMs` on that holds it up puts it off until its own end. */
export function latestMs(dueMs: number, fromMs: number, troubles: readonly Span[]): number {
  let latest = dueMs + SLACK_MS;
  for (const trouble of troubles.toSorted((one, other) => one.fromMs - other.fromMs)) {
    if (trouble.fromMs <= latest && trouble.untilMs >= fromMs) latest = Math.max(latest, trouble.untilMs + SLACK_MS);
  }
  return latest;
}

/** No guard, one that did nothing, or a board that was away, or did not do with this output what it was told. */
export function relayTroubles(facts: Facts, device: Device, numOutput: number): Span[] {
  return [...guardGaps(facts, device), ...boardTroubles(facts, device, numOutput), ...absencesOf(facts, device)];
}

/** From each life's begin until it is ready. */
export function startsOf(facts: Facts, device: Device): Span[] {
  return facts
    .livesOf(device.guard.name)
    .map(({ fromMs, readyMs, untilMs }) => ({ fromMs, untilMs: readyMs ?? untilMs ?? facts.endMs }));
}

/** When no guard was ready, or the one there was did nothing. */
export function guardGaps(facts: Facts, device: Device): Span[] {
  return gapsOf(facts, device.guard.name);
}

export function gapsOf(facts: Facts, process: string): Span[] {
  const gaps: Span[] = [];
  let sinceMs = 0;
  for (const { readyMs, untilMs } of facts.livesOf(process)) {
    if (readyMs === null) continue;
    gaps.push({ fromMs: sinceMs, untilMs: readyMs });
    sinceMs = untilMs ?? facts.endMs;
  }
  if (sinceMs < facts.endMs) gaps.push({ fromMs: sinceMs, untilMs: facts.endMs });
  return [...gaps, ...pausesOf(facts, process)];
}

/** When its guard did nothing, or was told to stop and switched everything off. */
export function pauses(facts: Facts, device: Device): Span[] {
  return pausesOf(facts, device.guard.name);
}

function pausesOf(facts: Facts, process: string): Span[] {
  const stops = facts.history.troubles.filter(({ name, kind }) => name === process && kind === 'stop');
  return [...stalls(facts, process), ...stops];
}

/** The same of its hanging, until it has tried again what its board had not done, or not answered, when it began to hang. */
export function retriesOf(
  facts: Facts,
  device: Device,
  numOutput: number,
  triedByMs: (hung: Span) => number = releasedByMs,
): Span[] {
  const troubles = boardTroubles(facts, device, numOutput);
  const failed = stalls(facts, device.guard.name).filter(({ fromMs, untilMs }) =>
    isTouched(fromMs - DRIVE_TIMEOUT_MS, untilMs, troubles),
  );
  return [...failed, ...missedAnswersOf(facts, device, numOutput)].map((hung) => ({
    fromMs: hung.fromMs,
    untilMs: triedByMs(hung),
  }));
}

/** Until it has tried again, after its hanging, to bring on what its board had not when it began to hang. */
export function poweringOnAgain(facts: Facts, device: Device, numOutput: number): Span[] {
  return retriesOf(facts, device, numOutput, ({ untilMs }) => untilMs + POWERED_ON_AGAIN_MS);
}

/** Its guard hung with an order in hand: it takes the answer for missing when it wakes, and puts the output off (I14). */
export function missedAnswersOf(facts: Facts, device: Device, numOutput: number): Span[] {
  const edges = facts.edgesOf(device.setup.name, numOutput);
  return stalls(facts, device.guard.name).filter(
    ({ fromMs, untilMs }) =>
      untilMs - fromMs >= DRIVE_TIMEOUT_MS - SLACK_MS &&
      edges.some(({ active, atMs }) => active && Math.abs(atMs - fromMs) <= SLACK_MS),
  );
}

/** The wait for the next try counts from the board's answer, or from when that was due. */
function releasedByMs({ fromMs, untilMs }: Span): number {
  return Math.max(untilMs, Math.min(untilMs, fromMs + DRIVE_TIMEOUT_MS) + RELEASE_RETRY_MS);
}

/** One that comes while another lasts makes that longer. */
export function stalls(facts: { history: Pick<History, 'troubles'> }, process: string): Span[] {
  const merged: Span[] = [];
  const troubles = facts.history.troubles.filter(({ name, kind }) => name === process && kind === 'stall');
  for (const { fromMs, untilMs } of troubles.toSorted((one, other) => one.fromMs - other.fromMs)) {
    const last = merged.at(-1);
    if (last && fromMs <= last.untilMs) last.untilMs = Math.max(last.untilMs, untilMs);
    else merged.push({ fromMs, untilMs });
  }
  return merged;
}

/** Another output's is none of this one. `leastMs`: what follows each of them takes so long. */
export function boardTroubles(facts: Facts, device: Device, numOutput: number, leastMs = 0): Span[] {
  return facts.history.troubles
    .filter(
      ({ name, kind, output = numOutput }) => name === device.setup.name && kind === 'board' && output === numOutput,
    )
    .map(({ fromMs, untilMs, afterMs = 0 }) => ({ fromMs, untilMs: untilMs + Math.max(afterMs, leastMs) }));
}

/** When a guard could not reach its board; what became due meanwhile is done as soon as it can. */
export function absencesOf(facts: Facts, device: Device): Span[] {
  return facts.history.absences.filter(({ machine }) => machine === device.setup.name);
}

export function isWithin(atMs: number, spans: readonly Span[]): boolean {
  return spans.some(({ fromMs, untilMs }) => atMs >= fromMs && atMs <= untilMs + SLACK_MS);
}

export function isTouched(fromMs: number, untilMs: number, spans: readonly Span[]): boolean {
  return spans.some((span) => span.fromMs <= untilMs && span.untilMs >= fromMs);
}

export function bootAt(facts: Facts, device: Device, atMs: number): string | undefined {
  return facts.livesOf(device.guard.name).findLast(({ fromMs }) => fromMs <= atMs)?.bootId;
}
