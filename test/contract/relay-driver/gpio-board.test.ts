import { beforeEach, describe, expect, test } from '@jest/globals';
import { causeText } from '@relaygate/device-agent/locales/en/causes';
import { GpioBoard } from '@relaygate/device-agent/relay/gpio-board';
import type { InputEdge, RelayDriver } from '@relaygate/device-agent/relay/relay-driver';
import type { Cause } from '@relaygate/device-agent/runtime/cause';
import type { GpioInput, Level } from '@relaygate/shared/device';
import { systemClock } from '@relaygate/shared/system';
import { type FakeChip, FakeGpioKernel } from '../../support/device/fake-gpio-kernel';
import { settled, VirtualClock } from '../../support/time/virtual-clock';
import { inputEdgesContract } from './input-edges.contract';
import { relayDriverContract } from './relay-driver.contract';

const LABEL = 'pinctrl-bcm2835';
/** Two that are pulled up at reset and two that are pulled down, in no order. */
const OFFSETS = [5, 26, 6, 13];
/** One that is pulled up at reset, and two pulled down. */
const INPUTS = [{ line: 4, bias: 'pull-down' }, { line: 17, bias: 'pull-up' }, { line: 22 }] as const;
const HEADER: FakeChip = {
  path: '/dev/gpiochip0',
  label: LABEL,
  pulls: Array.from({ length: 54 }, (_, offset) => (offset <= 8 ? 'high' : 'low')),
};

for (const keepsOutputs of [true, false]) {
  relayDriverContract(
    `gpio, on a kernel that ${keepsOutputs ? 'keeps' : 'releases'} a dead process's lines`,
    async () => {
      const nowMs = (): number => systemClock.nowMs();
      const kernel = new FakeGpioKernel({ chips: [HEADER], nowMs, keepsOutputs });
      const processes = new Map<RelayDriver, () => void>();
      return {
        lines: OFFSETS.length,
        newDriver() {
          const process = kernel.newProcess();
          const board = new GpioBoard({
            kernel: process.kernel,
            clock: systemClock,
            chip: undefined,
            offsets: OFFSETS,
            inputs: INPUTS,
          });
          processes.set(board, process.kill);
          return board;
        },
        nowMs,
        levelOf: (line) => {
          const offset = OFFSETS[line];
          return offset === undefined ? null : kernel.levelOf(LABEL, offset);
        },
        edgeAtMs: (line) => kernel.edges.findLast(({ offset }) => offset === OFFSETS[line])?.atMs ?? null,
        readsBack: true,
        keepsLines: keepsOutputs,
        inputs: {
          count: INPUTS.length,
          set: (input, level) => kernel.connect(LABEL, INPUTS[input]?.line ?? -1, level),
        },
        kill: async (driver) => processes.get(driver)?.(),
        close: async () => {},
      };
    },
  );
}

inputEdgesContract('gpio', async () => {
  const nowMs = (): number => systemClock.nowMs();
  const kernel = new FakeGpioKernel({ chips: [HEADER], nowMs, keepsOutputs: true });
  const inputs = [9, 10, 11].map((line) => ({ line }));
  return {
    count: inputs.length,
    newDriver(watched) {
      const process = kernel.newProcess();
      const options = { kernel: process.kernel, clock: systemClock, chip: undefined, offsets: OFFSETS };
      return new GpioBoard({ ...options, inputs, watched });
    },
    nowMs,
    set: (input, level) => kernel.connect(LABEL, inputs[input]?.line ?? -1, level),
    pollMs: null,
    cable: { unplug: () => kernel.unplug(LABEL), plug: () => kernel.plugIn(LABEL) },
    close: async () => {},
  };
});

describe('the GPIO board', () => {
  let clock: VirtualClock;
  let kernel: FakeGpioKernel;
  const lost: string[] = [];
  const back: (Level | null)[][] = [];
  const listener = {
    lost: (problem: Cause) => void lost.push(causeText(problem)),
    back: (levels: readonly (Level | null)[]) => void back.push([...levels]),
  };

  function newBoard(
    chip: string | undefined,
    offsets: readonly number[] = OFFSETS,
    inputs: readonly GpioInput[] = [],
    watched: readonly number[] = [],
  ) {
    const process = kernel.newProcess();
    return { ...process, board: new GpioBoard({ kernel: process.kernel, clock, chip, offsets, inputs, watched }) };
  }
  function newKernel(chips: readonly FakeChip[], keepsOutputs = true): FakeGpioKernel {
    return new FakeGpioKernel({ chips, nowMs: () => clock.nowMs(), keepsOutputs });
  }
  const levelAt = (line: number) => kernel.levelOf(LABEL, OFFSETS[line] ?? -1);
  const isDriven = (line: number) => kernel.isDriven(LABEL, OFFSETS[line] ?? -1);
  const drive = (board: RelayDriver, line: number, level: Level) => board.drive({ line, level, notAfterMs: null });

  beforeEach(() => {
    clock = new VirtualClock();
    kernel = newKernel([HEADER]);
    lost.length = 0;
    back.length = 0;
  });

  test('makes a line an output with its first order and not before, without passing through another level', async () => {
    const { board } = newBoard(undefined);
    await board.open(listener);
    for (const offset of OFFSETS) expect(kernel.isDriven(LABEL, offset)).toBe(false);
    // Line 0 is pulled up, line 1 down: only the order that differs is an edge.
    await drive(board, 0, 'high');
    await drive(board, 1, 'high');
    expect(kernel.isDriven(LABEL, 5)).toBe(true);
    expect(kernel.isDriven(LABEL, 6)).toBe(false);
    expect(kernel.edges).toMatchObject([{ offset: 26, level: 'high' }]);
  });

  test('brings a line that is still driven to its first order in one edge', async () => {
    kernel.leaveDriven(LABEL, 26, 'high');
    const { board } = newBoard(undefined);
    await board.open(listener);
    expect(await drive(board, 1, 'low')).toMatchObject({ kind: 'driven', readBack: 'low' });
    expect(kernel.edges).toMatchObject([{ offset: 26, level: 'low' }]);
  });

  test('tells the level that the line itself has', async () => {
    const { board } = newBoard(undefined);
    await board.open(listener);
    await drive(board, 1, 'high');
    // Somebody pokes the registers.
    kernel.leaveDriven(LABEL, 6, 'low');
    expect(await drive(board, 1, 'high')).toMatchObject({ readBack: 'high' });
    expect(await drive(board, 2, 'low')).toMatchObject({ readBack: 'low' });
  });

  test('keeps one file open, that of its lines, until it is closed', async () => {
    const { board, openFiles } = newBoard(undefined);
    await board.open(listener);
    expect(openFiles()).toBe(1);
    await board.close();
    expect(openFiles()).toBe(0);
    const withInputs = newBoard(undefined, OFFSETS, INPUTS);
    await withInputs.board.open(listener);
    expect(withInputs.openFiles()).toBe(2);
    await withInputs.board.close();
    expect(withInputs.openFiles()).toBe(0);
  });

  test.each([1, 2, 3, 4, 99])('leaves no file open when %i ends of its watches and files fail', async (failures) => {
    const { board, openFiles } = newBoard(undefined, OFFSETS, INPUTS, [0, 1]);
    await board.open(listener);
    expect(openFiles()).toBe(4);
    kernel.failingEnds = failures;
    await board.close();
    expect(openFiles()).toBe(0);
    kernel.failingEnds = 0;
    await newBoard(undefined, OFFSETS, INPUTS, [0, 1]).board.open(listener);
  });

  test('finds its chip by the label, whatever its number', async () => {
    const expander: FakeChip = { path: '/dev/gpiochip0', label: 'mcp23017', pulls: ['low', 'low'] };
    kernel = newKernel([expander, { ...HEADER, path: '/dev/gpiochip4', label: 'pinctrl-rp1' }]);
    const { board: header } = newBoard(undefined);
    await header.open(listener);
    await drive(header, 1, 'high');
    expect(kernel.edges.at(-1)).toMatchObject({ label: 'pinctrl-rp1', offset: 26 });
    const { board: other } = newBoard('mcp23017', [1]);
    await other.open(listener);
    await drive(other, 0, 'high');
    expect(kernel.edges.at(-1)).toMatchObject({ label: 'mcp23017', offset: 1 });
  });

  test('is for one process at a time, and names who holds the lines', async () => {
    const first = newBoard(undefined);
    await first.board.open(listener);
    await expect(newBoard(undefined, [4, 26]).board.open(listener)).rejects.toMatchObject({
      code: 'board-busy',
      message: expect.stringContaining('line 26 by "relaygate"'),
    });
    await newBoard(undefined, [4, 17]).board.open(listener);
    first.kill();
    await newBoard(undefined).board.open(listener);
  });

  test('says of lines of /sys/class/gpio who holds them', async () => {
    kernel.hold(LABEL, 13, 'sysfs');
    await expect(newBoard(undefined).board.open(listener)).rejects.toThrow('line 13 by "sysfs"');
  });

  test('gives each input its resistor, and leaves the one of an input without as it was', async () => {
    const { board } = newBoard(undefined, OFFSETS, INPUTS);
    await board.open(listener);
    const levels = await Promise.all(INPUTS.map((_input, n) => board.readInput(n)));
    // BCM 4 is pulled up at reset, 17 and 22 down.
    expect(levels).toEqual((['low', 'high', 'low'] as const).map((level) => ({ kind: 'read', level })));
    expect(kernel.edges.filter(({ offset }) => OFFSETS.includes(offset))).toEqual([]);
  });

  test('whose input another program has touches no line, and leaves no file open', async () => {
    kernel.hold(LABEL, 22, 'button');
    kernel.leaveDriven(LABEL, 26, 'high');
    const { board, openFiles } = newBoard(undefined, OFFSETS, INPUTS);
    await expect(board.open(listener)).rejects.toThrow('line 22 by "button"');
    expect(openFiles()).toBe(0);
    expect(kernel.levelOf(LABEL, 26)).toBe('high');
  });

  test('whose line another program has lets go of its inputs', async () => {
    kernel.hold(LABEL, 26, 'button');
    const { board, openFiles } = newBoard(undefined, OFFSETS, INPUTS);
    await expect(board.open(listener)).rejects.toThrow('line 26 by "button"');
    expect(openFiles()).toBe(0);
  });

  test('is lost when a look at an input finds its chip unplugged, and reads again once it is back', async () => {
    const { board, openFiles } = newBoard(undefined, OFFSETS, INPUTS);
    await board.open(listener);
    kernel.unplug(LABEL);
    const reading = board.readInput(0);
    // Whoever looks is not told in the midst of it.
    expect(lost).toEqual([]);
    expect((await reading).kind).toBe('failed');
    expect(lost).toHaveLength(1);
    expect(openFiles()).toBe(0);
    kernel.plugIn(LABEL);
    await clock.advance(1_000);
    expect(await board.readInput(1)).toEqual({ kind: 'read', level: 'high' });
  });

  describe('that watches inputs', () => {
    const told: InputEdge[] = [];
    const hearing = { ...listener, edges: (edges: readonly InputEdge[]) => void told.push(...edges) };
    const watched = [1, 2];
    beforeEach(() => {
      told.length = 0;
    });

    test('has a file for each of them beside those for its lines and its other inputs, and closes all', async () => {
      const { board, openFiles } = newBoard(undefined, OFFSETS, INPUTS, watched);
      await board.open(hearing);
      expect(openFiles()).toBe(4);
      await board.close();
      expect(openFiles()).toBe(0);
    });

    test('gives them their resistors as well', async () => {
      const { board } = newBoard(undefined, OFFSETS, INPUTS, [0, 1, 2]);
      await board.open(hearing);
      const levels = await Promise.all(INPUTS.map((_input, n) => board.readInput(n)));
      expect(levels).toEqual((['low', 'high', 'low'] as const).map((level) => ({ kind: 'read', level })));
    });

    test("tells the kernel's times, however late the guard comes to read them", async () => {
      const { board } = newBoard(undefined, OFFSETS, INPUTS, watched);
      await board.open(hearing);
      kernel.connect(LABEL, 17, 'low');
      const firstMs = clock.nowMs();
      clock.holdUp(7.25);
      kernel.connect(LABEL, 17, 'high');
      const secondMs = clock.nowMs();
      clock.holdUp(3_000);
      expect(told).toEqual([]);
      await settled();
      await settled();
      expect(told).toEqual([
        { input: 1, level: 'low', atMs: firstMs },
        { input: 1, level: 'high', atMs: secondMs },
      ]);
    });

    test('loses after a long stall the oldest edges of what flapped, none of others, and tells how it is now', async () => {
      const { board } = newBoard(undefined, OFFSETS, INPUTS, watched);
      await board.open(hearing);
      kernel.connect(LABEL, 22, 'high');
      for (let n = 0; n < 10_000; n += 1) {
        clock.holdUp(1);
        kernel.connect(LABEL, 17, n % 2 === 0 ? 'low' : 'high');
      }
      kernel.connect(LABEL, 22, 'low');
      kernel.connect(LABEL, 17, 'low');
      for (let turn = 0; turn < 100; turn += 1) await settled();
      expect(told.filter(({ input }) => input === 2).map(({ level }) => level)).toEqual(['high', 'low']);
      const flaps = told.filter(({ input }) => input === 1);
      expect(flaps).toHaveLength(256);
      expect(flaps.at(-1)).toEqual({ input: 1, level: 'low', atMs: clock.nowMs() });
    });

    test('takes orders between the edges of one that flaps', async () => {
      const { board } = newBoard(undefined, OFFSETS, INPUTS, watched);
      await board.open(hearing);
      for (let n = 0; n < 200; n += 1) kernel.connect(LABEL, 17, n % 2 === 0 ? 'low' : 'high');
      await settled();
      expect(await drive(board, 1, 'high')).toMatchObject({ kind: 'driven' });
      expect(told.length).toBeLessThan(50);
      for (let turn = 0; turn < 100; turn += 1) await settled();
      expect(told).toHaveLength(200);
    });

    test('is lost as soon as the kernel says that its chip has gone, and once', async () => {
      const { board, openFiles } = newBoard(undefined, OFFSETS, INPUTS, watched);
      await board.open(hearing);
      kernel.unplug(LABEL);
      await settled();
      await settled();
      expect(lost).toHaveLength(1);
      expect(openFiles()).toBe(0);
      kernel.plugIn(LABEL);
      await clock.advance(1_000);
      expect(back).toHaveLength(1);
      expect(openFiles()).toBe(4);
    });

    test('whose input another program has leaves no file open', async () => {
      kernel.hold(LABEL, 22, 'button');
      const { board, openFiles } = newBoard(undefined, OFFSETS, INPUTS, watched);
      await expect(board.open(hearing)).rejects.toThrow('line 22 by "button"');
      expect(openFiles()).toBe(0);
    });

    test.each(['ENODEV', 'ENXIO'])('says of a chip without interrupts what to do (%s)', async (code) => {
      kernel.refusalOfEdges = code;
      const { board, openFiles } = newBoard(undefined, OFFSETS, INPUTS, watched);
      await expect(board.open(hearing)).rejects.toMatchObject({
        code: 'board-unusable',
        message: expect.stringMatching(/inputs of .*"pinctrl-bcm2835" cannot say when they change.*with interrupts/),
      });
      expect(openFiles()).toBe(0);
    });

    test('leaves no file open where waiting for edges is not possible', async () => {
      const { kernel: working, openFiles } = kernel.newProcess();
      const watch = () => {
        throw new Error('no epoll');
      };
      const options = { kernel: { ...working, watch }, clock, chip: undefined, offsets: OFFSETS, inputs: INPUTS };
      await expect(new GpioBoard({ ...options, watched }).open(hearing)).rejects.toThrow('no epoll');
      expect(openFiles()).toBe(0);
    });
  });

  test('leaves no file open when it cannot be opened', async () => {
    kernel.hold(LABEL, 13, 'sysfs');
    const { board, openFiles } = newBoard(undefined);
    await expect(board.open(listener)).rejects.toThrow();
    expect(openFiles()).toBe(0);
  });

  test.each<[string, FakeChip[], string | undefined, number[], RegExp]>([
    ['no GPIO at all', [], undefined, [5], /no \/dev\/gpiochip.*"gpio-sysfs"/],
    ['no chip of a Raspberry Pi', [{ ...HEADER, label: 'other' }], undefined, [5], /set board\.chip.*"other"/],
    ['no chip of this label', [HEADER], 'pinctrl-rp1', [5], /labelled "pinctrl-rp1".*"pinctrl-bcm2835"/],
    ['two chips of this label', [HEADER, { ...HEADER, path: '/dev/gpiochip1' }], LABEL, [5], /2 GPIO chips are/],
    ['no such line', [HEADER], LABEL, [5, 54], /lines 0 to 53, and no 54/],
  ])('with %s says what to do', async (_name, chips, chip, offsets, message) => {
    kernel = newKernel(chips);
    const opening = newBoard(chip, offsets).board.open(listener);
    await expect(opening).rejects.toMatchObject({ code: 'board-unusable', message: expect.stringMatching(message) });
  });

  test.each<[string, RegExp]>([
    ['EACCES', /not for this user.*group gpio/],
    ['EINVAL', /Linux 5\.10 or newer/],
    ['ENODEV', /not there.*cable/],
    ['EIO', /cannot be opened/],
  ])('with %s from the kernel says what to do', async (code, message) => {
    const refuse = (): never => {
      throw Object.assign(new Error(`${code}: refused`), { code });
    };
    const { kernel: working } = kernel.newProcess();
    const refusing = { ...working, ioctl: refuse };
    const board = new GpioBoard({ kernel: refusing, clock, chip: undefined, offsets: OFFSETS, inputs: [] });
    await expect(board.open(listener)).rejects.toMatchObject({
      code: 'board-unusable',
      message: expect.stringMatching(message),
    });
  });

  test('whose chip may not be opened says that, and not that there is none', async () => {
    kernel = newKernel([{ ...HEADER, label: 'other', path: '/dev/gpiochip1' }, HEADER]);
    const { kernel: working } = kernel.newProcess();
    const open = (path: string): number => {
      if (path === HEADER.path) throw Object.assign(new Error('EACCES'), { code: 'EACCES' });
      return working.open(path);
    };
    const options = { kernel: { ...working, open }, clock, chip: undefined, offsets: OFFSETS, inputs: [] };
    const board = new GpioBoard(options);
    await expect(board.open(listener)).rejects.toThrow(/gpiochip0 is not for this user/);
  });

  describe('on a kernel that releases the lines of who has ended', () => {
    const rests = [
      [0, 'high', 'low'],
      [0, 'low', 'high'],
      [1, 'high', 'low'],
      [1, 'low', 'high'],
    ] as const;
    beforeEach(() => {
      kernel = newKernel([HEADER], false);
    });

    test.each(rests)(
      'line %d, which rests %s, goes there when the guard is killed with it %s',
      async (line, inactiveLevel, on) => {
        const { board, kill } = newBoard(undefined);
        await board.open(listener);
        await board.drive({ line, level: inactiveLevel, inactiveLevel, notAfterMs: null });
        await board.drive({ line, level: on, inactiveLevel, notAfterMs: null });
        expect(levelAt(line)).toBe(on);
        kill();
        expect(isDriven(line)).toBe(false);
        expect(levelAt(line)).toBe(inactiveLevel);
      },
    );

    test('a line whose inactive level changes while it is held goes to the new one', async () => {
      const { board, kill } = newBoard(undefined);
      await board.open(listener);
      await board.drive({ line: 1, level: 'high', inactiveLevel: 'high', notAfterMs: null });
      await board.drive({ line: 1, level: 'low', inactiveLevel: 'low', notAfterMs: null });
      kill();
      expect(levelAt(1)).toBe('low');
    });

    test.each(['EINVAL', 'EOPNOTSUPP', 'errno 524'])(
      'drives a line whose chip has no resistors and says so (%s)',
      async (code) => {
        kernel.refusalOfBias = code;
        const { board } = newBoard(undefined);
        await board.open(listener);
        for (const line of [0, 1]) {
          for (const level of ['high', 'low', 'high'] as const) {
            const order = { line, level, inactiveLevel: 'low', notAfterMs: null } as const;
            expect(await board.drive(order)).toMatchObject({ kind: 'driven', readBack: level });
          }
        }
      },
    );
  });

  test('fails an order that the kernel refuses, and carries out the next', async () => {
    const { board } = newBoard(undefined);
    await board.open(listener);
    kernel.failure = 'EIO';
    expect(await drive(board, 0, 'low')).toMatchObject({ kind: 'failed', problem: { code: 'EIO' } });
    kernel.failure = null;
    expect(await drive(board, 0, 'low')).toMatchObject({ kind: 'driven', readBack: 'low' });
    expect(lost).toEqual([]);
  });

  test('is lost when its chip is unplugged, looks for it, and works again once it is back', async () => {
    const { board, openFiles } = newBoard(undefined);
    await board.open(listener);
    await drive(board, 1, 'high');
    kernel.unplug(LABEL);
    expect((await drive(board, 1, 'low')).kind).toBe('failed');
    expect(lost).toHaveLength(1);
    expect((await drive(board, 1, 'low')).kind).toBe('failed');
    expect(lost).toHaveLength(1);
    expect(openFiles()).toBe(0);
    await clock.advance(5_000);
    expect(back).toEqual([]);
    kernel.plugIn(LABEL);
    await clock.advance(1_000);
    expect(back).toEqual([OFFSETS.map((offset) => kernel.levelOf(LABEL, offset))]);
    expect(kernel.isDriven(LABEL, 26)).toBe(false);
    expect(await drive(board, 1, 'high')).toMatchObject({ kind: 'driven', readBack: 'high' });
    expect(kernel.isDriven(LABEL, 26)).toBe(true);
  });

  test('is not looked for any more once it is closed', async () => {
    const { board, openFiles } = newBoard(undefined);
    await board.open(listener);
    kernel.unplug(LABEL);
    await drive(board, 1, 'high');
    await board.close();
    kernel.plugIn(LABEL);
    await clock.advance(5_000);
    expect(openFiles()).toBe(0);
    expect(back).toEqual([]);
  });
});
