import { describe, expect, test } from '@jest/globals';
import {
  type CommandRouterDeps,
  commandRouter,
  OWNER_LOOKUP_MS,
  ROUTE_TIMEOUT_MS,
} from '@relaygate/server/commands/command-router';
import {
  type CommandAnswer,
  type CommandOrder,
  type DispatchAnswer,
  ELSEWHERE,
  type OtherNode,
  type RoutedAnswer,
  type RoutedCommand,
} from '@relaygate/server/commands/order';
import type { LinkAvailability, LinkPresence } from '@relaygate/server/devices/presence';
import { EXECUTION_DEADLINE_MS, OWNER_AGAIN_MS } from '@relaygate/shared';
import { settled, VirtualClock } from '../../../support/time/virtual-clock';

const ORDER: CommandOrder = { clientId: 'c', productLogin: 'gate', numOutput: 0, action: { action: 'toggle' } };
const LINK: LinkPresence = { nodeName: 'two', epoch: 3, isWorthWaiting: true };
const TIMEOUT = { kind: 'error', code: 'device-timeout' };
const NOT_ROUTED = { kind: 'error', code: 'unknown', isUnrecorded: true };

type LinkOf = CommandRouterDeps['presence']['linkOf'];

interface Routed {
  clock: VirtualClock;
  /** Nodes that got the command. */
  asked: string[];
  /** What another node got. */
  routed: RoutedCommand[];
  /** What this node got of a command that another did not take. */
  accepted: unknown[];
  answer(): DispatchAnswer | undefined;
}

function route(
  linkOf: LinkOf,
  answerOf = async (): Promise<RoutedAnswer> => OK,
  linkHere: LinkAvailability = { kind: 'down' },
  answersHere: CommandAnswer[] = [],
  order = ORDER,
): Routed {
  const clock = new VirtualClock();
  const asked: string[] = [];
  const routed: RoutedCommand[] = [];
  const accepted: unknown[] = [];
  const nodeOf = (name: string): OtherNode | undefined => {
    if (name !== 'two' && name !== 'three') return undefined;
    return {
      dispatch(command) {
        asked.push(name);
        routed.push(command);
        return answerOf();
      },
    };
  };
  const local: CommandRouterDeps['local'] = {
    async dispatch(_order, _link, given) {
      asked.push('one');
      accepted.push(given);
      return answersHere.shift() ?? OK;
    },
  };
  const links = { stateOf: () => linkHere };
  const newCommandId = (): string => 'command-9';
  const router = commandRouter({ nodeName: 'one', links, presence: { linkOf }, local, nodeOf, newCommandId, clock });
  let answer: DispatchAnswer | undefined;
  void router.dispatch(order).then((given) => {
    answer = given;
  });
  return { clock, asked, routed, accepted, answer: () => answer };
}

const OK: CommandAnswer = { kind: 'ok', commandId: 'command-1' };
const never = (): Promise<never> => new Promise(() => {});

test.each<[string, LinkPresence | null, string]>([
  ['the node that holds the link', LINK, 'two'],
  ['this node, if the link is here', { ...LINK, nodeName: 'one' }, 'one'],
  ['this node, if no link is up', null, 'one'],
])('a command goes to %s', async (_where, link, expected) => {
  const { clock, asked, answer } = route(async () => link);
  await settled();
  expect(asked).toEqual([expected]);
  expect(answer()).toEqual(OK);
  expect(clock.pendingTimers).toBe(0);
});

test('a command for a link that this node holds asks nobody who holds it', async () => {
  const linkOf = (): never => {
    throw new Error('asked');
  };
  const { clock, asked, answer } = route(linkOf, undefined, { kind: 'up', bootId: 'boot-1' });
  expect(clock.pendingTimers).toBe(0);
  await settled();
  expect(asked).toEqual(['one']);
  expect(answer()).toEqual(OK);
});

describe('the owner that the authorisation has read', () => {
  const THREE = { ...LINK, nodeName: 'three' };
  const OWNED = { ...ORDER, owner: LINK };
  const readOrGiven: LinkOf = async (_login, known) => known ?? THREE;

  test('gets the command', async () => {
    const { asked, routed, answer } = route(readOrGiven, undefined, undefined, undefined, OWNED);
    await settled();
    expect(asked).toEqual(['two']);
    expect(routed).toMatchObject([{ epoch: LINK.epoch }]);
    expect(answer()).toEqual(OK);
  });

  test('does not count for a server that is alone, as after several nodes', async () => {
    const { asked } = route(async () => null, undefined, undefined, undefined, OWNED);
    await settled();
    expect(asked).toEqual(['one']);
  });

  test.each<RoutedAnswer['kind']>(['not-taken', 'nobody'])('is read again if the answer is %s', async (kind) => {
    const answers = [{ kind }, OK] as RoutedAnswer[];
    const { clock, asked, answer } = route(readOrGiven, async () => answers.shift() ?? OK, undefined, undefined, OWNED);
    await clock.advance(OWNER_AGAIN_MS);
    expect(asked).toEqual(['two', 'three']);
    expect(answer()).toEqual(OK);
  });

  test('is read again if this node had the link, and the record was refused', async () => {
    const { clock, asked } = route(readOrGiven, undefined, { kind: 'up', bootId: 'boot-1' }, [ELSEWHERE], OWNED);
    await clock.advance(OWNER_AGAIN_MS);
    expect(asked).toEqual(['one', 'three']);
  });
});

test('the owner of the link takes what the router has seen of it, and looks again only after a wait', async () => {
  const states: LinkAvailability[] = [{ kind: 'up', bootId: 'boot-1' }, { kind: 'down' }];
  const given: (LinkAvailability | undefined)[] = [];
  const dispatch = async (_order: CommandOrder, link?: LinkAvailability): Promise<CommandAnswer> => {
    given.push(link);
    return OK;
  };
  const router = commandRouter({
    nodeName: 'one',
    links: { stateOf: () => states.shift() ?? { kind: 'down' } },
    presence: { linkOf: async () => null },
    local: { dispatch },
    nodeOf: () => undefined,
    newCommandId: () => 'command-9',
    clock: new VirtualClock(),
  });
  await router.dispatch(ORDER);
  await router.dispatch(ORDER);
  expect(given).toEqual([{ kind: 'up', bootId: 'boot-1' }, undefined]);
});

test('a node that does not answer costs 504: it may have the command (I6)', async () => {
  const { clock, answer } = route(async () => LINK, never);
  await clock.advance(ROUTE_TIMEOUT_MS - 1);
  expect(answer()).toBeUndefined();
  await clock.advance(1);
  expect(answer()).toEqual({ ...TIMEOUT, commandId: 'command-9' });
});

test('a node that fails costs 504, a node that nobody knows 500', async () => {
  const failing = route(
    async () => LINK,
    () => Promise.reject(new Error('gone')),
  );
  const unknown = route(async () => ({ ...LINK, nodeName: 'four' }));
  await settled();
  expect([failing, unknown].map(({ answer }) => answer())).toEqual([
    { ...TIMEOUT, commandId: 'command-9' },
    NOT_ROUTED,
  ]);
});

test('an owner that the database does not tell is looked for again; 500 if it never does while the command can begin', async () => {
  const unreadable = (): Promise<never> => Promise.reject(new Error('no presence'));
  let tell: LinkOf = unreadable;
  const { clock, asked, answer } = route((...of) => tell(...of));
  await clock.advance(EXECUTION_DEADLINE_MS - 500);
  expect(answer()).toBeUndefined();
  tell = async () => LINK;
  await clock.advance(OWNER_AGAIN_MS);
  expect([asked, answer()]).toEqual([['two'], OK]);

  const never = route(unreadable);
  await never.clock.advance(EXECUTION_DEADLINE_MS);
  expect(never.answer()).toEqual(NOT_ROUTED);
});

test('I6: while a command looks for its owner, a later one of the product is told so and does not overtake it', async () => {
  const clock = new VirtualClock();
  let link: LinkAvailability = { kind: 'down' };
  const taken: CommandOrder[] = [];
  let answers: RoutedAnswer = { kind: 'not-taken' };
  const router = commandRouter({
    nodeName: 'one',
    links: { stateOf: () => link },
    presence: { linkOf: async () => LINK },
    local: { dispatch: async () => OK },
    nodeOf: () => ({
      async dispatch({ order }) {
        if (answers === OK) taken.push(order);
        return answers;
      },
    }),
    newCommandId: () => 'command-9',
    clock,
  });
  const first = router.dispatch(ORDER);
  await clock.advance(OWNER_AGAIN_MS);
  const later: CommandOrder = { ...ORDER, action: { action: 'set', state: 0 } };
  expect(await router.dispatch(later)).toMatchObject({ code: 'request-already-pending' });
  link = { kind: 'up', bootId: 'boot-1' };
  expect(await router.dispatch(later)).toMatchObject({ code: 'request-already-pending' });
  answers = OK;
  await clock.advance(OWNER_AGAIN_MS);
  expect([await first, taken]).toEqual([OK, [ORDER]]);
  expect(await router.dispatch(later)).toEqual(OK);
});

test('an owner that is not found in time gets no command: its deadlines would count from there (I2)', async () => {
  let found = (_link: LinkPresence): void => {};
  const { clock, asked, answer } = route(() => new Promise((resolve) => (found = resolve)));
  await clock.advance(EXECUTION_DEADLINE_MS);
  expect(answer()).toEqual(NOT_ROUTED);
  found(LINK);
  await settled();
  expect(asked).toEqual([]);
});

test('the time of another node counts from the call, so that a slow look-up does not lengthen it (I6)', async () => {
  let found = (_link: LinkPresence): void => {};
  const { clock, asked, routed, answer } = route(() => new Promise((resolve) => (found = resolve)), never);
  const acceptedAtMs = clock.nowMs();
  await clock.advance(OWNER_LOOKUP_MS - 1);
  found(LINK);
  await settled();
  expect(asked).toEqual(['two']);
  expect(routed).toEqual([{ commandId: 'command-9', order: ORDER, acceptedAtMs, epoch: LINK.epoch, attempt: 1 }]);
  await clock.advance(ROUTE_TIMEOUT_MS - OWNER_LOOKUP_MS);
  expect(answer()).toBeUndefined();
  await clock.advance(1);
  expect(answer()).toEqual({ ...TIMEOUT, commandId: 'command-9' });
  expect(clock.pendingTimers).toBe(0);
});

describe('a command that the node of its link does not take', () => {
  const notTaken = async (): Promise<RoutedAnswer> => ({ kind: 'not-taken' });
  const ending = (...links: LinkPresence[]): LinkOf => {
    const last = links.at(-1) ?? LINK;
    return async () => (links.length > 1 ? (links.shift() ?? last) : last);
  };

  test('goes to the node that the link has moved to, as a later attempt of the same command', async () => {
    const answers: RoutedAnswer[] = [{ kind: 'not-taken' }, { kind: 'not-taken' }];
    const moved = { ...LINK, nodeName: 'three', epoch: 4 };
    const { clock, routed, asked, answer } = route(ending(LINK, LINK, moved), async () => answers.shift() ?? OK);
    const acceptedAtMs = clock.nowMs();
    await clock.advance(2 * OWNER_AGAIN_MS);
    expect(asked).toEqual(['two', 'two', 'three']);
    expect(routed.map(({ attempt, epoch }) => [attempt, epoch])).toEqual([
      [1, 3],
      [2, 3],
      [3, 4],
    ]);
    expect(new Set(routed.map(({ commandId }) => commandId)).size).toBe(1);
    expect(new Set(routed.map((command) => command.acceptedAtMs))).toEqual(new Set([acceptedAtMs]));
    expect(answer()).toEqual(OK);
    expect(clock.pendingTimers).toBe(0);
  });

  test('is taken here if the link has come here, with its id and its t0', async () => {
    const { clock, asked, accepted, answer } = route(ending(LINK, { ...LINK, nodeName: 'one' }), notTaken);
    const acceptedAtMs = clock.nowMs();
    await clock.advance(OWNER_AGAIN_MS);
    expect(asked).toEqual(['two', 'one']);
    expect(accepted).toEqual([{ commandId: 'command-9', acceptedAtMs }]);
    expect(answer()).toEqual(OK);
  });

  test('costs 504 when it can begin nowhere any more, without an id, because nobody has recorded it', async () => {
    let isSlow = false;
    const { clock, answer } = route(() => (isSlow ? never() : Promise.resolve(LINK)), notTaken);
    await clock.advance(EXECUTION_DEADLINE_MS - 2 * OWNER_AGAIN_MS);
    expect(answer()).toBeUndefined();
    // The last look is cut off by the deadline.
    isSlow = true;
    await clock.advance(2 * OWNER_AGAIN_MS);
    expect(answer()).toEqual({ ...TIMEOUT, isUnrecorded: true });
    expect(clock.pendingTimers).toBe(0);
  });

  test.each<[string, LinkAvailability]>([
    ['holds its link', { kind: 'up', bootId: 'boot-1' }],
    ['owned it', { kind: 'down' }],
  ])('goes on to the owner if this node %s, and its record is refused', async (_what, linkHere) => {
    const elsewhere = { kind: 'error', code: 'unknown', isUnrecorded: true, isElsewhere: true } as const;
    const owners = linkHere.kind === 'up' ? [LINK] : [{ ...LINK, nodeName: 'one' }, LINK];
    const { clock, asked, routed, answer } = route(ending(...owners), undefined, linkHere, [elsewhere]);
    const acceptedAtMs = clock.nowMs();
    await clock.advance(OWNER_AGAIN_MS);
    expect([asked, answer()]).toEqual([['one', 'two'], OK]);
    expect(routed).toMatchObject([{ acceptedAtMs }]);
  });

  test('costs 504 at once if its node is away and no link was up, else it waits for the new owner', async () => {
    const answers: RoutedAnswer[] = [{ kind: 'nobody' }];
    const gone = async (): Promise<RoutedAnswer> => answers.shift() ?? OK;
    const unlinked = route(ending({ ...LINK, isWorthWaiting: false }), async () => ({ kind: 'nobody' }));
    const linked = route(ending(LINK, { ...LINK, nodeName: 'three' }), gone);
    await settled();
    expect([unlinked.answer(), linked.answer()]).toEqual([{ ...TIMEOUT, isUnrecorded: true }, undefined]);
    await linked.clock.advance(OWNER_AGAIN_MS);
    expect([linked.asked, linked.answer()]).toEqual([['two', 'three'], OK]);
  });
});
