import { beforeEach, describe, expect, test } from '@jest/globals';
import { LinkWait } from '@relaygate/server/commands/link-wait';
import type { AcceptedCommand, DispatchAnswer } from '@relaygate/server/commands/order';
import type { ProductOwner } from '@relaygate/server/nodes/node-store';
import { EXECUTION_DEADLINE_MS, OWNER_AGAIN_MS } from '@relaygate/shared';
import { DispatcherBench, GATE, ORDER } from '../../../support/server/dispatcher-bench';
import { settled } from '../../../support/time/virtual-clock';

const SLOT_TAKEN = { kind: 'error', code: 'request-already-pending', isUnrecorded: true };

describe('one of several nodes, to which a device may come back or not', () => {
  let bench: DispatcherBench;
  let wait: LinkWait;
  let answers: (DispatchAnswer | undefined)[];
  let tell: () => Promise<ProductOwner>;

  beforeEach(() => {
    bench = new DispatcherBench();
    bench.link = { kind: 'recently-lost' };
    answers = [];
    tell = async () => bench.owner;
    wait = new LinkWait({
      nodeName: 'node-1',
      links: bench,
      store: { productOwner: () => tell() },
      node: bench.node,
      dispatcher: bench.dispatcher,
      isAtWork: (productLogin) => bench.dispatcher.isAtWork(productLogin),
      newCommandId: () => 'waited',
      clock: bench.clock,
    });
  });
  function ask(accepted?: AcceptedCommand): void {
    const n = answers.push(undefined) - 1;
    void wait.local.dispatch(ORDER, undefined, accepted).then((answer) => {
      answers[n] = answer;
    });
  }

  test('a command is recorded and sent when the link is there again, with t0 of its call (I2)', async () => {
    const t0Ms = bench.clock.nowMs();
    ask();
    await bench.clock.advance(1_000);
    expect(bench.records).toEqual([]);
    bench.link = { kind: 'up', bootId: 'boot-1' };
    await bench.clock.advance(OWNER_AGAIN_MS);
    expect(bench.sent).toMatchObject([{ commandId: 'waited', executeBeforeMs: t0Ms + EXECUTION_DEADLINE_MS }]);
    bench.confirm('waited');
    await settled();
    expect(answers).toEqual([{ kind: 'ok', commandId: 'waited' }]);
  });

  test('another command of the product gets 409 meanwhile, also when the link is up again (I6)', async () => {
    ask();
    await settled();
    ask();
    await settled();
    bench.link = { kind: 'up', bootId: 'boot-1' };
    ask();
    await settled();
    expect(answers).toEqual([undefined, SLOT_TAKEN, SLOT_TAKEN]);
  });

  test('a command gets 409 at once, and does not wait, while one that was sent before the link was lost is at work (I6)', async () => {
    bench.link = { kind: 'up', bootId: 'boot-1' };
    ask({ commandId: 'sent', acceptedAtMs: bench.clock.nowMs() });
    await settled();
    expect(bench.sent).toMatchObject([{ commandId: 'sent' }]);
    bench.link = { kind: 'recently-lost' };
    ask();
    await settled();
    expect(answers).toEqual([undefined, SLOT_TAKEN]);
    bench.confirm('sent');
    await settled();
    expect(answers[0]).toEqual({ kind: 'ok', commandId: 'sent' });
  });

  test('a database that does not tell the owner does not hold up the answer', async () => {
    tell = () => new Promise(() => {});
    ask();
    await bench.clock.advance(EXECUTION_DEADLINE_MS + OWNER_AGAIN_MS);
    expect(answers).toMatchObject([{ code: 'device-timeout' }]);
    expect(bench.sent).toEqual([]);
  });

  test('a command whose device has come to another node is left to that one, without a record', async () => {
    ask();
    await bench.clock.advance(OWNER_AGAIN_MS);
    expect(answers).toEqual([undefined]);
    bench.owner = { ...bench.owner, nodeName: 'node-2' };
    await bench.clock.advance(OWNER_AGAIN_MS);
    expect(answers).toMatchObject([{ isElsewhere: true }]);
    expect(bench.records).toEqual([]);
    ask({ commandId: 'theirs', acceptedAtMs: bench.clock.nowMs() });
    await bench.clock.advance(OWNER_AGAIN_MS);
    expect(answers[1]).toMatchObject({ isElsewhere: true });
  });

  test.each<[string, () => void, number]>([
    ['nobody has come in time', () => {}, EXECUTION_DEADLINE_MS],
    ['its link was lost too long ago', () => Object.assign(bench, { link: { kind: 'down' } }), OWNER_AGAIN_MS],
    ['its device is revoked', () => wait.deviceRevoked(GATE), OWNER_AGAIN_MS],
  ])('a command is recorded as not linked, and answered with 504, when %s', async (_why, happens, afterMs) => {
    ask();
    await settled();
    happens();
    await bench.clock.advance(afterMs);
    expect(bench.records).toMatchObject([{ commandId: 'waited', outcome: 'expired', reason: 'not-linked' }]);
    expect(answers).toEqual([{ kind: 'error', code: 'device-timeout', commandId: 'waited' }]);
    expect(bench.clock.pendingTimers).toBe(0);
  });
});
