import { STORAGE_WRITE_TIMEOUT_MS } from '../../support/time/promised-times';
import type { DriveCall, Facts } from './facts';
import type { Violation } from './violation';

/** Answers of a server that fails by itself, and what the API makes of them: 500. */
const FAILURES: ReadonlySet<string> = new Set(['unknown', 'storage-unavailable', 'storage-unanswered', 'uncaught']);
/** A write that was begun before the database went may still come through. */
const UNDER_WAY_MS = 5;

/** I14: in doubt nothing moves, and who asked is told clearly. */
export function checkDoubt(facts: Facts): Violation[] {
  return [
    ...facts.driveCalls.flatMap((call) => checkWithoutDatabase(facts, call)),
    ...checkFailures(facts),
    ...checkTimes(facts),
    ...checkImpostors(facts),
    ...checkUnknownModes(facts),
  ];
}

/**
 * A command that meets no working database from its arrival to its answer fails at once, and nothing moves. Whoever is told again of
 * one that is on record gives none.
 */
function checkWithoutDatabase(facts: Facts, call: DriveCall): Violation[] {
  const { arrivedMs, answeredMs, answer, client } = call;
  if (arrivedMs === null || answeredMs === null || !answer || answer.isReplayed) return [];
  if (facts.world.store.couldTakeCommand(arrivedMs - UNDER_WAY_MS, answeredMs)) return [];
  const say = (sentence: string): Violation[] => [{ invariant: 'I14', atMs: answeredMs, sentence }];
  const edge = facts.commands.get(answer.commandId ?? '')?.edges[0];
  if (edge) return say(`${client} moved output ${edge.output} of ${edge.machine} while the database was away`);
  const isClear = answer.commandId === undefined ? answer.code !== 'ok' : answer.code === 'unknown';
  return isClear ? [] : say(`${client} was told ${answer.code} for a command that could not be recorded`);
}

/** A failure of the server is never the answer to anything but a failure of its parts. */
function checkFailures(facts: Facts): Violation[] {
  return facts.history.calls.flatMap(({ answer, arrivedMs, answeredMs, client, request }): Violation[] => {
    if (!answer || arrivedMs === null || answeredMs === null || !FAILURES.has(answer.code)) return [];
    const fromMs = arrivedMs - STORAGE_WRITE_TIMEOUT_MS;
    if (facts.hasTrouble('server', ['storage', 'stall'], fromMs, answeredMs)) return [];
    const sentence = `${client} was told ${answer.code} of ${JSON.stringify(request)}, and nothing had failed`;
    return [{ invariant: 'I14', atMs: answeredMs, sentence }];
  });
}

/** No command reaches a guard before the device has been told the time on the very link that brought it. */
function checkTimes({ history }: Facts): Violation[] {
  return history.asked.flatMap(({ machine, commandId, epoch, atMs }): Violation[] => {
    const knowsTime = history.links.some(
      (link) => link.machine === machine && link.epoch === epoch && link.timesMs.some((ms) => ms <= atMs),
    );
    if (epoch === null || knowsTime) return [];
    return [{ invariant: 'I14', atMs, sentence: `${commandId} was begun on a link that had not told the time` }];
  });
}

/** Who cannot sign for a product's device is never welcomed as it. */
function checkImpostors({ history }: Facts): Violation[] {
  return history.impostors.flatMap(({ machine, fromMs, untilMs }) =>
    history.links.flatMap((link): Violation[] => {
      const [first] = link.heard;
      if (link.machine !== machine || link.epoch === null || !first) return [];
      if (first.atMs < fromMs || first.atMs > untilMs) return [];
      const sentence = `${machine} was welcomed as ${link.productLogin} without its key`;
      return [{ invariant: 'I14', atMs: first.atMs, sentence }];
    }),
  );
}

/** A guard that finds a mode it does not know drives nothing. */
function checkUnknownModes({ history }: Facts): Violation[] {
  return history.guardStarts.flatMap(({ machine, atMs, outputs }, n) => {
    if (outputs.every(({ mode }) => mode === 'on-off' || mode === 'impulse')) return [];
    const next = history.guardStarts.slice(n + 1).find((later) => later.machine === machine);
    return history.edges.flatMap((edge): Violation[] => {
      const isOrder = edge.machine === machine && edge.cause === 'order';
      if (!isOrder || edge.orderedMs < atMs || edge.orderedMs >= (next?.atMs ?? Number.POSITIVE_INFINITY)) return [];
      const sentence = `output ${edge.output} of ${machine} moved, and its mode was unknown`;
      return [{ invariant: 'I14', atMs: edge.atMs, sentence }];
    });
  });
}
