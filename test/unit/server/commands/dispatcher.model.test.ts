import { describe, expect, test } from '@jest/globals';
import { Dispatcher, type DispatcherDeps } from '@relaygate/server/commands/dispatcher';
import type { CommandAnswer, CommandOrder } from '@relaygate/server/commands/order';
import type { DeviceConfirmation } from '@relaygate/server/devices/frame-version';
import type { Resume } from '@relaygate/shared';
import fc from 'fast-check';
import { firstViolation } from '../../../support/chance/first-violation';
import { generatedRounds } from '../../../support/chance/generated-rounds';
import type { Sent } from '../../../support/server/dispatcher-bench';
import { DispatcherWorld } from './dispatcher-model';
import { type DispatcherMove, dispatcherMoves } from './dispatcher-moves';

type MakeDispatcher = (deps: DispatcherDeps) => Dispatcher;

const play =
  (make: MakeDispatcher) =>
  async (moves: DispatcherMove[]): Promise<void> => {
    const world = new DispatcherWorld(make);
    for (const move of moves) await world.make(move);
    await world.end();
  };

/** Remembers what was sent last, for mutants that make wrong use of it. */
function withMemory(make: (deps: DispatcherDeps, last: Map<string, Sent>) => Dispatcher): MakeDispatcher {
  return (deps) => {
    const last = new Map<string, Sent>();
    const send: DispatcherDeps['links']['send'] = (login, command) => {
      last.set(login, { ...command });
      return deps.links.send(login, command);
    };
    const stateOf: DispatcherDeps['links']['stateOf'] = (login) => deps.links.stateOf(login);
    return make({ ...deps, links: { stateOf, send } }, last);
  };
}

const MUTANTS: [string, string, MakeDispatcher][] = [
  [
    'sends again once the link is up',
    'I1: sent twice',
    withMemory((deps, last) => {
      class Mutant extends Dispatcher {
        override linkUp(login: string, bootId: string): void {
          super.linkUp(login, bootId);
          const again = last.get(login);
          if (again) deps.links.send(login, again);
        }
      }
      return new Mutant(deps);
    }),
  ],
  [
    'takes any confirmation for the command in flight',
    'and its device did not say so',
    withMemory((deps, last) => {
      class Mutant extends Dispatcher {
        override confirmed(login: string, confirmation: DeviceConfirmation): void {
          const commandId = last.get(login)?.commandId ?? confirmation.commandId;
          super.confirmed(login, { ...confirmation, commandId });
        }
      }
      return new Mutant(deps);
    }),
  ],
  [
    'does not look which device confirms',
    'and its device did not say so',
    withMemory((deps, last) => {
      class Mutant extends Dispatcher {
        override confirmed(login: string, confirmation: DeviceConfirmation): void {
          const owner = [...last].find(([, { commandId }]) => commandId === confirmation.commandId);
          super.confirmed(owner?.[0] ?? login, confirmation);
        }
      }
      return new Mutant(deps);
    }),
  ],
  [
    'believes that a device which has booted anew did not start a command',
    'I3: expired (not-started), and it was executed',
    (deps) => {
      const stateOf: DispatcherDeps['links']['stateOf'] = (login) => {
        const now = deps.links.stateOf(login);
        return now.kind === 'up' ? { ...now, bootId: 'one boot' } : now;
      };
      const send: DispatcherDeps['links']['send'] = (login, command) => deps.links.send(login, command);
      class Mutant extends Dispatcher {
        override linkUp(login: string): void {
          super.linkUp(login, 'one boot');
        }
        override resumed(login: string, _bootId: string, resume: Resume): void {
          super.resumed(login, 'one boot', resume);
        }
      }
      return new Mutant({ ...deps, links: { stateOf, send } });
    },
  ],
  [
    'lets a second command wait instead of refusing it',
    'I2: another execution deadline',
    (deps) => {
      const queues = new Map<string, Promise<unknown>>();
      class Mutant extends Dispatcher {
        override dispatch(order: CommandOrder): Promise<CommandAnswer> {
          const before = queues.get(order.productLogin) ?? Promise.resolve();
          const mine = before.then(() => super.dispatch(order));
          queues.set(order.productLogin, mine);
          return mine;
        }
      }
      return new Mutant(deps);
    },
  ],
  [
    'has a slot for each output',
    'I6: two commands of one product in flight',
    (deps) => {
      class Mutant extends Dispatcher {
        override dispatch(order: CommandOrder): Promise<CommandAnswer> {
          return new Dispatcher(deps).dispatch(order);
        }
      }
      return new Mutant(deps);
    },
  ],
  [
    'counts its deadlines on a slow clock',
    'I6: answered too late',
    (deps) => {
      const { clock } = deps;
      const slow = { nowMs: () => clock.nowMs(), after: (ms: number, run: () => void) => clock.after(ms * 1.05, run) };
      return new Dispatcher({ ...deps, clock: slow });
    },
  ],
  [
    'does not wait for the record',
    'I9: sent before its record is durable',
    (deps) => {
      const { store } = deps;
      const eager: DispatcherDeps['store'] = {
        ...store,
        recordCommand: async (record) => {
          store.recordCommand(record).catch(() => {});
          return true;
        },
      };
      return new Dispatcher({ ...deps, store: eager });
    },
  ],
  [
    'sends to another product',
    'I7: sent to another product',
    (deps) => {
      const stateOf: DispatcherDeps['links']['stateOf'] = (login) => deps.links.stateOf(login);
      const send: DispatcherDeps['links']['send'] = (login, command) =>
        deps.links.send(login === 'gate' ? 'door' : 'gate', command);
      return new Dispatcher({ ...deps, links: { stateOf, send } });
    },
  ],
  [
    'remembers what a client may do',
    'I13: sent though it is not allowed any more',
    (deps) => {
      const { store } = deps;
      let known: ReturnType<typeof store.readAccess> | undefined;
      const readAccess: typeof store.readAccess = (...asked) => {
        known ??= store.readAccess(...asked);
        return known;
      };
      return new Dispatcher({ ...deps, store: { ...store, readAccess } });
    },
  ],
  [
    'sends what it has given up',
    'I2: sent after its answer',
    (deps) => {
      class Mutant extends Dispatcher {
        override async dispatch(order: CommandOrder): Promise<CommandAnswer> {
          const answer = await super.dispatch(order);
          const { productLogin, numOutput, action } = order;
          const commandId = answer.commandId ?? '';
          const send = (): unknown =>
            deps.links.send(productLogin, { commandId, numOutput, ...action, executeBeforeMs: 0 });
          if (answer.kind === 'error') deps.clock.after(1, send);
          return answer;
        }
      }
      return new Mutant(deps);
    },
  ],
  [
    'has one slot for all products',
    'I6: 409, and the slot was free',
    (deps) => {
      class Mutant extends Dispatcher {
        override async dispatch(order: CommandOrder): Promise<CommandAnswer> {
          if (this.inFlight().size > 0) return { kind: 'error', code: 'request-already-pending' };
          return super.dispatch(order);
        }
      }
      return new Mutant(deps);
    },
  ],
  [
    'lets a refused command wait for its 409',
    'I6: 409 must come at once',
    (deps) => {
      class Mutant extends Dispatcher {
        override async dispatch(order: CommandOrder): Promise<CommandAnswer> {
          const answer = await super.dispatch(order);
          const is409 = answer.kind === 'error' && answer.code === 'request-already-pending';
          if (is409) await new Promise<void>((resolve) => void deps.clock.after(10, resolve));
          return answer;
        }
      }
      return new Mutant(deps);
    },
  ],
  [
    'has no deadline',
    'I6: the slot is not free in time',
    (deps) => {
      const { clock } = deps;
      return new Dispatcher({ ...deps, clock: { nowMs: () => clock.nowMs(), after: () => () => {} } });
    },
  ],
  [
    'says 500 though it was sent',
    'unknown, and the command may be executed',
    (deps) => {
      class Mutant extends Dispatcher {
        override async dispatch(order: CommandOrder): Promise<CommandAnswer> {
          const answer = await super.dispatch(order);
          const isTimeout = answer.kind === 'error' && answer.code === 'device-timeout';
          return isTimeout ? { ...answer, code: 'unknown' } : answer;
        }
      }
      return new Mutant(deps);
    },
  ],
];

describe('the dispatcher, whatever clients, devices and database do', () => {
  test('one in flight, sent once, answered in time and with the truth (I1, I2, I3, I6, I9, I10, I13)', async () => {
    await fc.assert(
      fc.asyncProperty(
        dispatcherMoves,
        play((deps) => new Dispatcher(deps)),
      ),
      generatedRounds(1_000, 5_000),
    );
  });

  test.each(MUTANTS)('would be caught when it %s', async (_name, violation, mutant) => {
    expect(await firstViolation(dispatcherMoves, play(mutant), violation)).toContain(violation);
  });
});
