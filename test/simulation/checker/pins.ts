/** The PIN of the technician's page and of the serial console: nobody is let in, or does anything there, without it. */

import { CONSOLE } from '../people/local-request';
import { WRONG_PIN } from '../people/pin-of';
import type { MadePin, PageVisit } from '../witnesses/on-site-records';
import type { Facts } from './facts';
import type { Violation } from './violation';

/** In a row from one address: then every PIN is refused unseen. */
const WRONG_BEFORE_WAIT = 5;
/** For so long at first. */
const WAIT_MS = 60_000;

export function checkPins(facts: Facts): Violation[] {
  return facts.history.visits.flatMap((visit) => {
    const { machine, host, answer, answeredMs, acted } = visit;
    if (answeredMs === null) return [];
    const say = (atMs: number, sentence: string): Violation => ({
      invariant: 'pin',
      atMs,
      sentence: `${host === CONSOLE ? 'somebody at the console' : `${host} at the page`} of ${machine}: ${sentence}`,
    });
    const problem = problemOfLogin(facts, visit);
    const found = problem === null ? [] : [say(answeredMs, problem)];
    if (acted?.answer !== 'ok') return found;
    if (answer !== 'ok') found.push(say(acted.askedMs, 'was not let in, and moved an output'));
    const isOld = pinsOf(facts, machine).some(
      ({ askedMs, madeMs }) => askedMs > answeredMs && madeMs !== null && madeMs < acted.askedMs,
    );
    return isOld ? [...found, say(acted.askedMs, 'moved an output by the PIN before the last')] : found;
  });
}

/** null: none. */
function problemOfLogin(facts: Facts, visit: PageVisit): string | null {
  const { machine, pin, askedMs, answer } = visit;
  const untilMs = visit.answeredMs ?? askedMs;
  const made = pinsOf(facts, machine);
  const shown = made.filter((one) => one.pin === pin);
  // The agent that wipes knows it until it ends.
  const isWiped = (one: MadePin): boolean => facts.isWipedBetween(machine, one.madeMs ?? one.askedMs, visit.lifeFromMs);
  const mayOpen = shown.some((one) => one.askedMs <= untilMs && !isReplaced(one, made, askedMs) && !isWiped(one));
  if (answer === 'ok' && !mayOpen)
    return `was let in without the PIN${hasLostPower(facts, machine, askedMs) ? ', after a power loss' : ''}`;
  const wrong = wrongBefore(facts, visit);
  const mustWait = wrong.length >= WRONG_BEFORE_WAIT && untilMs < (wrong.at(-1)?.askedMs ?? 0) + WAIT_MS;
  const isOverRestart = wrong.some(({ lifeFromMs }) => lifeFromMs !== visit.lifeFromMs);
  const words = `${wrong.length} wrong PINs${isOverRestart ? ', some of them before a restart' : ''}`;
  if (mustWait && answer !== 'too-many-requests') return `was told ${answer} after ${words}`;
  const isRight = shown.some(
    (one) =>
      (one.madeMs ?? untilMs) < askedMs &&
      !made.some((other) => mayBeLater(other, one) && other.askedMs <= untilMs) &&
      !facts.isWipedBetween(machine, one.askedMs, untilMs),
  );
  return isRight && !mayWait(facts, visit) && answer !== 'ok' ? `was told ${answer} with the right PIN` : null;
}

/** In a row, since the PIN was made, at the same agent; at the console of the one before it too. */
function wrongBefore(facts: Facts, visit: PageVisit): PageVisit[] {
  const { history } = facts;
  const { machine, askedMs } = visit;
  const before = visitsBeside(facts, visit).filter((one) => one.askedMs < askedMs && !isOpenAt(one, askedMs));
  const sinceMs = madeByMs(history.pins.filter((one) => one.machine === machine && one.askedMs <= askedMs));
  // Of one that was never answered nobody knows whether it opened.
  const last = before.findLastIndex((one) => one.answer === 'ok' || (one.answer === null && one.pin !== WRONG_PIN));
  const wrong = before
    .slice(last + 1)
    .filter((one) => one.answer === 'wrong-pin' && one.askedMs >= (sinceMs ?? askedMs))
    .filter((one) => !facts.isWipedBetween(machine, one.askedMs, visit.answeredMs ?? askedMs));
  const isSaved = !facts.hasTrouble(machine, ['disk'], wrong[0]?.askedMs ?? askedMs, askedMs);
  return isSaved ? wrong : wrong.filter(({ lifeFromMs }) => lifeFromMs === visit.lifeFromMs);
}

/** Of its address there were nearly as many wrong ones as make it wait, or so many are looked at. */
function mayWait(facts: Facts, visit: PageVisit): boolean {
  const { askedMs, answeredMs } = visit;
  const others = visitsBeside(facts, visit).filter(
    (one) => one.askedMs <= (answeredMs ?? askedMs) && (one.answer !== 'ok' || isOpenAt(one, askedMs)),
  );
  return others.length >= WRONG_BEFORE_WAIT - 1;
}

/** That are counted with this one: the console's outlive their agent. */
function visitsBeside({ history }: Facts, visit: PageVisit): PageVisit[] {
  const { machine, host, lifeFromMs } = visit;
  return history.visits.filter(
    (one) =>
      one !== visit &&
      one.machine === machine &&
      one.host === host &&
      (host === CONSOLE || one.lifeFromMs === lifeFromMs),
  );
}

/** Its answer was still to come. */
function isOpenAt({ answeredMs }: PageVisit, ms: number): boolean {
  return answeredMs !== null && answeredMs >= ms;
}

/** Since its PIN was made. */
function hasLostPower(facts: Facts, machine: string, atMs: number): boolean {
  const bootOf = (ms: number): string | undefined =>
    facts.livesOf(`agent ${machine}`).findLast(({ fromMs }) => fromMs <= ms)?.bootId;
  const pin = pinsOf(facts, machine).findLast(({ askedMs }) => askedMs <= atMs);
  return pin !== undefined && bootOf(pin.askedMs) !== bootOf(atMs);
}

function pinsOf({ history }: Facts, machine: string): MadePin[] {
  return history.pins.filter((one) => one.machine === machine);
}

/** A newer one was in force already. Of two that were made at the same time any may be the newer one. */
function isReplaced(one: MadePin, all: readonly MadePin[], atMs: number): boolean {
  return all.some(({ askedMs, madeMs }) => askedMs > (one.madeMs ?? one.askedMs) && madeMs !== null && madeMs <= atMs);
}

/** It was asked for later, or while the other one was made. */
function mayBeLater(one: MadePin, other: MadePin): boolean {
  return one !== other && (one.askedMs >= other.askedMs || (one.madeMs ?? one.askedMs) > other.askedMs);
}

/** When the last of them was; null: there is none, or nobody has heard it. */
function madeByMs(pins: readonly MadePin[]): number | null {
  if (pins.at(-1)?.madeMs == null) return null;
  return Math.max(...pins.map(({ madeMs }) => madeMs ?? 0));
}
