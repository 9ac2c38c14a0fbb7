/** The PIN of the technician's page: nobody is let in, or does anything there, without it. */
import type { MadePin, PageVisit } from '../history';
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
      sentence: `${host} at the page of ${machine}: ${sentence}`,
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
  const mayOpen = shown.some((one) => one.askedMs <= untilMs && !isReplaced(one, made, askedMs));
  if (answer === 'ok' && !mayOpen) return 'was let in without the PIN';
  const wrong = wrongBefore(facts, visit);
  const mustWait = wrong.length >= WRONG_BEFORE_WAIT && untilMs < (wrong.at(-1)?.askedMs ?? 0) + WAIT_MS;
  if (mustWait && answer !== 'too-many-requests') return `was told ${answer} after ${wrong.length} wrong PINs`;
  const isRight = shown.some(
    ({ madeMs, askedMs: wantedMs }) =>
      (madeMs ?? untilMs) < askedMs && !made.some((other) => other.askedMs > wantedMs && other.askedMs <= untilMs),
  );
  return isRight && !mayWait(facts, visit) && answer !== 'ok' ? `was told ${answer} with the right PIN` : null;
}

/** In a row, since the PIN was made, at the same agent. */
function wrongBefore({ history }: Facts, { machine, host, askedMs, lifeFromMs }: PageVisit): PageVisit[] {
  const before = history.visits.filter(
    (one) =>
      one.machine === machine &&
      one.host === host &&
      one.lifeFromMs === lifeFromMs &&
      (one.answeredMs ?? askedMs) < askedMs,
  );
  const pin = history.pins.findLast((one) => one.machine === machine && one.askedMs <= askedMs);
  const last = before.findLastIndex(({ answer }) => answer === 'ok');
  return before.slice(last + 1).filter((one) => one.answer === 'wrong-pin' && one.askedMs >= (pin?.madeMs ?? askedMs));
}

/** Of its address there were nearly as many wrong ones as make it wait, or so many are looked at. */
function mayWait({ history }: Facts, visit: PageVisit): boolean {
  const { machine, host, askedMs, lifeFromMs, answeredMs } = visit;
  const others = history.visits.filter(
    (one) =>
      one !== visit &&
      one.machine === machine &&
      one.host === host &&
      one.lifeFromMs === lifeFromMs &&
      one.askedMs <= (answeredMs ?? askedMs) &&
      (one.answer !== 'ok' || (one.answeredMs ?? askedMs) >= askedMs),
  );
  return others.length >= WRONG_BEFORE_WAIT - 1;
}

function pinsOf({ history }: Facts, machine: string): MadePin[] {
  return history.pins.filter((one) => one.machine === machine);
}

/** A newer one was in force already. */
function isReplaced(one: MadePin, all: readonly MadePin[], atMs: number): boolean {
  return all.some(({ askedMs, madeMs }) => askedMs > one.askedMs && madeMs !== null && madeMs <= atMs);
}
