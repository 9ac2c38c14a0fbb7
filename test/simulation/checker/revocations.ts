import type { StoredCall } from '../ports/database/stored-call';
import type { LinkRecord } from '../witnesses/link-record';
import type { Facts } from './facts';
import type { Violation } from './violation';

/** I13 allows 1 s; reads and the way to the socket come on top. */
const REVOKED_WITHIN_MS = 1_000;
const READS_MS = 20;

/** I13: a revoked device's link is closed within 1 s, one that was being opened included. */
export function checkRevocations(facts: Facts): Violation[] {
  return facts.stored('revokeDevice').flatMap((revocation): Violation[] =>
    facts.history.links.flatMap((link): Violation[] => {
      const latestMs = closedByMs(facts, link, revocation);
      if (latestMs === null || (link.endedMs ?? facts.endMs) <= latestMs) return [];
      const openMs = (link.endedMs ?? facts.endMs) - revocation.atMs;
      const sentence = `link ${link.epoch} of ${link.productLogin} was open ${openMs.toFixed(0)} ms after its device was revoked`;
      return [{ invariant: 'I13', atMs: link.endedMs ?? facts.endMs, sentence }];
    }),
  );
}

/** Until when frames of the link may count; null: for as long as it lives. */
export function revokedByMs(facts: Facts, link: LinkRecord): number | null {
  const limits = facts.stored('revokeDevice').flatMap((revocation) => closedByMs(facts, link, revocation) ?? []);
  return limits.length > 0 ? Math.min(...limits) : null;
}

/** Null: this revocation is not about the key of this link. */
function closedByMs(facts: Facts, { productLogin, epoch }: LinkRecord, revocation: StoredCall): number | null {
  if (epoch === null || revocation.args[0] !== productLogin) return null;
  const opening = facts.stored('openLink').find(({ args, result }) => args[0] === productLogin && result === epoch);
  if (!opening || opening.atMs > revocation.atMs) return null;
  return facts.workedBy('server', ['stall', 'storage'], revocation.atMs, REVOKED_WITHIN_MS + READS_MS);
}
