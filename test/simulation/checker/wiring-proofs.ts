/** `requireProof`: nobody moves a relay from afar before somebody has seen that each output moves its own. */

import type { Device } from '../machines/device';
import type { StoredCall } from '../ports/database/stored-call';
import { isClick } from './clicks';
import type { Facts } from './facts';
import type { Span } from './span';
import type { Violation } from './violation';

export function checkWiringProofs(facts: Facts): Violation[] {
  return [
    ...facts.devices
      .filter(({ setup }) => setup.requireProof)
      .flatMap(({ setup: { name } }) => [...checkUnproven(facts, name), ...checkProven(facts, name)]),
    ...facts.devices.flatMap((device) => checkAnswers(facts, device)),
  ];
}

/** Only right answers about relays that have clicked prove anything, and only they are kept. */
function checkAnswers(facts: Facts, { setup: { name }, agent, card }: Device): Violation[] {
  const say = (atMs: number, sentence: string): Violation => ({ invariant: 'proof', atMs, sentence });
  const proofs = facts.history.deeds.filter(({ machine, request }) => machine === name && request.type === 'prove');
  const found = proofs.flatMap(({ actor, request, answer, askedMs, answeredMs }): Violation[] => {
    if (request.type !== 'prove' || answer !== 'ok') return [];
    const atMs = answeredMs ?? askedMs;
    if (!isRight(request.answers)) return [say(atMs, `${name} took the wrong answers of ${actor} for a proof`)];
    const sinceMs = facts.livesOf(agent.name).findLast(({ fromMs }) => fromMs <= askedMs)?.fromMs ?? 0;
    const silent = request.answers.findIndex(
      (_answer, n) => !hasClicked(facts, name, n, { fromMs: sinceMs, untilMs: askedMs }),
    );
    return silent < 0
      ? []
      : [say(atMs, `${name} took the answers of ${actor} for a proof, and output ${silent} had not clicked`)];
  });
  const kept = card.provenBy;
  const prover = proofs.find(({ actor }) => actor === kept);
  const mayStand = prover?.request.type === 'prove' && isRight(prover.request.answers) && prover.answer !== 'refused';
  // A disk that takes what it refused: who was refused may have proven it all the same.
  const isInDoubt = prover && facts.hasTrouble(name, ['disk'], prover.askedMs, prover.answeredMs ?? facts.endMs);
  if (kept !== null && !mayStand && !isInDoubt)
    found.push(say(facts.endMs, `${name} keeps a proof of ${kept}, who has proven nothing`));
  return found;
}

/** Relay N of the board is that of output N - 1, and the wires are never wrong here. */
function isRight(answers: readonly { relay: number; isOn: boolean }[]): boolean {
  return answers.every(({ relay, isOn }, n) => relay === n + 1 && !isOn);
}

function hasClicked(facts: Facts, machine: string, numOutput: number, { fromMs, untilMs }: Span): boolean {
  const clicks = facts.orders.filter(
    (order) => order.machine === machine && order.numOutput === numOutput && isClick(facts, order),
  );
  return clicks.flatMap(({ edges }) => edges).filter(({ atMs }) => atMs >= fromMs && atMs <= untilMs).length >= 3;
}

/** A proof may hold from the moment on at which it was asked for. */
function checkUnproven(facts: Facts, machine: string): Violation[] {
  const proofs = facts.history.deeds.filter(
    (deed) => deed.machine === machine && deed.request.type === 'prove' && (deed.answer ?? 'ok') === 'ok',
  );
  const isProvenAt = (ms: number): boolean =>
    proofs.some(
      (proof) => proof.askedMs <= ms && !facts.isWipedBetween(machine, proof.answeredMs ?? proof.askedMs, ms),
    );
  const orders = facts.orders.filter((order) => order.machine === machine && order.epoch !== null);
  return orders.flatMap(({ commandId, edges, renewals }) =>
    [...edges, ...renewals]
      .filter(({ orderedMs }) => !isProvenAt(orderedMs))
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
    const isClicking = facts.history.deeds.some(
      (deed) =>
        deed.machine === machine &&
        deed.request.type === 'click' &&
        deed.askedMs <= call.atMs &&
        (deed.answeredMs ?? facts.endMs) >= (sent?.atMs ?? 0),
    );
    if (!sent || sent.atMs <= provenMs || link?.machine !== machine || isClicking) return [];
    if (facts.isWipedBetween(machine, provenMs, call.atMs)) return [];
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
