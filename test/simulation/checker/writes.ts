import { STORAGE_WRITE_TIMEOUT_MS } from '../../support/time/promised-times';
import type { Facts } from './facts';
import type { Violation } from './violation';

/** A write whose thread hangs is given up 4 s after its deadline. */
const SETTLED_WITHIN_MS = STORAGE_WRITE_TIMEOUT_MS + 4_000 + 100;

/** `writer`: each write is settled in time, and one that fails costs no other. */
export function checkWrites(facts: Facts): Violation[] {
  return [...checkSettled(facts), ...checkGroups(facts)];
}

function checkSettled(facts: Facts): Violation[] {
  return facts.history.writes.flatMap(({ name, askedMs, settledMs }): Violation[] => {
    const life = facts.livesOf('server').findLast(({ fromMs }) => fromMs <= askedMs);
    const untilMs = settledMs ?? life?.untilMs ?? facts.endMs;
    const tookMs = untilMs - askedMs - facts.troubleMs('server', ['stall'], askedMs, untilMs);
    if (tookMs <= SETTLED_WITHIN_MS) return [];
    const what = settledMs === null ? 'was never answered' : `was answered after ${tookMs.toFixed(0)} ms`;
    return [{ invariant: 'writer', atMs: untilMs, sentence: `the write ${name} ${what}` }];
  });
}

function checkGroups({ history }: Facts): Violation[] {
  return history.groups.flatMap(({ atMs, mode, refused, late, failed }): Violation[] => {
    if (mode !== 'member-fails' || refused <= late + failed) return [];
    const sentence = `${refused} writes were refused for the failure of ${failed}`;
    return [{ invariant: 'writer', atMs, sentence }];
  });
}
