import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  type CommandAnswer,
  type CommandOrder,
  type DispatchAnswer,
  NO_ANSWER,
  NOT_ROUTED,
} from '@relaygate/server/commands/order';
import type { BusMessage, MessageBus } from '@relaygate/server/router/message-bus';
import { answerSubject, commandSubject, timeSubject } from '@relaygate/server/router/messages';
import { EXECUTION_DEADLINE_MS, IDEMPOTENCY_KEY_MAX_CHARS, MAX_NODE_MESSAGE_BYTES } from '@relaygate/shared';
import { systemClock } from '@relaygate/shared/system';
import { ORDER } from '../../support/server/dispatcher-bench';
import { clockAhead, OTHER_SECRET, RoutedNode, type RoutedNodeOptions } from '../../support/server/routed-node';
import { eventually, pause } from '../../support/time/waiting';

export interface BrokerUnderTest {
  /** It may connect later. */
  connect(): MessageBus;
  /** From now on it takes messages and delivers none, until it thaws. */
  freeze(): Promise<void> | void;
  thaw(): void;
  end(): Promise<void> | void;
  begin(): Promise<void> | void;
}

const HOURS_MS = 3_600_000;
/** A command of that age can still be taken, and its answer is given up soon. */
const OLD_MS = EXECUTION_DEADLINE_MS - 300;
/** What takes no wait takes less than that, on a busy machine too. */
const AT_ONCE_MS = 500;
const NOT_TAKEN = { kind: 'not-taken' };

/** Commands that go to another node over a broker which may be frozen, die, and be written to by others. */
export function routerContract(broker: () => BrokerUnderTest): void {
  const buses: MessageBus[] = [];
  const nodes: RoutedNode[] = [];
  let one: RoutedNode;
  let two: RoutedNode;

  async function connected(): Promise<MessageBus> {
    const bus = broker().connect();
    buses.push(bus);
    await eventually(() => bus.isConnected);
    return bus;
  }
  async function node(name: string, options: Partial<RoutedNodeOptions> = {}): Promise<RoutedNode> {
    const made = new RoutedNode(name, { bus: await connected(), ...options });
    nodes.push(made);
    await delivered(made.bus);
    return made;
  }
  /** Until the broker has what was sent before. */
  async function delivered(bus: MessageBus): Promise<void> {
    let isBack = false;
    const subject = `probe.${buses.length}.${Math.floor(systemClock.nowMs() * 1_000)}`;
    bus.subscribe(subject, () => {
      isBack = true;
    });
    bus.publish(subject, new Uint8Array());
    await eventually(() => isBack);
  }
  /** Another client of the broker that gets all commands for a node. */
  async function spyOn(name: string): Promise<{ bus: MessageBus; messages: BusMessage[] }> {
    const bus = await connected();
    const messages: BusMessage[] = [];
    bus.subscribe(commandSubject(name, '*'), (message) => void messages.push(message));
    await delivered(bus);
    return { bus, messages };
  }
  async function captured(messages: readonly BusMessage[]): Promise<BusMessage> {
    await eventually(() => messages.length > 0);
    const [message] = messages;
    if (!message) throw new Error('nothing was sent');
    return message;
  }

  beforeEach(async () => {
    one = await node('one', { clock: clockAhead(-3 * HOURS_MS) });
    two = await node('two.example', { clock: clockAhead(2 * HOURS_MS) });
  });
  afterEach(async () => {
    broker().thaw();
    await Promise.all(nodes.splice(0).map(({ router }) => router.stop(0)));
    await Promise.all(buses.splice(0).map((bus) => bus.close()));
  });

  describe('a command to another node', () => {
    test.each<DispatchAnswer>([
      { kind: 'ok', commandId: 'c' },
      { kind: 'too-many', waitMs: 1_500 },
      { kind: 'already-set', commandId: 'c' },
      { kind: 'error', code: 'device-timeout', commandId: 'c' },
      { kind: 'error', code: 'request-already-pending' },
      { kind: 'error', code: 'unknown', commandId: 'c', isUnrecorded: true },
    ])('is answered with what its owner answers: %j', async (answer) => {
      two.answer = async () => answer;
      const command = one.command();
      expect(await one.send(two.name, command)).toEqual(answer);
      expect(two.taken).toMatchObject([{ commandId: command.commandId, order: ORDER }]);
    });

    test.each<CommandOrder>([
      { ...ORDER, action: { action: 'set', state: 1 }, by: 'Портье 1' },
      { ...ORDER, idempotency: { key: 'a "key", {}', requestHash: 'h'.repeat(43), insteadOf: null } },
      {
        ...ORDER,
        action: { action: 'set', state: 0 },
        idempotency: { key: '~'.repeat(IDEMPOTENCY_KEY_MAX_CHARS), requestHash: 'h'.repeat(43), insteadOf: 'c0' },
      },
    ])('comes as it was given: %j', async (order) => {
      two.answer = async (commandId) => ({ kind: 'ok', commandId, isReplayed: true });
      expect(await one.send(two.name, one.command(0, { order }))).toMatchObject({ kind: 'ok', isReplayed: true });
      expect(two.taken).toMatchObject([{ order }]);
    });

    test('that names its giver is not authorised before its record, and is not taken with a name that no device takes', async () => {
      two.access = undefined;
      expect(await one.send(two.name, one.command(0, { order: { ...ORDER, by: 'App' } }))).toMatchObject({
        kind: 'ok',
      });
      expect(await one.send(two.name, one.command(0, { order: { ...ORDER, by: 'A\nB' } }))).toEqual(NOT_ROUTED);
      expect(two.taken).toMatchObject([{ order: { by: 'App' } }]);
    });

    test('has members of the next version, and so has its answer: they are ignored', async () => {
      two.answer = async (commandId) => ({ kind: 'ok', commandId, newer: 1 }) as CommandAnswer;
      const newer = { ...ORDER, action: { ...ORDER.action, newer: { than: 'this' } } };
      expect(await one.send(two.name, one.command(0, { order: newer }))).toMatchObject({ kind: 'ok' });
      expect(two.taken).toMatchObject([{ order: ORDER }]);
      expect(JSON.stringify(two.taken)).not.toContain('newer');
    });

    test('is of a kind that only the next version has: its owner says that it cannot read it, and does not take it', async () => {
      const newer = { ...ORDER, action: { action: 'dim', level: 3 } } as unknown as CommandOrder;
      const startMs = systemClock.nowMs();
      expect(await one.send(two.name, one.command(0, { order: newer }))).toEqual(NOT_ROUTED);
      expect(systemClock.nowMs() - startMs).toBeLessThan(AT_ONCE_MS);
      expect([two.refused(), two.taken]).toEqual([['message-unreadable'], []]);
    });

    test('gets an answer of a kind that only the next version has: it is in doubt at once', async () => {
      two.answer = async () => ({ kind: 'postponed' }) as unknown as CommandAnswer;
      const startMs = systemClock.nowMs();
      expect(await one.send(two.name)).toEqual(NO_ANSWER);
      expect(systemClock.nowMs() - startMs).toBeLessThan(AT_ONCE_MS);
      expect(one.refused()).toEqual(['message-unreadable']);
    });

    test.each([-HOURS_MS, HOURS_MS])(
      'carries t0 in the clock of its owner, %d ms beside the usual difference (I2)',
      async (byMs) => {
        const other = await node('three', { clock: clockAhead(byMs) });
        const acceptedMs = systemClock.nowMs();
        await one.send(other.name, one.command());
        const [taken] = other.taken;
        const t0Ms = acceptedMs + byMs;
        expect(taken?.acceptedAtMs).toBeLessThanOrEqual(t0Ms + 10);
        expect(taken?.acceptedAtMs).toBeGreaterThan(t0Ms - AT_ONCE_MS);
        expect(taken?.acceptedAtMs).toBeLessThanOrEqual(taken?.atMs ?? 0);
      },
    );

    test('that a frozen broker delivers after its deadline is not taken (I2)', async () => {
      await one.send(two.name);
      await broker().freeze();
      const answer = one.send(two.name, one.command(OLD_MS));
      await pause(EXECUTION_DEADLINE_MS - OLD_MS + 200);
      broker().thaw();
      expect(await answer).toEqual(NO_ANSWER);
      await eventually(() => two.refused().length > 0);
      expect(two.refused()).toEqual(['command-late']);
      expect(two.taken).toHaveLength(1);
    });

    test('that does not say who gives it is authorised again by its owner (I13)', async () => {
      await one.send(two.name);
      two.access = { ...two.access, associated: false } as typeof two.access;
      expect(await one.send(two.name)).toEqual({ kind: 'error', code: 'user-not-allowed' });
      expect(two.taken).toHaveLength(1);
    });

    test('is not taken by a node that does not own the link; a later attempt may be', async () => {
      two.isOwner = false;
      const command = one.command();
      expect(await one.send(two.name, command)).toEqual(NOT_TAKEN);
      expect(two.taken).toHaveLength(0);
      two.isOwner = true;
      expect(await one.send(two.name, { ...command, attempt: 2 })).toMatchObject({ kind: 'ok' });
      expect(two.taken).toHaveLength(1);
    });

    test('is known at once not to be taken if nobody is there', async () => {
      const startMs = systemClock.nowMs();
      expect(await one.send('none')).toEqual({ kind: 'nobody' });
      expect(systemClock.nowMs() - startMs).toBeLessThan(AT_ONCE_MS);
    });

    test('is taken, or certainly not, when its owner stops meanwhile', async () => {
      await one.send(two.name);
      const send = () => Array.from({ length: 100 }, () => one.send(two.name));
      const early = send();
      // They are with the broker, and no answer is here.
      await setImmediate();
      const stopped = two.router.stop(2_000);
      const answers = [...early, ...send()];
      const kinds = (await Promise.all(answers)).map(({ kind }) => kind);
      expect(kinds.filter((kind) => !['ok', 'not-taken', 'nobody'].includes(kind))).toEqual([]);
      expect(kinds.filter((kind) => kind === 'ok')).toHaveLength(two.taken.length - 1);
      await stopped;
    });

    test('is not taken by a process that has ended, and reaches the next one of that name in its clock', async () => {
      await one.send(two.name);
      await two.router.stop(0);
      const next = await node(two.name, { clock: clockAhead(-9 * HOURS_MS) });
      const command = one.command();
      expect(await one.send(two.name, command)).toEqual(NOT_TAKEN);
      expect(await one.send(two.name, { ...command, attempt: 2 })).toMatchObject({ kind: 'ok' });
      expect(next.taken).toHaveLength(1);
      expect((next.taken[0]?.atMs ?? 0) - (next.taken[0]?.acceptedAtMs ?? 0)).toBeLessThan(EXECUTION_DEADLINE_MS);
    });
  });

  test('what a client has used up at one node is used up at the other within a second, and only once', async () => {
    const ofAna = (at: RoutedNode) => at.limits.commands.clients.of('ana');
    for (let n = 0; n < 30; n += 1) ofAna(one).take();
    const startMs = systemClock.nowMs();
    await eventually(() => !ofAna(two).hasOne);
    expect(systemClock.nowMs() - startMs).toBeLessThan(1_000);
    expect(ofAna(two).take()).toBeLessThanOrEqual(2_000);
  });

  describe('without a broker', () => {
    test('a command is refused at once and never comes later', async () => {
      await one.send(two.name);
      await broker().end();
      await eventually(() => !one.bus.isConnected);
      const startMs = systemClock.nowMs();
      expect(await one.send(two.name)).toEqual(NOT_ROUTED);
      expect(systemClock.nowMs() - startMs).toBeLessThan(AT_ONCE_MS);
      await broker().begin();
      await eventually(() => one.bus.isConnected && two.bus.isConnected);
      expect(await one.send(two.name)).toMatchObject({ kind: 'ok' });
      expect(two.taken).toHaveLength(2);
    });

    test('a command that was sent before is in doubt', async () => {
      await one.send(two.name);
      two.answer = () => new Promise(() => {});
      const answer = one.send(two.name, one.command(OLD_MS));
      await eventually(() => two.taken.length === 2);
      await broker().end();
      expect(await answer).toEqual(NO_ANSWER);
      expect(one.router.held().awaited).toBe(0);
      await broker().begin();
    });

    test('a node that stops ends its waits', async () => {
      two.answer = () => new Promise(() => {});
      const answer = one.send(two.name);
      await eventually(() => two.taken.length === 1);
      await one.router.stop(0);
      expect(await answer).toEqual(NO_ANSWER);
    });
  });

  describe('whoever may publish on the broker', () => {
    test('cannot repeat a command, nor get an answer to it (I1)', async () => {
      const { bus, messages } = await spyOn(two.name);
      await one.send(two.name);
      const { subject, data } = await captured(messages);
      const answers: BusMessage[] = [];
      bus.subscribe(answerSubject('0'.repeat(32), '*'), (message) => void answers.push(message));
      bus.publish(subject, data, answerSubject('0'.repeat(32), '0'.repeat(32)));
      await eventually(() => two.refused().length > 0);
      expect(two.refused()).toEqual(['command-repeated']);
      await delivered(two.bus);
      await delivered(bus);
      expect([two.taken.length, answers]).toEqual([1, []]);
    });

    test('cannot repeat an attempt that was not taken, once its node owns the link', async () => {
      const { bus, messages } = await spyOn(two.name);
      two.isOwner = false;
      await one.send(two.name);
      two.isOwner = true;
      const { subject, data, reply } = await captured(messages);
      bus.publish(subject, data, reply);
      await eventually(() => two.refused().length > 0);
      expect(two.taken).toHaveLength(0);
    });

    test.each<[string, (message: BusMessage) => Partial<BusMessage>, string]>([
      [
        'alter one',
        ({ data }) => ({ data: data.map((byte, at) => (at === data.length - 3 ? byte ^ 1 : byte)) }),
        'message-forged',
      ],
      ['take its seal away', ({ data }) => ({ data: data.subarray(32) }), 'message-forged'],
      ['cut it', ({ data }) => ({ data: data.subarray(0, 20) }), 'message-forged'],
      ['send nothing', () => ({ data: new Uint8Array() }), 'message-forged'],
      ['lengthen it', () => ({ data: new Uint8Array(MAX_NODE_MESSAGE_BYTES + 1) }), 'message-too-large'],
      ['have its answer elsewhere', () => ({ reply: timeSubject('one') }), 'message-unreadable'],
    ])('cannot %s', async (_what, change, code) => {
      const { bus, messages } = await spyOn(two.name);
      two.isOwner = false;
      await one.send(two.name);
      two.isOwner = true;
      const message = await captured(messages);
      const { subject, data, reply } = { ...message, ...change(message) };
      bus.publish(subject, data, reply);
      await eventually(() => two.refused().length > 0);
      expect(two.refused()).toEqual([code]);
      expect(two.taken).toHaveLength(0);
    });

    test('cannot send it to another process', async () => {
      const { bus, messages } = await spyOn(two.name);
      const other = await node('three');
      const { messages: toOther } = await spyOn('three');
      await one.send(two.name);
      await one.send('three');
      const { data, reply } = await captured(messages);
      const { subject } = await captured(toOther);
      bus.publish(subject, data, reply);
      await eventually(() => other.refused().length > 0);
      expect(other.refused()).toEqual(['message-forged']);
      expect(other.taken).toHaveLength(1);
    });

    test('cannot answer for the owner, and does not keep its answer away', async () => {
      const { bus, messages } = await spyOn(two.name);
      let answer = (): void => {};
      two.answer = (commandId) =>
        new Promise((resolve) => (answer = () => resolve({ kind: 'already-set', commandId })));
      const first = one.send(two.name);
      const message = await captured(messages);
      bus.publish(message.reply, Buffer.from('{"kind":"ok","commandId":"command-1"}'));
      bus.publish(message.reply, message.data);
      bus.publish(message.reply, new Uint8Array(MAX_NODE_MESSAGE_BYTES + 1));
      await eventually(() => one.refused().length === 3);
      answer();
      expect(await first).toMatchObject({ kind: 'already-set' });
    });

    test('without the key of the installation can send no command', async () => {
      const stranger = await node('stranger', { secret: OTHER_SECRET });
      expect(await stranger.send(two.name)).toEqual(NOT_TAKEN);
      expect(two.taken).toHaveLength(0);
      expect(two.refused()).toEqual(['message-forged']);
    });
  });
}
