import { EXECUTION_DEADLINE_MS } from '../../support/promised-times';
import type { Edge } from '../board-records';
import type { Command, Facts } from './facts';
import type { Violation } from './violation';

type Said = Facts['history']['verdicts'][number];

/** I3: a guard's word is not taken for it. Executed: the relay has moved; already set: it was so while the command ran. */
export function checkVerdicts(facts: Facts): Violation[] {
  const heard = new Set<string>();
  return facts.history.verdicts.flatMap((said) => {
    const { machine, commandId, outcome, atMs } = said;
    const command = facts.commands.get(commandId);
    const isFirst = !heard.has(`${machine} ${commandId}`);
    heard.add(`${machine} ${commandId}`);
    if (!command || !isFirst || (outcome !== 'executed' && outcome !== 'already-set')) return [];
    const isTrue =
      outcome === 'executed' ? hasMoved(facts, command, said) : wasSo(facts, command.record.state, command, said);
    if (isTrue) return [];
    const untruth = outcome === 'executed' ? 'and its relay had not moved' : 'and its relay was not so';
    return [{ invariant: 'I3', atMs, sentence: `the guard of ${machine} said ${outcome}, ${untruth} (${commandId})` }];
  });
}

/** An edge of its own; an impulse output needs none for "off", nor in a pulse. */
function hasMoved(facts: Facts, command: Command, { machine, atMs }: Said): boolean {
  const { record, edges, takenMs } = command;
  if (edges.some((edge) => edge.machine === machine && edge.atMs <= atMs)) return true;
  if (wantsOff(record) && hasDropped(facts, machine, record.numOutput, atMs)) return true;
  const output = { machine, numOutput: record.numOutput };
  if (!facts.settings.valuesOf(output, 'mode', { fromMs: takenMs, untilMs: atMs }).has('impulse')) return false;
  if (record.action === 'set' && record.state === 0) return true;
  const lastMs = takenMs + facts.world.server.clock.trueDelayMs(EXECUTION_DEADLINE_MS);
  return wasSo(facts, 1, command, { machine, atMs: Math.min(atMs, lastMs) });
}

function wantsOff({ action, state }: Command['record']): boolean {
  return action === 'toggle' || state === 0;
}

/** It lost its supply: to its guard it is on, until the order to go off finds it so. */
function hasDropped({ history }: Facts, machine: string, numOutput: number, atMs: number): boolean {
  const last = history.edges.findLast(
    (edge) => edge.machine === machine && edge.output === numOutput && edge.atMs <= atMs,
  );
  return last?.cause === 'drop';
}

/** Whether the relay was in this state at some moment since the command acquired its slot. */
function wasSo(
  facts: Facts,
  state: 0 | 1 | null,
  { record: { numOutput }, takenMs }: Command,
  { machine, atMs }: Pick<Said, 'machine' | 'atMs'>,
): boolean {
  const isIt = ({ active }: Pick<Edge, 'active'>): boolean => active === (state === 1);
  const edges = facts.edgesOf(machine, numOutput).filter((edge) => edge.atMs <= atMs);
  const before = edges.findLast((edge) => edge.atMs <= takenMs) ?? { active: false };
  return isIt(before) || edges.some((edge) => edge.atMs > takenMs && isIt(edge));
}
