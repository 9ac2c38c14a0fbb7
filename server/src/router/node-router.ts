import type { KeyObject } from 'node:crypto';
import type { Clock, Randomness } from '@relaygate/shared';
import type { NodeRouter } from '../commands/order';
import type { RoutedCommands } from '../commands/routed-commands';
import type { SharedLimits } from '../limits/shared-limits';
import type { Log } from '../log/log';
import { RefusalLog } from '../log/refusal-log';
import { AwaitedAnswers } from './awaited-answers';
import { HeardCounts } from './heard-counts';
import type { MessageBus } from './message-bus';
import { NodeClocks } from './node-clocks';
import { NodeServer } from './node-server';
import { type OtherNodesDeps, sendToNode } from './other-nodes';
import { messageKey, newToken } from './seal';
import { SentCounts } from './sent-counts';

export interface NodeRouterDeps {
  nodeName: string;
  bus: MessageBus;
  /** What all nodes of an installation have, and nobody else. */
  secret: KeyObject;
  /** What takes the commands of other nodes here. */
  commands: Pick<RoutedCommands, 'take'>;
  /** What counts for all nodes together. */
  limits: SharedLimits;
  clock: Clock;
  randomness: Randomness;
  log: Log;
}

export interface StartedRouter extends NodeRouter {
  /** What is held at this moment, for tests of its bounds (I15). */
  held(): { awaited: number; atWork: number; clocks: number; counting: number };
}

/** Sends this node's commands and counts to others, and takes theirs. It closes the bus when it stops. */
export function startNodeRouter(deps: NodeRouterDeps): StartedRouter {
  const { nodeName, bus, commands, limits, clock, randomness, log } = deps;
  const key = messageKey(deps.secret);
  const instance = newToken(randomness);
  const refusals = new RefusalLog(log, clock, 'message');
  const answers = new AwaitedAnswers({ bus, key, instance, clock, randomness, refusals });
  const clocks = new NodeClocks({ answers, clock, randomness });
  const sentCounts = new SentCounts({ instance, bus, key, limits, clock });
  const heardCounts = new HeardCounts({ instance, bus, key, answers, limits, clock, randomness, refusals });
  const server = new NodeServer({ nodeName, instance, bus, key, commands, counts: sentCounts, clock, log, refusals });
  const sending: OtherNodesDeps = { nodeName, bus, answers, clocks, clock };
  return {
    nodeOf: (toNode) => ({ dispatch: (command) => sendToNode(sending, toNode, command) }),
    held: () => ({ awaited: answers.size, atWork: server.atWork, clocks: clocks.size, counting: heardCounts.size }),
    get isConnected() {
      return bus.isConnected;
    },
    async stop(timeoutMs) {
      heardCounts.stop();
      await server.stop(timeoutMs);
      sentCounts.stop();
      await bus.close();
      answers.close();
      refusals.stop();
    },
  };
}
