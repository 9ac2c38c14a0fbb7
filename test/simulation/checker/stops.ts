import {
  LAST_CHECKPOINT_MS,
  SAVE_PATIENCE_MS,
  SERVER_DRAINS_WITHIN_MS,
  STORAGE_WRITE_TIMEOUT_MS,
} from '../../support/time/promised-times';
import { isTwin } from '../people/faults';
import type { StoreMode } from '../ports/database/store-mode';
import type { Life } from '../witnesses/history';
import type { Facts } from './facts';
import { absencesOf, boardTroubles, isTouched, SLOW_WRITE_MS } from './spans';
import type { Violation } from './violation';

/** Its last reads and writes, where the database does what it is told. */
const SERVER_ENDS_WITHIN_MS = 100;
/** In these a write waits, and with it the last checkpoint, until that is given up. In all others it is done or refused at once. */
const KEEPS_WRITERS_WAITING: ReadonlySet<StoreMode> = new Set<StoreMode>([
  // Each group takes up to 1.5 s, and one of before may be under way.
  'slow',
  // Each write is refused after a second: that of the checkpoint under way, then the last one's.
  'locked',
  // Nothing is answered while it lasts.
  'hangs',
  'late-answers',
]);
/** A writer thread that hangs in its disk is ended then. */
const WRITER_ENDS_WITHIN_MS = STORAGE_WRITE_TIMEOUT_MS + 4_000;
/** A board that fails is tried for 5 s, and its last order may take another second. */
const GUARD_STOPS_WITHIN_MS = 6_600;
const AGENT_STOPS_WITHIN_MS = 100;
/** What was in trouble before may still be waited for. */
const TROUBLE_REACH_MS = 8_000;

interface Stop {
  life: Life;
  fromMs: number;
  untilMs: number;
}

/** What an orderly stop must leave behind: nothing lost, nothing open, nothing switched on. */
export function checkStops(facts: Facts): Violation[] {
  return facts.history.lives.flatMap((life): Violation[] => {
    if (!life.stop) return [];
    const stop: Stop = { life, fromMs: life.stop.askedMs, untilMs: life.untilMs ?? facts.endMs };
    const isHung = facts.hasTrouble(life.name, ['stall'], stop.fromMs, stop.untilMs);
    if (isHung) return [];
    const found = checkTime(facts, stop);
    if (!life.stop.isDone) return found;
    if (life.name === 'server') return [...found, ...checkServer(facts, stop)];
    return life.name.startsWith('guard') ? [...found, ...checkGuard(facts, stop)] : found;
  });
}

function checkTime(facts: Facts, { life, fromMs, untilMs }: Stop): Violation[] {
  const { world } = facts;
  const [program, machine = ''] = life.name.split(' ');
  const isDiskWell = !facts.hasTrouble(machine, ['disk'], fromMs - TROUBLE_REACH_MS, untilMs);
  const limitsMs = new Map([
    ['server', serverStopsWithinMs(world.store.modesIn(fromMs, untilMs))],
    ['guard', GUARD_STOPS_WITHIN_MS],
    // The page's certificate, and behind that the last entries of its history.
    ['agent', AGENT_STOPS_WITHIN_MS + (isDiskWell ? 0 : 2 * SAVE_PATIENCE_MS)],
  ]);
  const tookMs = untilMs - fromMs;
  if (tookMs <= (limitsMs.get(program ?? '') ?? 0)) return [];
  return [{ invariant: 'stop', atMs: untilMs, sentence: `${life.name} took ${tookMs.toFixed(0)} ms to stop` }];
}

function serverStopsWithinMs(modes: readonly StoreMode[]): number {
  const lastMs = modes.some((mode) => KEEPS_WRITERS_WAITING.has(mode)) ? LAST_CHECKPOINT_MS : SERVER_ENDS_WITHIN_MS;
  return SERVER_DRAINS_WITHIN_MS + lastMs + (modes.includes('hangs') ? WRITER_ENDS_WITHIN_MS : 0);
}

/** Who asked is answered, what was decided is written, and only then the links are closed, each with a word. */
function checkServer(facts: Facts, stop: Stop): Violation[] {
  const { life, fromMs, untilMs } = stop;
  const isWithin = (ms: number | null): boolean => ms !== null && ms >= life.fromMs && ms <= untilMs;
  const unanswered = facts.history.calls
    .filter(({ arrivedMs, answeredMs }) => isWithin(arrivedMs) && answeredMs === null)
    .map(({ client, request }) => `${client} has no answer to ${JSON.stringify(request)}`);
  const commands = [...facts.commands.values()].filter(({ takenMs }) => isWithin(takenMs));
  const closings = facts.history.links
    .filter(({ endedMs }) => endedMs !== null && endedMs >= fromMs && endedMs <= untilMs)
    .flatMap(({ machine, productLogin, upMs, endedMs, closeCode }) => {
      const inFlight = commands.find(
        ({ record, takenMs, freeMs }) =>
          record.productLogin === productLogin && takenMs < (endedMs ?? 0) && freeMs > (endedMs ?? 0),
      );
      const isDropped = closeCode === null && endedMs === untilMs && upMs !== null;
      return [
        ...(closeCode === 1012 && inFlight ? [`the link of ${machine} was closed with a command in flight`] : []),
        ...(isDropped ? [`the link of ${machine} was dropped without a word`] : []),
      ];
    });
  const hasRefusals = facts.hasTrouble('server', ['storage'], fromMs - TROUBLE_REACH_MS, untilMs);
  const next = facts.stored('interruptPending').find(({ atMs }) => atMs > untilMs);
  const pending = Number(next?.result ?? 0);
  const left = pending > 0 && !hasRefusals ? [`${pending} commands were left pending`] : [];
  return [...unanswered, ...closings, ...left].map((what) => ({
    invariant: 'stop',
    atMs: untilMs,
    sentence: `the server stopped in order, and ${what}`,
  }));
}

/** A stopped guard leaves no relay closed, and says of each command that it began what became of it. */
function checkGuard(facts: Facts, { life, fromMs, untilMs }: Stop): Violation[] {
  const device = facts.devices.find(({ guard }) => guard.name === life.name);
  if (!device || isTwin(device)) return [];
  const { name, outputs } = device.setup;
  const edges = facts.history.edges.filter(({ machine, atMs }) => machine === name && atMs <= untilMs);
  const absences = absencesOf(facts, device);
  const isBoardWell = (n: number): boolean =>
    !isTouched(fromMs, untilMs, [...boardTroubles(facts, device, n), ...absences]);
  const on = outputs
    .map((_output, n) => n)
    .filter((n) => isBoardWell(n) && edges.findLast(({ output }) => output === n)?.active === true)
    .map((n) => `output ${n} of ${name} is on`);
  const journal = facts.history.lastJournals.find(({ machine, atMs }) => machine === name && atMs === untilMs)?.text;
  const starts = facts.history.starts.filter(({ machine }) => machine === name);
  // What the guard before had begun stands in the journal as well, and nobody knows its end.
  const before = new Set(starts.filter(({ atMs }) => atMs < life.fromMs).map(({ commandId }) => commandId));
  // A guard that stops waits for less than such a write takes.
  const isJournalWell = !facts.hasTrouble(name, ['journal'], fromMs - SLOW_WRITE_MS, untilMs);
  const lost = starts
    .filter(() => isJournalWell)
    .filter(({ commandId, atMs }) => atMs >= life.fromMs && atMs <= untilMs && !before.has(commandId))
    .filter(({ commandId }) => journal !== undefined && !journal.includes(`{"outcome":{"commandId":"${commandId}"`))
    .map(({ commandId }) => `what became of ${commandId} stands nowhere`);
  return [...on, ...lost].map((what) => ({
    invariant: 'stop',
    atMs: untilMs,
    sentence: `${life.name} stopped in order, and ${what}`,
  }));
}
