/** A serial board over a port in memory: what no pseudo-terminal can be made to do. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { DriveResult } from '@relaygate/device-agent/relay/relay-driver';
import { LcusRelays } from '@relaygate/device-agent/relay/serial/lcus-relays';
import { OrderQueue } from '@relaygate/device-agent/relay/serial/order-queue';
import { SerialBoard } from '@relaygate/device-agent/relay/serial/serial-board';
import type { Level } from '@relaygate/shared';
import { VirtualClock } from '../../../support/virtual-clock';

/** Half of the guard's patience with a board. */
const SOON_MS = 500;

describe('a port', () => {
  let clock: VirtualClock;
  let board: SerialBoard;
  const port = { opened: [] as number[], closed: 0, written: [] as string[], isThere: true, hangs: false };
  const lost: string[] = [];
  let backs = 0;

  beforeEach(async () => {
    clock = new VirtualClock();
    Object.assign(port, { opened: [], closed: 0, written: [], isThere: true, hangs: false });
    lost.length = 0;
    backs = 0;
    board = new SerialBoard({
      clock,
      settings: { path: '/dev/port', baud: 9_600, parity: 'none' },
      protocol: new LcusRelays(2),
      open: async () => {
        port.opened.push(clock.nowMs());
        if (!port.isThere) throw new Error('it is not there');
        return {
          write(bytes) {
            port.written.push(Buffer.from(bytes).toString('hex'));
            return port.hangs ? new Promise(() => {}) : Promise.resolve();
          },
          close: async () => {
            port.closed += 1;
          },
        };
      },
    });
    const opening = board.open({
      lost: (problem) => void lost.push(problem),
      back: () => {
        backs += 1;
      },
    });
    await clock.advance(1_000);
    await opening;
  });
  const drive = (line: number, level: Level): Promise<DriveResult> => board.drive({ line, level, notAfterMs: null });

  test('that takes no bytes any more is given up with what it holds, which must not move a relay later (I2)', async () => {
    port.hangs = true;
    const stuck = drive(0, 'high');
    const waiting = drive(1, 'high');
    await clock.advance(SOON_MS);
    expect(await stuck).toEqual({ kind: 'failed', problem: 'the port takes no bytes' });
    expect(await waiting).toMatchObject({ kind: 'failed' });
    expect(port.closed).toBe(1);
    expect(lost).toEqual(['/dev/port: the port takes no bytes']);
    port.hangs = false;
    await clock.advance(1_000);
    expect(backs).toBe(2);
    // Nobody repeats what was refused.
    expect(port.written.filter((frame) => frame.startsWith('a0'))).toEqual(['a00101a2']);
  });

  test('that is away is tried again soon, then at most every two seconds, and no oftener for being used', async () => {
    port.isThere = false;
    port.hangs = true;
    void drive(0, 'high');
    await clock.advance(60_000);
    for (let n = 0; n < 100; n += 1) expect(await drive(0, 'low')).toMatchObject({ kind: 'failed' });
    const waits = port.opened.slice(1).map((atMs, n) => atMs - (port.opened[n] ?? 0));
    expect(port.opened.length).toBeGreaterThan(20);
    expect(port.opened.length).toBeLessThan(45);
    for (const waitMs of waits.slice(-20)) expect(waitMs).toBeCloseTo(2_000, 0);
    expect(new Set(lost)).toEqual(new Set(['/dev/port: the port takes no bytes', '/dev/port: it is not there']));
    await board.close();
    const tries = port.opened.length;
    await clock.advance(60_000);
    expect(port.opened).toHaveLength(tries);
  });
});

describe('the orders of a bus', () => {
  const job = (line: number, level: Level, isPrompt = true) => {
    const settled: DriveResult[] = [];
    const order = { line, level, notAfterMs: null };
    return { order, longestMs: 200, isPrompt, settle: (result: DriveResult) => void settled.push(result), settled };
  };

  test('go off before on, and the newest of a line instead of the older ones', () => {
    const queue = new OrderQueue();
    const [on, off, older] = [job(0, 'high'), job(1, 'low'), job(2, 'high')];
    for (const each of [on, older, off]) queue.add(each);
    queue.add(job(2, 'low'));
    expect(older.settled).toMatchObject([{ kind: 'failed' }]);
    const lines = Array.from({ length: 4 }, () => queue.next(0)).map((next) =>
      next.kind === 'job' ? next.job.order.line : next.kind,
    );
    expect(lines).toEqual([1, 2, 0, 'empty']);
  });

  test('wait for the end of a pulse that they might hold up, but not the order that ends it (I4)', () => {
    const queue = new OrderQueue();
    queue.pulseEnds(5, 1_000);
    for (const each of [job(0, 'high'), job(1, 'low', false)]) queue.add(each);
    expect(queue.next(700)).toMatchObject({ kind: 'job', job: { order: { line: 1 } } });
    queue.add(job(1, 'low', false));
    expect(queue.next(850)).toEqual({ kind: 'wait', untilMs: 1_005 });
    queue.add(job(2, 'low'));
    expect(queue.next(900)).toMatchObject({ kind: 'job', job: { order: { line: 2 } } });
    queue.add(job(5, 'low'));
    expect(queue.next(1_000)).toMatchObject({ kind: 'job', job: { order: { line: 5 } } });
    expect(queue.next(1_001)).toMatchObject({ kind: 'job', job: { order: { line: 1 } } });
  });
});
