import { type Clock, EXECUTION_DEADLINE_MS } from '@relaygate/shared';
import { ROUTE_TIMEOUT_MS } from '../commands/command-router';
import { NO_ANSWER, NOT_ROUTED, type RoutedAnswer, type RoutedCommand } from '../commands/order';
import type { AwaitedAnswers } from './awaited-answers';
import type { MessageBus } from './message-bus';
import { type CommandQuestion, commandSubject, readCommandAnswer } from './messages';
import type { NodeClocks } from './node-clocks';
import { routedOrder } from './routed-order';

export interface OtherNodesDeps {
  /** This node's. */
  nodeName: string;
  bus: Pick<MessageBus, 'isConnected'>;
  answers: Pick<AwaitedAnswers, 'ask'>;
  clocks: Pick<NodeClocks, 'momentOn' | 'forget'>;
  clock: Clock;
}

const NOT_TAKEN: RoutedAnswer = { kind: 'not-taken' };
const NOBODY: RoutedAnswer = { kind: 'nobody' };

/**
 * Sends a command to another node. 500 only if nothing was sent or the node has said that it cannot read it, "not taken" only if the
 * command went to nobody or the node has said that it did not take it; all else is in doubt: 504.
 */
export async function sendToNode(deps: OtherNodesDeps, toNode: string, command: RoutedCommand): Promise<RoutedAnswer> {
  const { nodeName, bus, answers, clocks, clock } = deps;
  const { commandId, attempt, epoch, acceptedAtMs, order } = command;
  if (!bus.isConnected) return NOT_ROUTED;
  const leftMs = acceptedAtMs + EXECUTION_DEADLINE_MS - clock.nowMs();
  const there = await clocks.momentOn(toNode, acceptedAtMs, leftMs);
  if (there.kind === 'no-responders') return NOBODY;
  if (there.kind === 'full' || !bus.isConnected) return NOT_ROUTED;
  // It may just have died: nothing of the command was sent.
  if (there.kind !== 'moment') return NOT_TAKEN;
  const question: CommandQuestion = {
    caller: nodeName,
    commandId,
    attempt,
    epoch,
    acceptedAtMs: there.atMs,
    order: routedOrder(order),
  };
  const answerWithinMs = acceptedAtMs + ROUTE_TIMEOUT_MS - clock.nowMs();
  const subject = commandSubject(toNode, there.instance);
  const answer = await answers.ask(subject, question, readCommandAnswer, answerWithinMs);
  switch (answer.kind) {
    case 'full':
    case 'unreadable':
      return NOT_ROUTED;
    case 'no-responders':
    case 'other-clock':
      clocks.forget(toNode, there.instance);
      return NOT_TAKEN;
    case 'not-owner':
      return NOT_TAKEN;
    case 'late':
    case 'busy':
    case 'no-answer':
      return NO_ANSWER;
    default:
      return answer;
  }
}
