import type { KeyObject } from 'node:crypto';
import type { Clock, Randomness } from '@relaygate/shared';
import type { NodeRouter } from '../commands/order';
import type { RoutedCommands } from '../commands/routed-commands';
import type { Log } from '../log/log';
import { RefusalLog } from '../log/refusal-log';
import { AwaitedAnswers } from './awaited-answers';
import type { MessageBus } from './message-bus';
import { NodeClocks } from './node-clocks';
import { NodeServer } from './node-server';
import { type OtherNodesDeps, sendToNode } from './other-nodes';
import { messageKey, newToken } from './seal';

export interface NodeRouterDeps {
  nodeName: string;
  bus: MessageBus;
  /** What all nodes of an installation have, and nobody else. */
  secret: KeyObject;
  /** What takes the commands of other nodes here. */
  commands: Pick<RoutedCommands, 'take'>;
  clock: Clock;
  randomness: Randomness;
  log: Log;
}

export interface StartedRouter extends NodeRouter {
  /** What is held at this moment, for tests of its bounds (I15). */
  held(): { awaited: number; atWork: number; clocks: number };
}

/** Sends this node's commands to others, and takes theirs. It closes the bus when it stops. */
export function startNodeRouter(deps: NodeRouterDeps): StartedRouter {
  const { nodeName, bus, commands, clock, randomness, log } = deps;
  const key = messageKey(deps.secret);
  const instance = newToken(randomness);
  const refusals = new RefusalLog(log, clock, 'message');
  const answers = new AwaitedAnswers({ bus, key, instance, clock, randomness, refusals });
  const clocks = new NodeClocks({ answers, clock, randomness });
  const server = new NodeServer({ nodeName, instance, bus, key, commands, clock, log, refusals });
  const sending: OtherNodesDeps = { nodeName, bus, answers, clocks, clock };
  return {
    nodeOf: (toNode) => ({ dispatch: (command) => sendToNode(sending, toNode, command) }),
    held: () => ({ awaited: answers.size, atWork: server.atWork, clocks: clocks.size }),
    get isConnected() {
      return bus.isConnected;
    },
    async stop(timeoutMs) {
      await server.stop(timeoutMs);
      await bus.close();
      answers.close();
      refusals.stop();
    },
  };
}
