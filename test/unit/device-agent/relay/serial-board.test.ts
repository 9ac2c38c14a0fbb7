/** A serial board over a port in memory: what no pseudo-terminal can be made to do. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { causeText } from '@relaygate/device-agent/locales/en/causes';
import type { DriveResult } from '@relaygate/device-agent/relay/relay-driver';
import { LcusRelays, REPEAT_OFF_AFTER_MS } from '@relaygate/device-agent/relay/serial-boards/lcus-relays';
import { OrderQueue } from '@relaygate/device-agent/relay/serial-boards/order-queue';
import { ASK_AGAIN_MS, SerialBoard } from '@relaygate/device-agent/relay/serial-boards/serial-board';
import { SerialTalk } from '@relaygate/device-agent/relay/serial-boards/serial-talk';
import type { Cause } from '@relaygate/device-agent/runtime/cause';
import type { Level } from '@relaygate/shared/device';
import { inEnglish } from '../../../support/device/fault-texts';
import { MemoryPort } from '../../../support/device/serial/memory-port';
import { fulfilled } from '../../../support/time/fulfilled';
import { VirtualClock } from '../../../support/time/virtual-clock';

/** Half of the guard's patience with a board. */
const SOON_MS = 500;
/** So long the queue waits for an end that does not come. */
const END_MARGIN_MS = 500;
const SETTINGS = { path: '/dev/port', baud: 9_600, parity: 'none' } as const;

describe('a port', () => {
  let clock: VirtualClock;
  let board: SerialBoard;
  let port: MemoryPort;
  const lost: string[] = [];
  const read: (readonly Level[])[] = [];
  let backs = 0;
  let wentUp = (): void => {};

  function plug(opens?: () => Promise<void>): Promise<void> {
    clock = new VirtualClock();
    port = new MemoryPort(clock);
    if (opens) port.opens = opens;
    lost.length = 0;
    read.length = 0;
    backs = 0;
    wentUp = () => {};
    board = new SerialBoard({
      clock,
      settings: SETTINGS,
      protocol: new LcusRelays(2),
      open: port.open,
    });
    return board.open({
      lost: (problem) => void lost.push(causeText(problem)),
      back: () => {
        backs += 1;
        wentUp();
      },
      readable: (levels) => void read.push(levels),
    });
  }
  beforeEach(async () => {
    const opening = plug();
    await clock.advance(1_000);
    await opening;
  });
  const drive = (line: number, level: Level, pulseMs?: number): Promise<DriveResult> =>
    board.drive({ line, level, notAfterMs: null, ...(pulseMs === undefined ? {} : { pulseMs }) });
  const orders = (): string[] => port.frames.filter((frame) => frame.startsWith('a0'));

  test('that takes no bytes any more is given up with what it holds, which must not move a relay later (I2)', async () => {
    port.takes = () => new Promise(() => {});
    const stuck = drive(0, 'high');
    const waiting = drive(1, 'high');
    await clock.advance(SOON_MS);
    expect(await inEnglish(stuck)).toEqual({ kind: 'failed', problem: 'the port takes no bytes' });
    expect(await waiting).toMatchObject({ kind: 'failed' });
    expect(port.closed).toBe(1);
    expect(lost).toEqual(['/dev/port: the port takes no bytes']);
    port.takes = () => Promise.resolve();
    await clock.advance(1_000);
    expect(backs).toBe(2);
    // Nobody repeats what was refused.
    expect(orders()).toEqual(['a00101a2']);
  });

  test('whose closing hangs is opened again all the same, and keeps no program from its end', async () => {
    port.closes = () => new Promise(() => {});
    port.unplug();
    await clock.advance(3_000);
    expect(backs).toBe(2);
    const isClosed = fulfilled(board.close());
    await clock.advance(SOON_MS * 2);
    expect(isClosed()).toBe(true);
  });

  test('whose opening hangs is away: nobody waits for it, it is not opened twice, and is there once it opens', async () => {
    let opened = (): void => {};
    const opening = plug(() => new Promise((resolve) => (opened = resolve)));
    const isOver = fulfilled(opening);
    await clock.advance(6_000);
    expect(isOver()).toBe(true);
    expect(lost).toEqual(['/dev/port: opening it takes too long']);
    expect(await drive(0, 'high')).toMatchObject({ kind: 'failed' });
    await clock.advance(60_000);
    expect(port.opened).toHaveLength(1);
    opened();
    await clock.advance(1_000);
    expect(backs).toBe(1);
  });

  test('that is away is tried again soon, then at most every two seconds, and no oftener for being used', async () => {
    port.isThere = false;
    port.takes = () => new Promise(() => {});
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

  test('whose relays take it down with them is not switched on without end, and comes back soon after a calm time', async () => {
    const startMs = clock.nowMs();
    let isBrownOut = true;
    wentUp = () => {
      if (isBrownOut) clock.after(20, () => port.unplug());
    };
    port.unplug();
    await clock.advance(60_000);
    isBrownOut = false;
    expect(port.opened.filter((atMs) => atMs > startMs).length).toBeLessThan(45);
    await clock.advance(20_000);
    const openings = port.opened.length;
    port.unplug();
    await clock.advance(200);
    expect(port.opened).toHaveLength(openings + 1);
  });

  describe('whose board does not answer', () => {
    const ON_0 = 'a00101a2';
    const OFF_0 = 'a00100a1';
    const OFF_1 = 'a00200a2';
    /** Each order that was written since, and how long after. */
    const ordersSince = (sinceMs: number): [string, number][] =>
      port.written
        .filter(({ frame, atMs }) => frame.startsWith('a0') && atMs >= sinceMs)
        .map(({ frame, atMs }) => [frame, Math.round(atMs - sinceMs)]);
    const answer = (frame: Uint8Array): Uint8Array => (frame[0] === 0xff ? Uint8Array.of(0, 1) : new Uint8Array());

    test('is told "off" again, for one byte that is lost leaves the relay on', async () => {
      const sinceMs = clock.nowMs();
      expect(await drive(0, 'low')).toMatchObject({ kind: 'driven', readBack: null });
      await clock.advance(5_000);
      expect(ordersSince(sinceMs)).toEqual([[OFF_0, 0], ...REPEAT_OFF_AFTER_MS.map((ms) => [OFF_0, ms])]);
    });

    test('is not told "off" again once it is to be on, nor "on" twice', async () => {
      const sinceMs = clock.nowMs();
      await drive(0, 'low');
      await clock.advance(60);
      void drive(0, 'high');
      await clock.advance(5_000);
      expect(ordersSince(sinceMs).map(([frame]) => frame)).toEqual([OFF_0, OFF_0, ON_0]);
    });

    test('hears the end of another pulse at its time, whatever is to be repeated (I4)', async () => {
      await drive(0, 'high', 1_000);
      // Its first repetition is due right before the end of the pulse.
      await clock.advance(945);
      void drive(1, 'low');
      await clock.advance(55);
      const endMs = clock.nowMs();
      void drive(0, 'low');
      await clock.advance(1_000);
      expect(ordersSince(endMs)[0]).toEqual([OFF_0, 0]);
      expect(ordersSince(endMs).filter(([frame]) => frame === OFF_1)).toHaveLength(REPEAT_OFF_AFTER_MS.length);
    });

    test('is told "off" once more when the driver closes before it was repeated', async () => {
      const sinceMs = clock.nowMs();
      void drive(0, 'low');
      void drive(1, 'low');
      await clock.advance(30);
      const closed = board.close();
      await clock.advance(1_000);
      await closed;
      expect(ordersSince(sinceMs).map(([frame]) => frame)).toEqual([OFF_0, OFF_1, OFF_0, OFF_1]);
    });

    test('is asked again, and read back once it answers: it may have been silent at its greeting only', async () => {
      await clock.advance(ASK_AGAIN_MS);
      expect(read).toEqual([]);
      port.answers = answer;
      await clock.advance(ASK_AGAIN_MS);
      expect(read).toEqual([['low', 'high']]);
      const off = drive(0, 'low');
      await clock.advance(500);
      expect(await off).toMatchObject({ kind: 'driven', readBack: 'low' });
      const questions = port.frames.filter((frame) => frame === 'ff').length;
      await clock.advance(10 * ASK_AGAIN_MS);
      expect(port.frames.filter((frame) => frame === 'ff')).toHaveLength(questions);
    });

    test('is not asked where that would hold up the end of a pulse (I4)', async () => {
      const questions = (): number[] =>
        port.written.filter(({ frame }) => frame === 'ff').map(({ atMs }) => Math.round(atMs));
      await clock.advance(ASK_AGAIN_MS);
      const everyMs = ASK_AGAIN_MS + 150;
      const dueMs = (questions().at(-1) ?? 0) + everyMs;
      const endMs = dueMs + 50;
      await clock.advance(endMs - 400 - clock.nowMs());
      void drive(0, 'high', 400);
      await clock.advance(endMs - clock.nowMs());
      expect(questions().at(-1)).toBe(dueMs - everyMs);
      void drive(0, 'low');
      await clock.advance(1_000);
      expect(ordersSince(endMs)[0]).toEqual([OFF_0, 0]);
      expect(questions().at(-1)).toBeGreaterThan(endMs);
    });

    test('has answered once: a silent moment is a failure then, not a board that cannot be read', async () => {
      port.answers = answer;
      await clock.advance(ASK_AGAIN_MS);
      port.answers = () => new Uint8Array();
      const off = drive(0, 'low');
      await clock.advance(500);
      expect(await inEnglish(off)).toEqual({ kind: 'failed', problem: 'the board does not answer' });
    });

    test('answers in one way: another one is noise', async () => {
      port.answers = answer;
      await clock.advance(ASK_AGAIN_MS);
      port.answers = (frame) => (frame[0] === 0xff ? Buffer.from('CH1:OFF\r\nCH2:OFF\r\n') : new Uint8Array());
      const off = drive(0, 'low');
      await clock.advance(500);
      expect(await inEnglish(off)).toMatchObject({ problem: 'the answer of the board was not understood' });
    });
  });

  test('with endless noise on it is opened all the same, or given up: never waited for without end', async () => {
    const isOpen = fulfilled(plug());
    port.noise(10);
    await clock.advance(3_000);
    expect(isOpen()).toBe(true);
    expect(lost.at(-1)).toMatch(/does not answer as an LCUS board/);
  });

  test('with endless noise on it carries the end of a pulse all the same (I4)', async () => {
    const opening = plug();
    port.answers = (frame) => (frame[0] === 0xff ? Uint8Array.of(0, 0) : new Uint8Array());
    await clock.advance(1_000);
    await opening;
    const pulse = drive(0, 'high', 600);
    port.noise(10);
    await clock.advance(600);
    expect(await pulse).toMatchObject({ kind: 'failed' });
    const end = drive(0, 'low');
    await clock.advance(SOON_MS);
    expect(orders()).toEqual(['a00101a2', 'a00100a1']);
    expect(await end).toMatchObject({ kind: 'failed' });
  });
});

async function talking(): Promise<{ clock: VirtualClock; port: MemoryPort; talk: SerialTalk }> {
  const clock = new VirtualClock();
  const port = new MemoryPort(clock);
  const talk = new SerialTalk(clock);
  talk.use(await port.open(SETTINGS, { bytes: (bytes) => talk.hear(bytes), gone: () => {} }));
  return { clock, port, talk };
}

test('a write that fails after its answer does not deafen the question after it', async () => {
  const { clock, port, talk } = await talking();
  const ask = (): Promise<Uint8Array> =>
    talk.ask({ request: Uint8Array.of(1), answerMs: 100, isWhole: (bytes) => bytes.length === 1 });
  port.answers = () => Uint8Array.of(7);
  port.takes = () => new Promise((_resolve, reject) => clock.after(20, () => reject(new Error('late'))));
  const first = ask();
  await clock.advance(10);
  expect(await first).toEqual(Uint8Array.of(7));
  port.takes = () => Promise.resolve();
  port.answers = () => new Uint8Array();
  const second = ask();
  await clock.advance(50);
  port.say(Uint8Array.of(8));
  await clock.advance(100);
  expect(await second).toEqual(Uint8Array.of(8));
});

describe('a process that was held up', () => {
  const HELD_UP_MS = 400;
  let clock: VirtualClock;
  let port: MemoryPort;
  let talk: SerialTalk;
  beforeEach(async () => {
    ({ clock, port, talk } = await talking());
  });
  /** Its timers are late, and what came meanwhile is read after them. */
  async function holdUp(thenRead: () => void): Promise<void> {
    await clock.advance(5);
    clock.holdUp(HELD_UP_MS);
    clock.after(5, thenRead);
    await clock.advance(100);
  }

  test('takes no answer for none that came meanwhile', async () => {
    const answer = talk.ask({ request: Uint8Array.of(1), answerMs: 150, isWhole: (bytes) => bytes.length === 2 });
    await holdUp(() => port.say(Uint8Array.of(7, 8)));
    expect(await answer).toEqual(Uint8Array.of(7, 8));
  });

  test('takes no half of an answer for all of it', async () => {
    const until = { quietMs: 25, longestMs: 100 };
    const answer = talk.ask({ request: Uint8Array.of(1), answerMs: 150, until });
    await clock.advance(1);
    port.say(Uint8Array.of(7));
    await holdUp(() => port.say(Uint8Array.of(8)));
    expect(await answer).toEqual(Uint8Array.of(7, 8));
  });

  test('does not take a line for quiet on which something came meanwhile', async () => {
    port.say(Uint8Array.of(7));
    const isQuiet = fulfilled(talk.quiet(10, 1_000));
    clock.holdUp(HELD_UP_MS);
    clock.after(5, () => port.noise(5));
    await clock.advance(100);
    expect(isQuiet()).toBe(false);
    await clock.advance(1_000);
    expect(isQuiet()).toBe(true);
  });

  test('does not give a port up that has taken its bytes', async () => {
    let isTaken = (): void => {};
    port.takes = () => new Promise((resolve) => (isTaken = resolve));
    const writing = talk.write(Uint8Array.of(1)).then(
      () => 'written',
      (error) => error,
    );
    await holdUp(() => isTaken());
    expect(await writing).toBe('written');
  });

  test('waits no longer for what is silent than if it had not been', async () => {
    const isOver = fulfilled(talk.ask({ request: Uint8Array.of(1), answerMs: 150 }));
    await holdUp(() => {});
    expect(isOver()).toBe(true);
  });
});

describe('the orders of a bus', () => {
  const job = (line: number, level: Level | null, isPrompt = true) => {
    const failures: string[] = [];
    const fail = (problem: Cause) => void failures.push(causeText(problem));
    return { line, level, longestMs: 200, isPrompt, run: async () => {}, fail, failures };
  };

  test('go off before on, and the newest of a line instead of the older ones', () => {
    const queue = new OrderQueue();
    const [on, off, older] = [job(0, 'high'), job(1, 'low'), job(2, 'high')];
    for (const each of [on, older, off]) queue.add(each);
    queue.add(job(2, 'low'));
    expect(older.failures).toEqual(['a newer order came first']);
    const lines = Array.from({ length: 4 }, () => queue.next(0)).map((next) =>
      next.kind === 'job' ? next.job.line : next.kind,
    );
    expect(lines).toEqual([1, 2, 0, 'empty']);
  });

  test('leave those alone who only read, and readings wait for pulses as "on" does (I4)', () => {
    const queue = new OrderQueue();
    const [reading, older] = [job(0, null), job(0, 'high')];
    for (const each of [reading, older, job(0, null), job(0, 'low')]) queue.add(each);
    expect(reading.failures).toEqual([]);
    expect(older.failures).toHaveLength(1);
    const levels = Array.from({ length: 4 }, () => queue.next(0)).map((next) =>
      next.kind === 'job' ? next.job.level : next.kind,
    );
    expect(levels).toEqual(['low', null, null, 'empty']);
    queue.pulseEnds(5, 1_000);
    queue.add(job(0, null));
    expect(queue.next(850)).toEqual({ kind: 'wait', untilMs: 1_000 + END_MARGIN_MS });
  });

  test('wait for the end of a pulse that they might hold up, but not the order that ends it (I4)', () => {
    const queue = new OrderQueue();
    queue.pulseEnds(5, 1_000);
    for (const each of [job(0, 'high'), job(1, 'low')]) queue.add(each);
    expect(queue.next(700)).toMatchObject({ kind: 'job', job: { line: 1 } });
    // Its board has been prompt, and may hang from now on.
    queue.add(job(1, 'low'));
    expect(queue.next(850)).toEqual({ kind: 'wait', untilMs: 1_000 + END_MARGIN_MS });
    queue.add(job(5, 'low'));
    expect(queue.next(1_000)).toMatchObject({ kind: 'job', job: { line: 5 } });
    expect(queue.next(1_001)).toMatchObject({ kind: 'job', job: { line: 1 } });
  });

  test('that end a pulse do not wait for the end of another one, but where their board has been silent (I4)', () => {
    const queue = new OrderQueue();
    for (const line of [1, 2, 5]) queue.pulseEnds(line, 1_000);
    for (const each of [job(1, 'low'), job(2, 'low', false)]) queue.add(each);
    expect(queue.next(1_000)).toMatchObject({ kind: 'job', job: { line: 1 } });
    expect(queue.next(1_000)).toEqual({ kind: 'wait', untilMs: 1_000 + END_MARGIN_MS });
    // Tried again it is no end any more.
    queue.add(job(1, 'low'));
    expect(queue.next(1_001)).toEqual({ kind: 'wait', untilMs: 1_000 + END_MARGIN_MS });
  });

  test('that make a pulse longer again and again do not hold an "off" for ever, but one of a silent board', () => {
    for (const isPrompt of [true, false]) {
      const queue = new OrderQueue();
      queue.pulseEnds(5, 1_000);
      for (const each of [job(1, 'low', isPrompt), job(5, 'high')]) queue.add(each);
      const next = queue.next(850);
      if (isPrompt) expect(next).toEqual({ kind: 'wait', untilMs: 1_000 + END_MARGIN_MS });
      else expect(next).toMatchObject({ kind: 'job', job: { line: 5 } });
    }
  });

  test('that would make a pulse longer and fail leave its end as it was (I4)', () => {
    const queue = new OrderQueue();
    queue.pulseEnds(5, 1_000);
    queue.add(job(5, 'high'));
    expect(queue.next(800)).toMatchObject({ kind: 'job', job: { line: 5 } });
    queue.add(job(1, 'high'));
    expect(queue.next(850)).toEqual({ kind: 'wait', untilMs: 1_000 + END_MARGIN_MS });
    queue.pulseEnds(5, null);
    expect(queue.next(850)).toMatchObject({ kind: 'job', job: { line: 1 } });
  });
});
