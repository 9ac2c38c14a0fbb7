import { EXECUTION_DEADLINE_MS } from '../../support/time/promised-times';
import type { Edge, FoundOff } from '../witnesses/board-records';
import { startOf } from '../witnesses/started';
import type { Facts } from './facts';
import { namesOf } from './policies/pulse-length';
import { latestMs, relayTroubles, stalls } from './spans';
import type { Violation } from './violation';

type Said = Facts['history']['verdicts'][number];
type Claim = Pick<Said, 'machine' | 'commandId' | 'outcome' | 'atMs'>;

/** What a guard was asked to do; `sinceMs`: what was so from then on counts. */
export interface Judged {
  numOutput: number;
  /** Where the relay is wanted; null: it is a toggle. */
  wanted: 0 | 1 | null;
  sinceMs: number;
  /** When the guard took it, if that is not `sinceMs`. */
  takenMs?: number;
  edges: readonly Edge[];
  /** Of a stop: the pulse that it is to end. */
  pulseSinceMs?: number | null;
}

/** I3: a guard's word is not taken for it. Executed: the relay has moved; already set: it was so while the command ran. */
export function checkVerdicts(facts: Facts): Violation[] {
  const heard = new Set<string>();
  return facts.history.verdicts.flatMap((said) => {
    const { machine, commandId, outcome, atMs } = said;
    const isFirst = !heard.has(`${machine} ${commandId}`);
    heard.add(`${machine} ${commandId}`);
    const judged = isFirst && (outcome === 'executed' || outcome === 'already-set') ? judgedOf(facts, said) : null;
    if (!judged) return [];
    const untruth = untruthOf(facts, judged, said);
    if (untruth === null) return [];
    return [
      { invariant: 'I3', atMs, sentence: `the guard of ${machine} said ${outcome}, and ${untruth} (${commandId})` },
    ];
  });
}

/** Of "executed" and "already set"; null: it is true. */
export function untruthOf(facts: Facts, judged: Judged, said: Claim): string | null {
  if (said.outcome === 'already-set') return wasSo(facts, judged.wanted, judged, said) ? null : 'its relay was not so';
  if (hasMoved(facts, judged, said)) return null;
  return judged.pulseSinceMs === undefined ? 'its relay had not moved' : 'its pulse had not been ended';
}

/**
 * The server's from when it acquired its slot, a technician's from when the guard got it: one that hung may have had it all the
 * time, and hears it before all else.
 */
function judgedOf(facts: Facts, { machine, commandId }: Claim): Judged | null {
  const remote = facts.commands.get(commandId);
  if (remote) {
    const { record, takenMs, edges } = remote;
    return { numOutput: record.numOutput, wanted: record.state, sinceMs: takenMs, edges };
  }
  const order = facts.orders.find((one) => one.machine === machine && one.commandId === commandId);
  if (!order) return null;
  const { numOutput, command, atMs, edges, hasWaited } = order;
  const hung = stalls(facts, facts.device(machine).guard.name).findLast(({ fromMs }) => fromMs <= atMs);
  const judged = { numOutput, sinceMs: (hasWaited ? hung?.fromMs : null) ?? atMs, takenMs: atMs, edges };
  if (command.action === 'stop') return { ...judged, wanted: 0, pulseSinceMs: command.pulseSinceMs };
  const wanted = command.action === 'set' ? command.state : command.action === 'pulse' ? 1 : null;
  return { ...judged, wanted };
}

/** An edge of its own; an impulse output needs none for "off", nor in a pulse. */
function hasMoved(facts: Facts, judged: Judged, said: Claim): boolean {
  const { machine, atMs } = said;
  const { numOutput, wanted, sinceMs, takenMs = sinceMs, edges } = judged;
  if (judged.pulseSinceMs !== undefined) return hasEndedPulse(facts, judged, said);
  if (edges.some((edge) => edge.machine === machine && edge.atMs <= atMs)) return true;
  if (wanted !== 1 && hasFoundDropped(facts, numOutput, said)) return true;
  const span = { fromMs: sinceMs, untilMs: atMs };
  if (!facts.settings.valuesOf({ machine, numOutput }, 'mode', span).has('impulse')) return false;
  if (wanted === 0) return true;
  const lastMs = takenMs + facts.world.server.clock.trueDelayMs(EXECUTION_DEADLINE_MS);
  return wasSo(facts, 1, judged, { machine, atMs: Math.min(atMs, lastMs) });
}

/** By an order that was given at once: no pulse that has run to its end was ended before its time. */
function hasEndedPulse(facts: Facts, { numOutput, sinceMs, pulseSinceMs = null }: Judged, said: Claim): boolean {
  const { machine, atMs } = said;
  const orderedByMs = latestMs(sinceMs, sinceMs, relayTroubles(facts, facts.device(machine), numOutput));
  const edges = facts.edgesOf(machine, numOutput);
  const offs = edges.filter(({ active, cause }) => !active && cause === 'order');
  const foundOff = facts.history.foundOff.filter((order) => order.machine === machine && order.output === numOutput);
  return [...offs, ...foundOff].some((off) => {
    if (off.orderedMs < sinceMs || off.orderedMs > orderedByMs || off.atMs > atMs) return false;
    const on = edges.findLast((edge) => edge.active && edge.atMs < off.atMs);
    return on && namesOf(edges, on).includes(pulseSinceMs);
  });
}

/** It lost its supply: to its guard it is on, until an order to go off finds it so, and that one command has moved it. */
function hasFoundDropped(facts: Facts, numOutput: number, { machine, commandId, atMs }: Claim): boolean {
  const { foundOff, verdicts } = facts.history;
  const commandOf = (order: FoundOff): string | undefined => startOf(facts.history, order)?.commandId;
  const ofIt = foundOff.filter((order) => order.machine === machine && order.output === numOutput);
  const found = ofIt.find((order) => order.atMs <= atMs && commandOf(order) === commandId);
  if (!found) return false;
  const last = facts.edgesOf(machine, numOutput).findLast((edge) => edge.atMs <= found.atMs);
  if (last?.cause !== 'drop') return false;
  const earlier = ofIt.filter((order) => order.atMs >= last.atMs && order.atMs < found.atMs).map(commandOf);
  return !verdicts.some(
    (said) =>
      said.machine === machine &&
      said.outcome === 'executed' &&
      said.commandId !== commandId &&
      earlier.includes(said.commandId),
  );
}

/** Whether the relay was in this state at some moment since then; what it lost in that very moment it had in it. */
function wasSo(
  facts: Facts,
  state: 0 | 1 | null,
  { numOutput, sinceMs }: Judged,
  { machine, atMs }: Pick<Claim, 'machine' | 'atMs'>,
): boolean {
  const isIt = ({ active }: Pick<Edge, 'active'>): boolean => active === (state === 1);
  const edges = facts.edgesOf(machine, numOutput).filter((edge) => edge.atMs <= atMs);
  const before = edges.findLast((edge) => edge.atMs < sinceMs) ?? { active: false };
  return isIt(before) || edges.some((edge) => edge.atMs >= sinceMs && isIt(edge));
}
