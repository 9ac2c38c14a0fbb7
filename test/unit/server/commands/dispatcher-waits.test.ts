import { beforeEach, describe, expect, test } from '@jest/globals';
import { RelaygateError } from '@relaygate/shared';
import { ALLOWED, DispatcherBench, GATE, ORDER } from '../../../support/server/dispatcher-bench';
import { settled } from '../../../support/time/virtual-clock';

let bench: DispatcherBench;
beforeEach(() => {
  bench = new DispatcherBench();
});

describe('a command that waits for its link', () => {
  test('a device that comes back in time gets the command once, and what it was allowed is read again (I13)', async () => {
    bench.link = { kind: 'recently-lost' };
    const answer = bench.ask();
    await bench.clock.advance(2_000);
    expect(bench.sent).toEqual([]);
    bench.link = { kind: 'up', bootId: 'boot-1' };
    bench.dispatcher.linkUp(GATE, 'boot-1');
    await settled();
    expect(bench.sent).toHaveLength(1);
    bench.confirm('command-1');
    await settled();
    expect(answer.now()).toMatchObject({ kind: 'ok' });
  });

  test('a command that waits for a device ends when the device is revoked, once its record is durable (I13)', async () => {
    let durable = (): void => {};
    for (const isRecorded of [true, false]) {
      bench.link = { kind: 'recently-lost' };
      bench.writing = isRecorded ? async () => {} : () => new Promise((resolve) => (durable = resolve));
      const answer = bench.ask();
      await bench.clock.advance(100);
      bench.dispatcher.deviceRevoked(GATE);
      await settled();
      expect(answer.now() !== undefined).toBe(isRecorded);
      bench.writing = async () => {};
      durable();
      await settled();
      expect(answer.now()).toMatchObject({ kind: 'error', code: 'device-timeout', commandId: expect.any(String) });
      expect(bench.outcomes.at(-1)).toMatchObject({ outcome: 'expired', reason: 'not-linked' });
      expect(bench.clock.pendingTimers).toBe(0);
    }
    expect(bench.sent).toEqual([]);
  });

  test('a command that has left for its device is not ended by a revocation', async () => {
    const answer = bench.ask();
    await settled();
    bench.dispatcher.deviceRevoked(GATE);
    await settled();
    expect(answer.now()).toBeUndefined();
    bench.confirm('command-1');
    await settled();
    expect(answer.now()).toMatchObject({ kind: 'ok' });
  });

  test('what was revoked during the wait is not sent', async () => {
    bench.link = { kind: 'recently-lost' };
    const answer = bench.ask();
    await bench.clock.advance(2_000);
    bench.access = { ...ALLOWED, associated: false };
    bench.link = { kind: 'up', bootId: 'boot-1' };
    bench.dispatcher.linkUp(GATE, 'boot-1');
    await settled();
    expect(bench.sent).toEqual([]);
    expect(answer.now()).toMatchObject({ kind: 'error', code: 'user-not-allowed' });
  });

  test('a link that stays away: 504 at the execution deadline, nothing sent even if it comes back then', async () => {
    bench.link = { kind: 'recently-lost' };
    const answer = bench.ask();
    await bench.clock.advance(4_500);
    expect(answer.now()).toMatchObject({ kind: 'error', code: 'device-timeout' });
    bench.link = { kind: 'up', bootId: 'boot-1' };
    bench.dispatcher.linkUp(GATE, 'boot-1');
    await settled();
    expect(bench.sent).toEqual([]);
  });

  describe('of a command that waited for its link', () => {
    const resumed = (bootId: string): void =>
      bench.dispatcher.resumed(GATE, bootId, { type: 'resume', outcomes: [], notStarted: ['command-1'] });

    /** The device is back, in this boot, and says nothing of the command that it is sent. */
    async function unanswered(bootId: string): Promise<void> {
      await bench.clock.advance(100);
      bench.link = { kind: 'up', bootId };
      bench.dispatcher.linkUp(GATE, bootId);
      await bench.clock.advance(5_000);
      expect(bench.sent).toHaveLength(1);
      expect(bench.outcomes.map(({ outcome }) => outcome)).toEqual(['unknown']);
    }

    test('the boot to which it was sent can say later that it was not started', async () => {
      bench.link = { kind: 'recently-lost' };
      bench.ask();
      await unanswered('boot-1');
      resumed('boot-2');
      await settled();
      expect(bench.outcomes).toHaveLength(1);
      resumed('boot-1');
      await settled();
      expect(bench.outcomes.at(-1)).toMatchObject({ outcome: 'expired', reason: 'not-started' });
    });

    test('the boot that was linked when it was accepted cannot: it was sent to another one (I3)', async () => {
      let durable = (): void => {};
      bench.writing = () => new Promise((resolve) => (durable = resolve));
      bench.ask();
      await settled();
      bench.writing = async () => {};
      bench.link = { kind: 'recently-lost' };
      bench.dispatcher.linkLost(GATE);
      durable();
      await unanswered('boot-2');
      resumed('boot-1');
      await settled();
      expect(bench.outcomes).toHaveLength(1);
    });

    test('nothing is sent before it is durable to which boot (I3, I14)', async () => {
      bench.link = { kind: 'recently-lost' };
      const answer = bench.ask();
      await settled();
      let fail = (_: Error): void => {};
      bench.writing = () => new Promise((_, reject) => (fail = reject));
      bench.link = { kind: 'up', bootId: 'boot-1' };
      bench.dispatcher.linkUp(GATE, 'boot-1');
      await settled();
      expect(bench.sent).toEqual([]);
      bench.writing = async () => {};
      fail(new RelaygateError('storage-unavailable'));
      await settled();
      expect(answer.now()).toMatchObject({ kind: 'error', code: 'unknown', commandId: 'command-1' });
      expect(bench.outcomes).toMatchObject([{ outcome: 'refused', reason: 'boot-not-recorded' }]);
      expect(bench.sent).toEqual([]);
    });

    test('a boot that links while that is written is recorded in turn', async () => {
      bench.link = { kind: 'recently-lost' };
      bench.ask();
      await settled();
      let durable = (): void => {};
      bench.writing = () => new Promise((resolve) => (durable = resolve));
      for (const bootId of ['boot-1', 'boot-2']) {
        bench.dispatcher.linkLost(GATE);
        bench.link = { kind: 'up', bootId };
        bench.dispatcher.linkUp(GATE, bootId);
      }
      await settled();
      bench.writing = async () => {};
      durable();
      await settled();
      expect(bench.sent).toHaveLength(1);
      expect(bench.open.get('command-1')).toMatchObject({ bootId: 'boot-2' });
    });
  });

  test('a product without a device is not waited for: 504 at once (I13)', async () => {
    for (const kind of ['recently-lost', 'up'] as const) {
      bench.link = kind === 'up' ? { kind, bootId: 'boot-1' } : { kind };
      const answer = bench.ask({ ...ORDER, noDevice: true });
      await settled();
      expect(answer.now()).toMatchObject({ kind: 'error', code: 'device-timeout' });
    }
    expect(bench.records.map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['expired', 'not-linked'],
      ['expired', 'not-linked'],
    ]);
    expect(bench.sent).toEqual([]);
  });

  test('a command that still waits for its link is not ended by a resume report that does not know it', async () => {
    bench.link = { kind: 'recently-lost' };
    bench.ask();
    await settled();
    bench.dispatcher.resumed(GATE, 'boot-1', { type: 'resume', outcomes: [], notStarted: ['command-1'] });
    bench.link = { kind: 'up', bootId: 'boot-1' };
    bench.dispatcher.linkUp(GATE, 'boot-1');
    await settled();
    expect(bench.sent).toHaveLength(1);
  });
});
