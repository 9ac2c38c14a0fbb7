/** When a machine's agent was there, and its link. */
import type { Device } from '../../machines/device';
import type { History } from '../../witnesses/history';
import type { LinkRecord } from '../../witnesses/link-record';
import type { Facts } from '../facts';
import type { Span } from '../span';
import { isTouched, SLOW_WRITE_MS, stalls } from '../spans';

/** From the start of an agent, or of a guard, until they have found each other. */
const MEETING_MS = 600;

interface SeenLives extends Pick<Facts, 'endMs' | 'livesOf'> {
  history: Pick<History, 'troubles'> & {
    readonly links: readonly Pick<LinkRecord, 'machine' | 'resumedMs' | 'leftMs'>[];
  };
}
interface Named {
  agent: { name: string };
  setup: { name: string };
}

/** When the agent ran and did its work. `leastMs`: a stall is one from this length on. */
export function agentSpans(facts: SeenLives, device: Named, leastMs = 0): Span[] {
  const lives = facts
    .livesOf(device.agent.name)
    .map(({ fromMs, untilMs }) => ({ fromMs, untilMs: untilMs ?? facts.endMs }));
  const hangs = stalls(facts, device.agent.name).filter(({ fromMs, untilMs }) => untilMs - fromMs >= leastMs);
  return without(lives, hangs);
}

/** When it did, and held its link for up: a guard has heard of it, too, whose agent died or hung right as it came up. */
export function linkSpans(facts: SeenLives, device: Named, leastMs = 0): Span[] {
  const agent = agentSpans(facts, device, leastMs);
  return facts.history.links
    .filter(({ machine }) => machine === device.setup.name)
    .flatMap(({ resumedMs, leftMs }) =>
      agent.map((span) => ({
        fromMs: Math.max(span.fromMs, resumedMs ?? facts.endMs),
        untilMs: Math.min(span.untilMs, leftMs ?? facts.endMs),
      })),
    )
    .filter(({ fromMs, untilMs }) => fromMs <= untilMs);
}

/** Whether, within the time from..until, a guard must have heard of it for `forMs` without a break. */
export function isThere(
  facts: Facts,
  device: Device,
  spans: readonly Span[],
  { fromMs, untilMs, forMs }: Span & { forMs: number },
): boolean {
  const slow = facts.history.troubles.filter(({ name, kind }) => name === device.setup.name && kind === 'journal');
  const lives = facts.livesOf(device.guard.name);
  const guards = lives.flatMap((life) => {
    if (life.readyMs === null) return [];
    const endedMs = life.untilMs ?? facts.endMs;
    const isInherited = lives.some((next) => next.fromMs >= endedMs && next.fromMs < untilMs);
    return [{ fromMs: life.readyMs + MEETING_MS, untilMs: isInherited ? inheritedUntilMs(endedMs, slow) : endedMs }];
  });
  const agents = agentSpans(facts, device).map((span) => ({ ...span, fromMs: span.fromMs + MEETING_MS }));
  return spans.some((span) =>
    agents.some((agent) =>
      guards.some((guard) => {
        const beginMs = Math.max(span.fromMs, agent.fromMs, guard.fromMs, fromMs);
        const endMs = Math.min(span.untilMs, agent.untilMs, guard.untilMs, untilMs);
        return endMs - beginMs >= forMs && !isTouched(beginMs - MEETING_MS, endMs, stalls(facts, device.guard.name));
      }),
    ),
  );
}

/**
 * Until when the guard after one that died must know what that one heard: it reads the journal, and what came while writes
 * to that were slow may not stand there yet. `slow`: when they were; the last write of each may end later, and hold up
 * what comes until the next of them.
 */
export function inheritedUntilMs(diedMs: number, slow: readonly Span[]): number {
  const newestFirst = slow.toSorted((one, other) => other.fromMs - one.fromMs);
  return newestFirst.reduce(
    (knownMs, { fromMs, untilMs }) => (fromMs <= knownMs && knownMs <= untilMs + SLOW_WRITE_MS ? fromMs : knownMs),
    diedMs,
  );
}

/** The times between the spans, from the begin to the end of the run. */
export function gapsBetween(spans: readonly Span[], endMs: number): Span[] {
  return without([{ fromMs: 0, untilMs: endMs }], spans);
}

function without(spans: readonly Span[], holes: readonly Span[]): Span[] {
  return holes.reduce<Span[]>(
    (left, hole) =>
      left.flatMap(({ fromMs, untilMs }) =>
        [
          { fromMs, untilMs: Math.min(untilMs, hole.fromMs) },
          { fromMs: Math.max(fromMs, hole.untilMs), untilMs },
        ].filter((span) => span.fromMs < span.untilMs),
      ),
    [...spans],
  );
}
