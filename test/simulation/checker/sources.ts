import type { Facts } from './facts';
import { revokedByMs } from './revocations';
import type { Violation } from './violation';

/** Outcomes that only a device can tell. */
const ANSWERED: ReadonlySet<string> = new Set(['executed', 'already-set', 'confirmed-late', 'unproven']);

/** I3, I9, I12: what the server says of a command was in a frame that it read while its link still held the product. */
export function checkSources(facts: Facts): Violation[] {
  const answers = [...facts.commands.values()].flatMap(({ record: { commandId }, call }) => {
    const isAnswered = call?.answer?.code === 'ok' || call?.answer?.code === 'already-set';
    return isAnswered && call.answeredMs !== null
      ? [{ commandId, atMs: call.answeredMs, invariant: 'I3' as const }]
      : [];
  });
  const outcomes = facts.stored('recordOutcome').flatMap(({ args: [outcome], result, atMs }) => {
    if (result !== true || !isOutcome(outcome) || !ANSWERED.has(outcome.outcome)) return [];
    return [{ commandId: outcome.commandId, atMs, invariant: 'I9' as const }];
  });
  return [...answers, ...outcomes].flatMap(({ commandId, atMs, invariant }): Violation[] => {
    const frames = framesAbout(facts, commandId).filter((frame) => frame.atMs <= atMs);
    const what = invariant === 'I3' ? 'a client was told of' : 'the audit holds';
    if (frames.length === 0)
      return [{ invariant, atMs, sentence: `${what} ${commandId} what no frame of a device says` }];
    if (frames.some(({ isSuperseded }) => !isSuperseded)) return [];
    return [{ invariant: 'I12', atMs, sentence: `${what} ${commandId} what only a superseded link's frame says` }];
  });
}

/** A revoked device's link is as good as superseded. */
function framesAbout(facts: Facts, commandId: string): { atMs: number; isSuperseded: boolean }[] {
  return facts.history.links.flatMap((link) => {
    const { productLogin, epoch, said } = link;
    const revokedMs = revokedByMs(facts, link) ?? Number.POSITIVE_INFINITY;
    const isNewer = (welcome: { productLogin: string; epoch: number }): boolean =>
      welcome.productLogin === productLogin && welcome.epoch > (epoch ?? 0);
    return said
      .filter(({ commandIds }) => commandIds.includes(commandId))
      .map(({ atMs }) => ({
        atMs,
        isSuperseded: revokedMs < atMs || facts.history.welcomes.some((newer) => isNewer(newer) && newer.atMs < atMs),
      }));
  });
}

function isOutcome(value: unknown): value is { commandId: string; outcome: string } {
  return typeof value === 'object' && value !== null && 'commandId' in value && 'outcome' in value;
}
