import { RESPONSE_DEADLINE_MS } from '../../support/time/promised-times';
import type { Command, DriveCall, Facts } from './facts';
import type { Violation } from './violation';

const ANSWER_LATENESS_MS = 100;
/** Readings before the slot is acquired, with a slow database. */
const SLOW_READS_MS = 1_500;
/** A refusal needs no device. */
const AT_ONCE_MS = 100;

/** I6: one command in flight per product, an answer in time on every path, and nobody else settles it meanwhile. */
export function checkCommandSlots(facts: Facts): Violation[] {
  return [
    ...checkOverlaps(facts),
    ...checkSweeps(facts),
    ...facts.driveCalls.flatMap((call) => checkTiming(facts, call)),
  ];
}

function checkOverlaps({ commands }: Facts): Violation[] {
  const found: Violation[] = [];
  const last = new Map<string, Command>();
  for (const command of commands.values()) {
    const { productLogin, commandId } = command.record;
    const before = last.get(productLogin);
    if (before && before.freeMs > command.takenMs) {
      const sentence = `${commandId} acquired the slot of ${productLogin} while ${before.record.commandId} held it`;
      found.push({ invariant: 'I6', atMs: command.takenMs, sentence });
    }
    last.set(productLogin, command);
  }
  return found;
}

/** The server took these for commands that nobody waits for. */
function checkSweeps(facts: Facts): Violation[] {
  return facts.stored('interruptCommands').flatMap(({ atMs, args: [commandIds] }) =>
    (Array.isArray(commandIds) ? commandIds : []).flatMap((commandId): Violation[] => {
      const command = facts.commands.get(commandId);
      if (!command || atMs < command.takenMs || atMs > command.freeMs) return [];
      return [{ invariant: 'I6', atMs, sentence: `${commandId} was settled as lost while it was in flight` }];
    }),
  );
}

function checkTiming(facts: Facts, call: DriveCall): Violation[] {
  const { arrivedMs, answeredMs, answer, request } = call;
  if (arrivedMs === null) return [];
  const serverDiedMs = facts.livesOf('server').find(({ untilMs }) => untilMs !== null && untilMs >= arrivedMs)?.untilMs;
  const endMs = answeredMs ?? serverDiedMs ?? facts.endMs;
  const stalledMs = facts.troubleMs('server', ['stall'], arrivedMs, endMs);
  const slowMs = facts.hasTrouble('server', ['storage'], arrivedMs, endMs) ? SLOW_READS_MS : 0;
  const tookMs = endMs - arrivedMs - stalledMs;
  const say = (sentence: string): Violation[] => [
    { invariant: 'I6', atMs: endMs, sentence: `${call.client}, ${JSON.stringify(request)}: ${sentence}` },
  ];
  if (tookMs > RESPONSE_DEADLINE_MS + ANSWER_LATENESS_MS + slowMs) {
    return say(answeredMs === null ? 'never answered' : `answered after ${tookMs.toFixed(0)} ms`);
  }
  if (answer?.code !== 'request-already-pending') return [];
  if (tookMs > AT_ONCE_MS + slowMs) return say(`told 409 only after ${tookMs.toFixed(0)} ms`);
  const holders = [...facts.commands.values()].filter(({ record }) => record.productLogin === request.productLogin);
  const isHeld = holders.some(
    ({ takenMs, freeMs }) =>
      takenMs <= endMs &&
      freeMs >= arrivedMs &&
      endMs - takenMs <= RESPONSE_DEADLINE_MS + ANSWER_LATENESS_MS + stallSince(facts, takenMs, endMs),
  );
  return isHeld ? [] : say('told 409, and nobody held the slot');
}

function stallSince(facts: Facts, fromMs: number, untilMs: number): number {
  return facts.troubleMs('server', ['stall'], fromMs, untilMs);
}
