/** What one node can hold of others, reached. I15. */
import { afterEach, expect, test } from '@jest/globals';
import { NO_ANSWER, NOT_ROUTED, type RoutedAnswer } from '@relaygate/server/commands/order';
import { NodeClocks } from '@relaygate/server/router/node-clocks';
import {
  type Clock,
  MAX_AWAITED_ANSWERS,
  MAX_OTHER_NODES,
  MAX_ROUTED_COMMANDS,
  MAX_ROUTED_COMMANDS_PER_NODE,
  NODE_TIME_AGAIN_MS,
  TIME_SAMPLE_LIFE_MS,
} from '@relaygate/shared';
import { systemRandomness } from '@relaygate/shared/system';
import { MemoryBroker } from '../../../support/server/memory-broker';
import { RoutedNode } from '../../../support/server/routed-node';
import { settled, VirtualClock } from '../../../support/time/virtual-clock';

const nodes: RoutedNode[] = [];
afterEach(async () => {
  await Promise.all(nodes.splice(0).map(({ router }) => router.stop(0)));
});

/** A busy machine takes longer for thousands of commands than each of them has. */
const STANDING: Clock = { nowMs: () => 1_000, after: () => () => {} };

function installation(clock: Clock = STANDING): (name: string) => RoutedNode {
  const broker = new MemoryBroker();
  return (name) => {
    const node = new RoutedNode(name, { bus: broker.connect(), clock });
    nodes.push(node);
    return node;
  };
}

/** Its commands are answered when the returned function is called. */
function hold(owner: RoutedNode): () => void {
  const held: (() => void)[] = [];
  owner.answer = (commandId) => new Promise((resolve) => held.push(() => resolve({ kind: 'ok', commandId })));
  return () => {
    for (const answer of held) answer();
  };
}

async function known(from: RoutedNode, to: RoutedNode): Promise<void> {
  let answer: RoutedAnswer | undefined;
  void from.send(to.name).then((given) => {
    answer = given;
  });
  while (answer === undefined) await settled();
}

function sendMany(from: RoutedNode, to: RoutedNode, count: number): RoutedAnswer[] {
  const answers: RoutedAnswer[] = [];
  for (let n = 0; n < count; n += 1) void from.send(to.name).then((answer) => void answers.push(answer));
  return answers;
}

async function rest(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await settled();
}

test('a node takes so many commands of one other, and so many of all; the rest are in doubt', async () => {
  const node = installation();
  const owner = node('owner');
  const callers = ['a', 'b', 'c'].map(node);
  for (const caller of callers) await known(caller, owner);
  const answerAll = hold(owner);
  const [a, b, c] = callers.map((caller) => sendMany(caller, owner, MAX_ROUTED_COMMANDS_PER_NODE + 2));
  await rest();
  expect(owner.router.held().atWork).toBe(MAX_ROUTED_COMMANDS);
  expect([a, b]).toEqual(Array(2).fill([NO_ANSWER, NO_ANSWER]));
  expect(c?.length).toBe(MAX_ROUTED_COMMANDS_PER_NODE + 2);
  expect(owner.taken).toHaveLength(MAX_ROUTED_COMMANDS + callers.length);
  expect(owner.refused()).toContain('node-busy');
  answerAll();
  await rest();
  expect(a).toHaveLength(MAX_ROUTED_COMMANDS_PER_NODE + 2);
  expect(owner.router.held().atWork).toBe(0);
  expect(callers[0]?.router.held()).toEqual({ awaited: 0, atWork: 0, clocks: 1, counting: 0 });
});

test('a node waits for so many answers; further commands are not sent', async () => {
  const node = installation();
  const caller = node('caller');
  const owners = ['a', 'b', 'c'].map(node);
  for (const owner of owners) await known(caller, owner);
  const holds = owners.map(hold);
  const [a, b] = owners;
  if (!a || !b) throw new Error('no owners');
  sendMany(caller, a, MAX_AWAITED_ANSWERS / 2);
  sendMany(caller, b, MAX_AWAITED_ANSWERS / 2);
  await rest();
  expect(caller.router.held().awaited).toBe(MAX_AWAITED_ANSWERS);
  expect(await caller.send('c')).toEqual(NOT_ROUTED);
  expect(owners[2]?.taken).toHaveLength(1);
  for (const answerAll of holds) answerAll();
  await rest();
  expect(caller.router.held().awaited).toBe(0);
});

test('a node remembers the clocks of so many others, and asks again for those that it has forgotten', async () => {
  const clock = new VirtualClock();
  const asked: string[] = [];
  const clocks = new NodeClocks({
    answers: {
      ask: async (subject, _question, read) => {
        asked.push(subject);
        const answer = read(Buffer.from(JSON.stringify({ instance: '0'.repeat(32), nowMs: clock.nowMs() + 5_000 })));
        return answer ?? { kind: 'no-answer' };
      },
    },
    clock,
    randomness: systemRandomness,
  });
  for (let n = 0; n <= MAX_OTHER_NODES; n += 1) await clocks.momentOn(`node-${n}`, clock.nowMs(), 1_000);
  expect([clocks.size, asked.length]).toEqual([MAX_OTHER_NODES, MAX_OTHER_NODES + 1]);
  expect(await clocks.momentOn('node-1', clock.nowMs(), 1_000)).toMatchObject({ atMs: clock.nowMs() + 5_000 });
  expect(asked).toHaveLength(MAX_OTHER_NODES + 1);
  await clocks.momentOn('node-0', clock.nowMs(), 1_000);
  expect([clocks.size, asked.length]).toEqual([MAX_OTHER_NODES, MAX_OTHER_NODES + 2]);
});

test('an estimate is renewed beside the commands while it is used, and asked for first when it is too old', async () => {
  const clock = new VirtualClock();
  const node = installation(clock);
  const [one, two] = [node('one'), node('two')];
  const times: string[] = [];
  const publish = one.bus.publish.bind(one.bus);
  one.bus.publish = (subject, data, reply) => {
    if (subject.includes('.time.')) times.push(subject);
    publish(subject, data, reply);
  };
  await known(one, two);
  await known(one, two);
  expect(times.length).toBe(1);
  await clock.advance(NODE_TIME_AGAIN_MS);
  await known(one, two);
  await rest();
  expect(times.length).toBe(2);
  await clock.advance(TIME_SAMPLE_LIFE_MS + 1);
  await known(one, two);
  expect(times.length).toBe(3);
  expect(two.taken).toHaveLength(4);
});
