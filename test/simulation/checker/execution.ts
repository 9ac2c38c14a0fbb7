import { EXECUTION_DEADLINE_MS } from '../../support/time/promised-times';
import type { Edge } from '../witnesses/board-records';
import type { Command, Facts } from './facts';
import type { Rule, Violation } from './violation';

/** The board's clock reading and the deadline may differ by what a double cannot tell. */
const ROUNDING_MS = 0.01;

/** I1, I2, I3, I9, I10, I12: what commands did, and what was said of them. */
export function checkExecution(facts: Facts): Violation[] {
  const found: Violation[] = [];
  const say = (invariant: Rule, atMs: number, sentence: string): void => void found.push({ invariant, atMs, sentence });
  const local = new Set(facts.orders.filter(({ epoch }) => epoch === null).map(({ commandId }) => commandId));
  for (const edge of facts.history.edges) {
    const commandId = facts.commandIdOf(edge);
    if (commandId === null) continue;
    const where = `output ${edge.output} of ${edge.machine}`;
    if (commandId === undefined) say('I1', edge.atMs, `${where} moved for a command that stands in no journal`);
    else if (!facts.commands.has(commandId) && !local.has(commandId))
      say('I9', edge.atMs, `${where} moved for ${commandId}, which no server recorded`);
  }
  for (const command of facts.commands.values()) found.push(...checkCommand(facts, command));
  found.push(...checkFrames(facts));
  return found;
}

function checkCommand(facts: Facts, command: Command): Violation[] {
  const found: Violation[] = [];
  const { record, edges, takenMs, call } = command;
  const { commandId } = record;
  const say = (invariant: Rule, atMs: number, sentence: string): void =>
    void found.push({ invariant, atMs, sentence: `${sentence} (${commandId})` });
  const [, second] = edges;
  if (second) say('I1', second.atMs, `a command moved ${edges.length} times`);
  const deadlineMs = takenMs + facts.world.server.clock.trueDelayMs(EXECUTION_DEADLINE_MS);
  for (const edge of edges) {
    if (edge.atMs > deadlineMs + ROUNDING_MS) {
      say('I2', edge.atMs, `an edge came ${(edge.atMs - deadlineMs).toFixed(1)} ms after the execution deadline`);
    }
    const { answeredMs = null } = call ?? {};
    if (answeredMs !== null && isTimeout(call?.answer?.code) && startedMs(facts, commandId, edge) > answeredMs) {
      say('I2', edge.atMs, 'an edge came after the 504');
    }
    const { productLogin } = facts.device(edge.machine).setup;
    if (productLogin !== record.productLogin || edge.output !== record.numOutput) {
      say(
        'I10',
        edge.atMs,
        `a command for ${record.productLogin}/${record.numOutput} moved ${productLogin}/${edge.output}`,
      );
    }
    if (record.action === 'set' && edge.active !== (record.state === 1))
      say('I3', edge.atMs, 'set moved the wrong way');
  }
  found.push(...checkAnswer(facts, command), ...checkOutcomes(facts, command));
  return found;
}

/** A board that failed in time may have had the order in hand all the same. */
function startedMs({ history }: Facts, commandId: string, { machine, orderedMs, atMs }: Edge): number {
  const hasFailed = history.verdicts.some(
    (v) => v.machine === machine && v.commandId === commandId && v.reason === 'board-failed',
  );
  return hasFailed ? orderedMs : atMs;
}

/** I3, I10: a 200 is about this very command, and true. */
function checkAnswer(facts: Facts, { record, call }: Command): Violation[] {
  if (!call || (call.answer?.code !== 'ok' && call.answer?.code !== 'already-set')) return [];
  const { commandId, clientId, numOutput, productLogin, action, state } = record;
  const answeredMs = call.answeredMs ?? facts.endMs;
  const violation = (invariant: Rule, sentence: string): Violation[] => [
    { invariant, atMs: answeredMs, sentence: `${sentence} (${commandId})` },
  ];
  const { request } = call;
  const isAsked = request.productLogin === productLogin && request.numOutput === numOutput && request.kind === action;
  const wantsState = request.kind === 'set' ? request.state : null;
  if (!isAsked || wantsState !== state || call.client !== clientId) {
    return violation('I10', 'a client was given the answer to another command');
  }
  const wanted = call.answer.code === 'ok' ? 'executed' : 'already-set';
  const said = facts.history.verdicts.some(
    (v) => v.commandId === commandId && v.outcome === wanted && v.atMs <= answeredMs,
  );
  return said ? [] : violation('I3', `the answer was ${call.answer.code}, and no guard had said "${wanted}" before`);
}

/** I9, I10: what the audit says happened did. */
function checkOutcomes(facts: Facts, { record, edges }: Command): Violation[] {
  const { commandId } = record;
  return facts.stored('recordOutcome').flatMap(({ args: [outcome], result, atMs }): Violation[] => {
    if (!isOutcome(outcome) || outcome.commandId !== commandId || result !== true) return [];
    const violation = (sentence: string): Violation[] => [
      { invariant: 'I9', atMs, sentence: `${sentence} (${commandId})` },
    ];
    switch (outcome.outcome) {
      case 'executed':
      case 'already-set':
      case 'confirmed-late': {
        const fitting = outcome.outcome === 'confirmed-late' ? ['executed', 'already-set'] : [outcome.outcome];
        const worked = facts.history.verdicts.some(
          (v) => v.commandId === commandId && fitting.includes(v.outcome) && v.atMs <= atMs,
        );
        return worked ? [] : violation(`the audit says ${outcome.outcome}, and no guard had said so`);
      }
      case 'expired':
        return edges.length > 0 ? violation(`the audit says expired (${outcome.reason}), and the relay has moved`) : [];
      case 'refused': {
        const mayHaveMoved = outcome.reason === 'board-failed';
        return edges.length > 0 && !mayHaveMoved
          ? violation(`the audit says refused (${outcome.reason}), and the relay has moved`)
          : [];
      }
      default:
        return [];
    }
  });
}

/** I1, I9, I12: what left the server. */
function checkFrames({ history, commands }: Facts): Violation[] {
  const found: Violation[] = [];
  const sent = new Set<string>();
  for (const { commandId, atMs, epoch, productLogin } of history.sent) {
    const say = (invariant: Rule, sentence: string): void =>
      void found.push({ invariant, atMs, sentence: `${sentence} (${commandId})` });
    if (sent.has(commandId)) say('I1', 'the server sent a command twice');
    sent.add(commandId);
    const recordedMs = commands.get(commandId)?.recordedMs ?? null;
    if (recordedMs === null || recordedMs > atMs) say('I9', 'a command was sent before its audit record was durable');
    const newest = Math.max(
      0,
      ...history.welcomes.filter((w) => w.productLogin === productLogin && w.atMs <= atMs).map((w) => w.epoch),
    );
    if (epoch < newest) say('I12', `a command was sent by link ${epoch}, and link ${newest} holds the product`);
  }
  const epochs = new Map<string, number>();
  for (const { productLogin, epoch, atMs } of history.welcomes) {
    const before = epochs.get(productLogin) ?? 0;
    if (epoch <= before)
      found.push({ invariant: 'I12', atMs, sentence: `link epoch ${epoch} of ${productLogin} came after ${before}` });
    epochs.set(productLogin, Math.max(before, epoch));
  }
  return [...found, ...checkSuperseded(history, commands)];
}

/** I12: a guard that knows of a newer link begins nothing of an older one. */
function checkSuperseded(history: Facts['history'], commands: Facts['commands']): Violation[] {
  return [...commands.values()].flatMap(({ record: { commandId }, edges }) => {
    const epoch = history.sent.find((sent) => sent.commandId === commandId)?.epoch;
    if (epoch === undefined) return [];
    return edges.flatMap(({ machine, orderedMs, atMs }): Violation[] => {
      const newer = history.guardEpochs.find(
        (entered) => entered.machine === machine && entered.epoch > epoch && entered.atMs < orderedMs,
      );
      if (!newer) return [];
      const sentence = `a command of link ${epoch} was begun after the guard knew link ${newer.epoch} (${commandId})`;
      return [{ invariant: 'I12', atMs, sentence }];
    });
  });
}

interface Outcome {
  commandId: string;
  outcome: string;
  reason: string | null;
}

function isOutcome(value: unknown): value is Outcome {
  return typeof value === 'object' && value !== null && 'commandId' in value && 'outcome' in value;
}

function isTimeout(code: string | undefined): boolean {
  return code === 'device-timeout';
}
