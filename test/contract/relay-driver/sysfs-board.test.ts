import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { onoffGpio } from '@relaygate/device-agent/relay/onoff-gpio';
import type { InputEdge, RelayDriver } from '@relaygate/device-agent/relay/relay-driver';
import { SysfsBoard } from '@relaygate/device-agent/relay/sysfs-board';
import type { Level } from '@relaygate/shared/device';
import { systemClock } from '@relaygate/shared/system';
import { FakeEpoll, FakeSysfs } from '../../support/device/fake-sysfs';
import { describeWhere } from '../../support/processes/needs';
import { settled } from '../../support/time/virtual-clock';
import { inputEdgesContract } from './input-edges.contract';
import { relayDriverContract } from './relay-driver.contract';

/** A package of onoff, which loads it later. */
const EPOLL = 'epoll';
jest.doMock(EPOLL, () => ({ Epoll: FakeEpoll }));

const LABEL = 'pinctrl-bcm2835';
const BASE = 512;
/** Two that are pulled up at reset and two that are pulled down, in no order. */
const OFFSETS = [5, 26, 6, 13];
const PULLS = Array.from({ length: 54 }, (_, offset): Level => (offset <= 8 ? 'high' : 'low'));
const INPUTS = [{ line: 9 }, { line: 10 }, { line: 11 }];
const quiet = { lost: () => {}, back: () => {} };

function newSysfs(keepsOutputs: boolean): FakeSysfs {
  return new FakeSysfs({ label: LABEL, base: BASE, pulls: PULLS, nowMs: () => systemClock.nowMs(), keepsOutputs });
}

/** The locks of one machine, and what a process of it has taken. */
class Locks {
  readonly #taken = new Set<number>();

  newProcess() {
    const mine = new Set<number>();
    const release = (line: number): void => {
      if (mine.delete(line)) this.#taken.delete(line);
    };
    return {
      lock: async (line: number) => {
        if (this.#taken.has(line)) return null;
        this.#taken.add(line);
        mine.add(line);
        return { release: async () => release(line) };
      },
      kill: () => mine.forEach(release),
    };
  }
}

interface Wiring {
  chip?: string;
  inputs?: typeof INPUTS;
  watched?: readonly number[];
}

function newBoard(locks: Locks, offsets: readonly number[] = OFFSETS, { chip, ...wiring }: Wiring = {}) {
  const { lock, kill } = locks.newProcess();
  const options = { gpio: onoffGpio(), lock, clock: systemClock, slackClock: systemClock, chip, offsets };
  const board: RelayDriver = new SysfsBoard({ ...options, ...wiring });
  return { board, kill };
}

/** onoff is optional: where it cannot be compiled everything else works. */
function missingOnoff(): string | undefined {
  try {
    onoffGpio();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

describeWhere(missingOnoff())('gpio-sysfs', () => {
  for (const keepsOutputs of [true, false]) {
    const name = `through onoff, where unexporting ${keepsOutputs ? 'keeps' : 'releases'} a line`;
    relayDriverContract(name, async () => {
      const sysfs = newSysfs(keepsOutputs);
      const locks = new Locks();
      const processes = new Map<RelayDriver, () => void>();
      return {
        lines: OFFSETS.length,
        newDriver() {
          const { board, kill } = newBoard(locks, OFFSETS, { inputs: INPUTS });
          processes.set(board, kill);
          return board;
        },
        nowMs: () => systemClock.nowMs(),
        levelOf: (line) => {
          const offset = OFFSETS[line];
          return offset === undefined ? null : sysfs.levelOf(offset);
        },
        edgeAtMs: (line) => sysfs.edges.findLast(({ offset }) => offset === OFFSETS[line])?.atMs ?? null,
        readsBack: true,
        // /sys/class/gpio belongs to nobody, so nothing happens when a process dies.
        keepsLines: true,
        inputs: {
          count: INPUTS.length,
          set: (input, level) => sysfs.connect(INPUTS[input]?.line ?? -1, level),
        },
        kill: async (driver) => processes.get(driver)?.(),
        close: async () => sysfs.remove(),
      };
    });
  }

  inputEdgesContract('gpio-sysfs', async () => {
    const sysfs = newSysfs(true);
    const locks = new Locks();
    return {
      count: INPUTS.length,
      newDriver: (watched) => newBoard(locks, OFFSETS, { inputs: INPUTS, watched }).board,
      nowMs: () => systemClock.nowMs(),
      set: (input, level) => sysfs.connect(INPUTS[input]?.line ?? -1, level),
      pollMs: null,
      close: async () => sysfs.remove(),
    };
  });

  describe('the sysfs board', () => {
    let sysfs: FakeSysfs;
    let locks: Locks;
    const boards: RelayDriver[] = [];
    beforeEach(() => {
      sysfs = newSysfs(false);
      locks = new Locks();
    });
    afterEach(async () => {
      for (const board of boards.splice(0)) await board.close();
      sysfs.remove();
    });

    const drive = (board: RelayDriver, line: number, level: Level) => board.drive({ line, level, notAfterMs: null });
    const told: InputEdge[] = [];
    const unread: number[] = [];
    async function openBoard(offsets?: readonly number[], wiring?: Wiring) {
      told.length = 0;
      unread.length = 0;
      const made = newBoard(locks, offsets, wiring);
      boards.push(made.board);
      await made.board.open({
        ...quiet,
        edges: (edges) => void told.push(...edges),
        inputsUnread: (inputs) => void unread.push(...inputs),
      });
      return made;
    }

    test.each(['high', 'low'] as const)(
      'brings a new line to %s in one step, and never writes "out"',
      async (level) => {
        const { board } = await openBoard([5, 26]);
        expect(sysfs.writes).toEqual([`export=${BASE + 5}`, `export=${BASE + 26}`]);
        await drive(board, 0, level);
        await drive(board, 1, level);
        // 5 is pulled up and 26 down, so one of them is there already.
        expect(sysfs.edges).toMatchObject([{ offset: level === 'high' ? 26 : 5, level }]);
        expect(sysfs.writes).toContain(`gpio${BASE + 26}/direction=${level}`);
        expect(sysfs.writes.join()).not.toMatch(/direction=out|active_low/);
      },
    );

    test('keeps the direction of a line that a killed guard has left driven', async () => {
      sysfs.change(26, { isExported: true, driven: 'high' });
      const { board } = await openBoard([26]);
      await drive(board, 0, 'low');
      expect(sysfs.edges).toMatchObject([{ offset: 26, level: 'low' }]);
      expect(sysfs.writes).toEqual([`gpio${BASE + 26}/value=0`]);
    });

    test('makes an output of a line that others have exported as an input', async () => {
      sysfs.change(26, { isExported: true });
      const { board } = await openBoard([26]);
      expect(await drive(board, 0, 'high')).toMatchObject({ kind: 'driven', readBack: 'high' });
      expect(sysfs.edges).toMatchObject([{ offset: 26, level: 'high' }]);
    });

    test('drives physical levels where somebody has inverted the line', async () => {
      sysfs.change(26, { isExported: true, driven: 'high', isInverted: true });
      const { board } = await openBoard([26]);
      expect(sysfs.edges).toEqual([]);
      expect(await drive(board, 0, 'low')).toMatchObject({ kind: 'driven', readBack: 'low' });
      expect(sysfs.levelOf(26)).toBe('low');
    });

    test('fails an order that the kernel refuses, and carries out the next', async () => {
      sysfs.change(26, { isExported: true });
      const { board } = await openBoard([26]);
      sysfs.denied = /direction$/;
      expect(await drive(board, 0, 'high')).toMatchObject({ kind: 'failed' });
      expect(await drive(board, 0, 'high')).toMatchObject({ kind: 'failed' });
      sysfs.denied = null;
      expect(await drive(board, 0, 'high')).toMatchObject({ kind: 'driven', readBack: 'high' });
    });

    test('gives back at its end the lines that are inactive, and no other', async () => {
      const { board } = await openBoard();
      for (const line of OFFSETS.keys()) await drive(board, line, 'high');
      await board.close([0, 2, 3]);
      expect(OFFSETS.map((offset) => sysfs.isExported(offset))).toEqual([false, true, false, false]);
      expect(sysfs.levelOf(26)).toBe('high');
    });

    test('is for one process at a time', async () => {
      const first = await openBoard();
      const second = newBoard(locks, [4, 26]).board;
      await expect(second.open(quiet)).rejects.toMatchObject({
        code: 'board-busy',
        message: expect.stringMatching(/Line 26 .*another relaygate-guard/),
      });
      // What it had exported before it came to that line is given back.
      expect(sysfs.isExported(4)).toBe(false);
      first.kill();
      await openBoard([4, 26]);
    });

    test('makes an input of a line that somebody has left driven, and gives back at its end those that it has exported', async () => {
      sysfs.change(10, { isExported: true, driven: 'high' });
      const { board } = await openBoard([26], { inputs: INPUTS, watched: [1] });
      expect(await board.readInput?.(1)).toEqual({ kind: 'read', level: 'low' });
      sysfs.connect(10, 'high');
      await settled();
      expect(told).toMatchObject([{ input: 1, level: 'high' }]);
      await board.close();
      expect(INPUTS.map(({ line }) => sysfs.isExported(line))).toEqual([false, true, false]);
    });

    test('says once of inputs whose chip has gone that nobody knows what they show', async () => {
      const { board } = await openBoard([26], { inputs: INPUTS, watched: [0, 1] });
      sysfs.goAway();
      await settled();
      sysfs.goAway();
      await settled();
      expect(unread).toEqual([0, 1]);
      expect(told).toEqual([]);
      expect(await board.readInput?.(1)).toMatchObject({ kind: 'failed' });
    });

    test('says of a chip without interrupts that nobody can be told of its inputs, and reads them all the same', async () => {
      sysfs.hasInterrupts = false;
      const watching = openBoard([26], { inputs: INPUTS, watched: [1] });
      await expect(watching).rejects.toMatchObject({
        code: 'board-unusable',
        message: expect.stringMatching(/ENODEV/),
      });
      expect([26, 9, 10, 11].filter((offset) => sysfs.isExported(offset))).toEqual([]);
      const { board } = await openBoard([26], { inputs: INPUTS });
      sysfs.connect(10, 'high');
      expect(await board.readInput?.(1)).toEqual({ kind: 'read', level: 'high' });
    });

    test('says that another program holds an input, before it touches a line', async () => {
      sysfs.change(10, { isHeld: true });
      await expect(openBoard([26], { inputs: INPUTS })).rejects.toMatchObject({ code: 'board-busy' });
      expect([26, 9, 10, 11].filter((offset) => sysfs.isExported(offset))).toEqual([]);
      expect(sysfs.writes.join()).not.toContain(`gpio${BASE + 26}`);
    });

    test('says that another program holds a line', async () => {
      sysfs.change(13, { isHeld: true });
      await expect(openBoard()).rejects.toMatchObject({
        code: 'board-busy',
        message: expect.stringMatching(/Line 13/),
      });
      expect(OFFSETS.filter((offset) => sysfs.isExported(offset))).toEqual([]);
    });

    test('says that the files are not for this user', async () => {
      sysfs.denied = /^export$/;
      await expect(openBoard()).rejects.toMatchObject({
        code: 'board-unusable',
        message: expect.stringMatching(/not for this user .*group gpio/),
      });
    });

    test.each<[string, string | undefined, number[], RegExp]>([
      ['no chip of this label', 'pinctrl-rp1', [5], /labelled "pinctrl-rp1".*"pinctrl-bcm2835"/],
      ['no such line', LABEL, [54], /lines 0 to 53, and no 54/],
    ])('with %s says what to do', async (_name, chip, offsets, message) => {
      await expect(openBoard(offsets, chip === undefined ? {} : { chip })).rejects.toMatchObject({
        code: 'board-unusable',
        message: expect.stringMatching(message),
      });
    });
  });
});

describe('a machine without /sys/class/gpio', () => {
  test('is told to use the character device', async () => {
    const gpio = {
      chips: () => {
        throw Object.assign(new Error('ENOENT'), { code: 'ENOENT' });
      },
      export: async () => false,
      unexport: () => {},
      output: () => {
        throw new Error('not asked');
      },
      input: () => Promise.reject(new Error('not asked')),
    };
    const lock = async () => ({ release: async () => {} });
    const board = new SysfsBoard({
      gpio,
      lock,
      clock: systemClock,
      slackClock: systemClock,
      chip: undefined,
      offsets: [5],
    });
    await expect(board.open(quiet)).rejects.toThrow(/no \/sys\/class\/gpio.*"gpio"/);
  });
});
