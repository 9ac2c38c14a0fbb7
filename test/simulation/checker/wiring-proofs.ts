/** `requireProof`: nobody moves a relay from afar before somebody has seen that each output moves its own. */
import type { StoredCall } from '../database/stored-call';
import type { Facts } from './facts';
import type { Violation } from './violation';

export function checkWiringProofs(facts: Facts): Violation[] {
  return facts.devices
    .filter(({ setup }) => setup.requireProof)
    .flatMap(({ setup: { name } }) => [...checkUnproven(facts, name), ...checkProven(facts, name)]);
}

/** A proof may hold from the moment on at which it was asked for. */
function checkUnproven(facts: Facts, machine: string): Violation[] {
  const proofs = facts.history.deeds.filter(
    (deed) => deed.machine === machine && deed.request.type === 'prove' && (deed.answer ?? 'ok') === 'ok',
  );
  const provenMs = Math.min(...proofs.map(({ askedMs }) => askedMs));
  const orders = facts.orders.filter((order) => order.machine === machine && order.epoch !== null);
  return orders.flatMap(({ commandId, edges, renewals }) =>
    [...edges, ...renewals]
      .filter(({ orderedMs }) => orderedMs < provenMs)
      .map(({ output, atMs }) => ({
        invariant: 'proof',
        atMs,
        sentence: `output ${output} of ${machine} was moved by ${commandId} before anybody had proven its wiring`,
      })),
  );
}

/** And one that was confirmed is not forgotten. */
function checkProven(facts: Facts, machine: string): Violation[] {
  const proof = facts.history.deeds.find(
    (deed) => deed.machine === machine && deed.request.type === 'prove' && deed.answer === 'ok',
  );
  const provenMs = proof?.answeredMs ?? Number.POSITIVE_INFINITY;
  return facts.stored('recordOutcome').flatMap((call): Violation[] => {
    const commandId = unprovenIn(call);
    const sent = facts.history.sent.find((one) => one.commandId === commandId);
    const link = facts.history.links.find(
      ({ productLogin, epoch }) => sent?.productLogin === productLogin && sent.epoch === epoch,
    );
    if (!sent || sent.atMs <= provenMs || link?.machine !== machine) return [];
    const sentence = `${machine} refused ${commandId} as not proven, although its wiring was`;
    return [{ invariant: 'proof', atMs: call.atMs, sentence }];
  });
}

/** The command that was refused for want of a proof; null: it is about something else. */
function unprovenIn({ args: [outcome] }: StoredCall): string | null {
  if (typeof outcome !== 'object' || outcome === null || !('reason' in outcome) || !('commandId' in outcome))
    return null;
  return outcome.reason === 'not-proven' ? String(outcome.commandId) : null;
}
