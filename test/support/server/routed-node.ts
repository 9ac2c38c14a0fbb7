import { createSecretKey, type KeyObject } from 'node:crypto';
import type { CommandAccess } from '@relaygate/server/commands/command-store';
import type { CommandOrder, DispatchAnswer, RoutedAnswer, RoutedCommand } from '@relaygate/server/commands/order';
import { RoutedCommands } from '@relaygate/server/commands/routed-commands';
import { type NodeLimits, nodeLimits, sharedLimits } from '@relaygate/server/limits/node-limits';
import type { MessageBus } from '@relaygate/server/router/message-bus';
import { type StartedRouter, startNodeRouter } from '@relaygate/server/router/node-router';
import type { Clock } from '@relaygate/shared';
import { systemClock, systemRandomness } from '@relaygate/shared/system';
import { collectingLog } from './collecting-log';
import { ALLOWED, ORDER } from './dispatcher-bench';

/** Of a client, to one product and to all. */
const SETTINGS = { productCommandsPerMinute: '20', clientCommandsPerMinute: '30' };
export const SECRET = createSecretKey(Buffer.alloc(32, 7));
export const OTHER_SECRET = createSecretKey(Buffer.alloc(32, 8));
let ids = 0;

export interface RoutedNodeOptions {
  bus: MessageBus;
  secret?: KeyObject;
  clock?: Clock;
}

/** The router of one node; what is behind it at the owner's side is played by this class. */
export class RoutedNode {
  readonly name: string;
  readonly clock: Clock;
  readonly bus: MessageBus;
  readonly log = collectingLog();
  readonly router: StartedRouter;
  readonly limits: NodeLimits;
  /** What the owner's dispatcher got. */
  readonly taken: (Pick<RoutedCommand, 'commandId' | 'acceptedAtMs'> & { order: CommandOrder; atMs: number })[] = [];
  access: CommandAccess | undefined = ALLOWED;
  isOwner = true;
  answer: (commandId: string) => Promise<DispatchAnswer> = async (commandId) => ({ kind: 'ok', commandId });

  constructor(name: string, { bus, secret = SECRET, clock = systemClock }: RoutedNodeOptions) {
    this.name = name;
    this.clock = clock;
    this.bus = bus;
    const commands = new RoutedCommands({
      clock,
      store: { readAccess: async () => this.access },
      links: { stateOf: () => ({ kind: 'up', bootId: 'boot-1' }) },
      local: {
        dispatch: (order, _link, accepted) => {
          const { commandId, acceptedAtMs } = accepted ?? { commandId: 'none', acceptedAtMs: Number.NaN };
          this.taken.push({ commandId, acceptedAtMs, order, atMs: clock.nowMs() });
          return this.answer(commandId);
        },
      },
      takes: () => this.isOwner,
    });
    this.limits = nodeLimits({ settings: SETTINGS, secret, clock });
    this.router = startNodeRouter({
      nodeName: name,
      bus,
      secret,
      commands,
      limits: sharedLimits(this.limits),
      clock,
      randomness: systemRandomness,
      log: this.log,
    });
  }

  /** A command that this node accepted `agoMs` ago. */
  command(agoMs = 0, more: Partial<RoutedCommand> = {}): RoutedCommand {
    ids += 1;
    const acceptedAtMs = this.clock.nowMs() - agoMs;
    return { commandId: `command-${ids}`, order: ORDER, acceptedAtMs, epoch: 1, attempt: 1, ...more };
  }

  send(toNode: string, command: RoutedCommand = this.command()): Promise<RoutedAnswer> {
    const node = this.router.nodeOf(toNode);
    if (!node) throw new Error(`no node ${toNode}`);
    return node.dispatch(command);
  }

  /** The codes of what it refused. */
  refused(): unknown[] {
    return this.log.lines.filter(({ event }) => event === 'message refused').map(({ fields }) => fields.code);
  }
}

/** The system's clock, with another origin. */
export function clockAhead(byMs: number): Clock {
  return { nowMs: () => systemClock.nowMs() + byMs, after: (delayMs, run) => systemClock.after(delayMs, run) };
}
