/** What the limits of several nodes count together, and what a broker that others write to can make of it. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { LIMIT_KINDS, type LimitKind } from '@relaygate/server/limits/shared-limits';
import type { BusMessage } from '@relaygate/server/router/message-bus';
import { type Counts, countsSubject, recentSubject } from '@relaygate/server/router/messages';
import { messageKey, seal } from '@relaygate/server/router/seal';
import {
  type Clock,
  COUNTS_LIFE_MS,
  MAX_COUNTS_BYTES,
  MAX_COUNTS_PER_KIND,
  MAX_OTHER_NODES,
  TELL_COUNTS_MS,
} from '@relaygate/shared';
import { MemoryBroker } from '../../../support/server/memory-broker';
import { OTHER_SECRET, RoutedNode, SECRET } from '../../../support/server/routed-node';
import { taken } from '../../../support/server/small-budget';
import { settled, VirtualClock } from '../../../support/time/virtual-clock';

const AWAY_MS = 5_000;
const HOURS_MS = 3_600_000;
const BUDGETS = LIMIT_KINDS.filter((kind): kind is Exclude<LimitKind, 'failures'> => kind !== 'failures');

let clock: VirtualClock;
let broker: MemoryBroker;
let nodes: RoutedNode[];
let one: RoutedNode;
let two: RoutedNode;
/** All messages of counts. */
let messages: BusMessage[];
beforeEach(() => {
  clock = new VirtualClock();
  broker = new MemoryBroker();
  [nodes, messages] = [[], []];
  [one, two] = [node('one'), node('two', { aheadMs: 9 * HOURS_MS })];
  const heard = messages;
  broker.connect().subscribe(countsSubject('*'), (message) => void heard.push(message));
});
afterEach(async () => {
  await Promise.all(nodes.map(({ router }) => router.stop(0)));
});

function node(name: string, { aheadMs = 0, secret = SECRET } = {}): RoutedNode {
  const ahead: Clock = { nowMs: () => clock.nowMs() + aheadMs, after: (ms, run) => clock.after(ms, run) };
  const made = new RoutedNode(name, { bus: broker.connect(), clock: ahead, secret });
  nodes.push(made);
  return made;
}

/** In which the messages that are sent arrive. */
async function pass(forMs: number): Promise<void> {
  for (let leftMs = forMs; leftMs > 0; leftMs -= TELL_COUNTS_MS) {
    await clock.advance(Math.min(leftMs, TELL_COUNTS_MS));
    for (let turn = 0; turn < 10; turn += 1) await settled();
  }
}

function publish(message: Partial<BusMessage>): void {
  broker.connect().publish(message.subject ?? '', message.data ?? new Uint8Array());
}

/** The failures of one key are counted, because no time refills their number within the minute. */
function fail({ limits }: RoutedNode, times: number, key = 'address 192.0.2.1'): (number | undefined)[] {
  return Array.from({ length: times }, () => limits.failures.fail([key]));
}

/** How many failures more are let pass; it uses them up. */
function failuresLeft(at: RoutedNode, key?: string): number {
  return fail(at, 21, key).filter((waitS) => waitS === undefined).length;
}

/** Another process of this installation, which a test plays. */
function countsOf(process: string, number: number, amount = 1, secret = SECRET): BusMessage {
  const subject = countsSubject(process.repeat(32).slice(0, 32));
  const counts: Counts = { number, taken: { clients: [{ key: 'ana', amount }] } };
  const body = Buffer.from(JSON.stringify(counts));
  const { data } = seal(messageKey(secret), { direction: 'request', subject, boundTo: new Uint8Array() }, body);
  return { subject, data, reply: '', isNoResponders: false };
}

describe('a second later', () => {
  test('a client that has given 15 of 20 commands at one node has 5 left at the other', async () => {
    const ofGate = (at: RoutedNode) => at.limits.commands.products.of('ana gate');
    for (let n = 0; n < 15; n += 1) ofGate(one).take();
    await pass(1_000);
    expect([taken(ofGate(two)), taken(ofGate(one))]).toEqual([5, 5]);
  });

  test('an address that has failed 15 times at one node has 5 left at the other, and no message shows it', async () => {
    fail(one, 15);
    await pass(1_000);
    expect([failuresLeft(two), failuresLeft(one)]).toEqual([5, 5]);
    await pass(1_000);
    expect(messages.length).toBeGreaterThan(1);
    for (const { data } of messages) expect(Buffer.from(data).toString()).not.toMatch(/192\.0\.2\.1|address/);
  });

  test.each(BUDGETS)('the budgets of %s hold at all nodes, each for its own key', async (kind) => {
    const budgetsOf = ({ limits }: RoutedNode) => ({ ...limits.commands, ...limits.writes })[kind];
    budgetsOf(one).of('a').spend(2_000);
    await pass(1_000);
    expect([budgetsOf(two).of('a').isFull, budgetsOf(two).of('b').isFull]).toEqual([false, true]);
  });

  test('what was given back is there again, also when the others were told of it before', async () => {
    const ofAna = (at: RoutedNode) => at.limits.commands.clients.of('ana');
    for (let n = 0; n < 30; n += 1) ofAna(one).take();
    await pass(TELL_COUNTS_MS);
    expect(taken(ofAna(two))).toBe(0);
    ofAna(one).giveBack(12);
    await pass(TELL_COUNTS_MS);
    expect(taken(ofAna(two))).toBe(12);
  });
});

test('nothing is sent when nothing was taken, and nothing is told on', async () => {
  one.limits.commands.clients.of('ana').take();
  await pass(AWAY_MS);
  expect(messages).toHaveLength(1);
  const refused = one.limits.commands.clients.of('bob');
  refused.take();
  refused.giveBack(1);
  await pass(AWAY_MS);
  expect(messages).toHaveLength(1);
});

test('clients that use all nodes as much as they can get what one node would give, and never wait for long', async () => {
  const ofAna = (at: RoutedNode) => at.limits.commands.clients.of('ana');
  const all = [one, two, node('three')];
  const takeAll = () => all.reduce((sum, each) => sum + taken(ofAna(each)), 0);
  expect(takeAll()).toBe(90);
  await pass(1_000);
  expect(ofAna(one).take()).toBeLessThanOrEqual(62_000);
  let sum = 0;
  for (let s = 0; s < 360; s += 1) {
    await pass(1_000);
    sum += takeAll();
  }
  // 30 a minute, less the 60 that were overdrawn, and one for each node that is told late.
  expect(sum).toBeGreaterThan(110);
  expect(sum).toBeLessThan(180);
});

describe('while the broker is away', () => {
  test('each node counts alone; afterwards they go on together, and what was counted meanwhile is not told', async () => {
    fail(one, 1);
    await pass(1_000);
    broker.end();
    fail(one, 10);
    await pass(AWAY_MS);
    broker.begin();
    await pass(AWAY_MS);
    expect(messages).toHaveLength(1);
    fail(one, 4);
    await pass(1_000);
    expect([failuresLeft(two), failuresLeft(one)]).toEqual([15, 5]);
  });

  test('a frozen one brings nothing late', async () => {
    fail(one, 1);
    await pass(1_000);
    broker.freeze();
    for (let n = 0; n < 10; n += 1) {
      fail(one, 1);
      await pass(TELL_COUNTS_MS);
    }
    await pass(COUNTS_LIFE_MS);
    broker.thaw();
    await pass(1_000);
    expect(messages).toHaveLength(11);
    expect(failuresLeft(two)).toBe(19);
    expect(two.refused()).toContain('counts-late');
  });
});

describe('whoever may publish on the broker', () => {
  test('cannot have a message count twice, now or later, here or at a node that comes later', async () => {
    fail(one, 3);
    await pass(1_000);
    const [message] = messages;
    publish(message ?? {});
    await pass(COUNTS_LIFE_MS);
    const third = node('three');
    for (let n = 0; n < 4; n += 1) {
      publish(message ?? {});
      await pass(COUNTS_LIFE_MS);
    }
    await one.router.stop(0);
    publish(message ?? {});
    publish(message ?? {});
    await pass(COUNTS_LIFE_MS);
    expect(new Set([...two.refused(), ...third.refused()])).toEqual(new Set(['counts-late']));
    expect([failuresLeft(two), failuresLeft(third)]).toEqual([17, 20]);
  });

  test.each<[string, (message: BusMessage) => Partial<BusMessage>, string]>([
    ['altered', ({ data }) => ({ data: data.map((byte, at) => (at === 40 ? byte ^ 1 : byte)) }), 'message-forged'],
    ['of another process', () => ({ subject: countsSubject('b'.repeat(32)) }), 'message-forged'],
    ['without the key of the installation', () => countsOf('a', 1, 5, OTHER_SECRET), 'message-forged'],
    ['too large', () => ({ data: new Uint8Array(MAX_COUNTS_BYTES + 33) }), 'message-too-large'],
    ['of no amount', () => countsOf('a', 1, 0.5), 'message-unreadable'],
    ['of a process that does not answer', () => countsOf('a', 1), 'counts-late'],
  ])('has a message that is %s count nothing', async (_what, change, code) => {
    publish({ ...countsOf('c', 1), ...change(countsOf('c', 1)) });
    await pass(1_000);
    expect([one.refused(), two.refused()]).toEqual([[code], [code]]);
    expect(one.limits.commands.clients.of('ana').isFull).toBe(true);
  });
});

describe('bounds (I15)', () => {
  test('of a message are so many keys of each kind; the others follow in the next ones', async () => {
    const budgets = [one.limits.commands.clients, one.limits.writes.history];
    for (const each of budgets)
      for (let n = 0; n < 2 * MAX_COUNTS_PER_KIND + 1; n += 1) each.of(`${n}`.padStart(64, 'x')).spend(2_000);
    await pass(3 * TELL_COUNTS_MS);
    expect(messages).toHaveLength(3);
    for (const { data } of messages) expect(data.length).toBeLessThan(MAX_COUNTS_BYTES);
    const last = `${2 * MAX_COUNTS_PER_KIND}`.padStart(64, 'x');
    expect(two.limits.commands.clients.of(last).isFull).toBe(false);
  });

  test('of one other node are so many messages at once', async () => {
    const [peer, bus] = ['d', broker.connect()];
    const { subject } = countsOf(peer, 1);
    bus.subscribe(recentSubject(subject.slice(-32)), (question) => {
      const answer = {
        direction: 'answer',
        subject: question.subject,
        boundTo: question.data.subarray(0, 32),
      } as const;
      bus.publish(question.reply, seal(messageKey(SECRET), answer, Buffer.from('{"from":1}')).data);
    });
    publish(countsOf(peer, 1));
    await pass(TELL_COUNTS_MS);
    for (let n = 2; n < 9; n += 1) publish(countsOf(peer, n));
    await pass(TELL_COUNTS_MS);
    expect(two.refused()).toContain('node-busy');
    expect(taken(two.limits.commands.clients.of('ana'))).toBe(26);
  });

  test('are so many other nodes; one more counts when others have been silent for long', async () => {
    const processes = Array.from({ length: MAX_OTHER_NODES + 1 }, (_, n) => `${n}`.padStart(32, '0'));
    for (const process of processes) publish(countsOf(process, 1));
    await pass(COUNTS_LIFE_MS);
    expect(two.router.held().counting).toBe(MAX_OTHER_NODES);
    expect(two.refused()).toContain('node-busy');
    await pass(AWAY_MS);
    fail(one, 20);
    await pass(1_000);
    expect(failuresLeft(two)).toBe(0);
    expect(two.router.held().counting).toBe(1);
  });
});
