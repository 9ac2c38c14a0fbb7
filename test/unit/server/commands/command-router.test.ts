import { expect, test } from '@jest/globals';
import { commandRouter, OWNER_LOOKUP_MS, ROUTE_TIMEOUT_MS } from '@relaygate/server/commands/command-router';
import type { CommandAnswer, CommandOrder, CommandRouter } from '@relaygate/server/commands/order';
import type { LinkAvailability, LinkPresence } from '@relaygate/server/devices/presence';
import { settled, VirtualClock } from '../../../support/time/virtual-clock';

const ORDER: CommandOrder = { clientId: 'c', productLogin: 'gate', numOutput: 0, action: { action: 'toggle' } };
const LINK: LinkPresence = { nodeName: 'two', epoch: 3 };
const TIMEOUT = { kind: 'error', code: 'device-timeout' };
const NOT_ROUTED = { kind: 'error', code: 'unknown', isUnrecorded: true };

interface Routed {
  clock: VirtualClock;
  /** Nodes that got the command. */
  asked: string[];
  answer(): CommandAnswer | undefined;
}

function route(
  linkOf: () => Promise<LinkPresence | null>,
  answerOf = async (): Promise<CommandAnswer> => OK,
  linkHere: LinkAvailability = { kind: 'down' },
): Routed {
  const clock = new VirtualClock();
  const asked: string[] = [];
  const node = (name: string): CommandRouter => ({
    dispatch() {
      asked.push(name);
      return answerOf();
    },
  });
  const nodeOf = (name: string): CommandRouter | undefined => (name === 'two' ? node(name) : undefined);
  const links = { stateOf: () => linkHere };
  const router = commandRouter({ nodeName: 'one', links, presence: { linkOf }, local: node('one'), nodeOf, clock });
  let answer: CommandAnswer | undefined;
  void router.dispatch(ORDER).then((given) => {
    answer = given;
  });
  return { clock, asked, answer: () => answer };
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
  expect(answer()).toEqual(TIMEOUT);
});

test('a node that fails costs 504, a node that nobody knows 500', async () => {
  const failing = route(
    async () => LINK,
    () => Promise.reject(new Error('gone')),
  );
  const unknown = route(async () => ({ ...LINK, nodeName: 'three' }));
  const unreadable = route(() => Promise.reject(new Error('no presence')));
  await settled();
  expect([failing, unknown, unreadable].map(({ answer }) => answer())).toEqual([TIMEOUT, NOT_ROUTED, NOT_ROUTED]);
});

test('an owner that is not found in time gets no command: its deadlines would count from there (I2)', async () => {
  let found = (_link: LinkPresence): void => {};
  const { clock, asked, answer } = route(() => new Promise((resolve) => (found = resolve)));
  await clock.advance(OWNER_LOOKUP_MS - 1);
  expect(answer()).toBeUndefined();
  await clock.advance(1);
  expect(answer()).toEqual(NOT_ROUTED);
  found(LINK);
  await settled();
  expect(asked).toEqual([]);
});

test('an owner that was looked up slowly has its whole time', async () => {
  let found = (_link: LinkPresence): void => {};
  const { clock, asked, answer } = route(() => new Promise((resolve) => (found = resolve)), never);
  await clock.advance(OWNER_LOOKUP_MS - 1);
  found(LINK);
  await settled();
  expect(asked).toEqual(['two']);
  await clock.advance(ROUTE_TIMEOUT_MS - 1);
  expect(answer()).toBeUndefined();
  await clock.advance(1);
  expect(answer()).toEqual(TIMEOUT);
  expect(clock.pendingTimers).toBe(0);
});
