/** The clicks by which a wiring is proven. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { SETTINGS_PATH } from '../../../../support/device/agent-in-memory';
import { outputsWith } from '../../../../support/device/device';
import { errorWith } from '../../../../support/device/error-with';
import { off, ProvingDevice } from './proving-device';

const FAILED = { kind: 'failed', problem: 'gone' } as const;
const OTHER_PULSE = { commandId: 'x', command: { action: 'pulse' }, epoch: null, by: 'another agent' } as const;

let world: ProvingDevice;
const highs = () => world.device.board.edges.filter(({ level }) => level === 'high');

async function withButton(does: object): Promise<{ gate: ProvingDevice; press(): Promise<void> }> {
  const inputs = [{ kind: 'button', numInput: 0, name: 'Exit', obeysLocks: false, ...does }];
  const gate = await ProvingDevice.started({ inputs }, (device) => {
    device.board.inputLevel = () => 'high';
  });
  const { device } = gate;
  const press = async (): Promise<void> => {
    device.board.turn(0, 'low');
    await device.passed(100);
    device.board.turn(0, 'high');
    await device.passed(700);
  };
  return { gate, press };
}

describe('a device that needs no proof', () => {
  beforeEach(async () => {
    world = await ProvingDevice.started({});
  });

  test('clicks an on-off output three times, by pulses that the guard ends, and sets it up as before', async () => {
    const before = world.guard.view().outputs[0]?.settings;
    expect(await world.clicked(0)).toBe('clicked');
    const own = world.device.board.edges.filter(({ line }) => line === 0);
    expect(own.map(({ level }) => level)).toEqual(['high', 'low', 'high', 'low', 'high', 'low']);
    for (const [n, edge] of own.entries())
      if (edge.level === 'low') expect(edge.atMs - (own[n - 1]?.atMs ?? 0)).toBeLessThan(320);
    expect(world.guard.view().outputs[0]?.settings).toEqual(before);
    expect(world.device.onDisk().outputs[0]).toEqual(before);
  });

  test('refuses remote commands while it clicks: "on" would be a short pulse, and be confirmed (I3)', async () => {
    const click = world.device.localRequest('click', { numOutput: 0 });
    await world.device.passed(100);
    expect(await world.remote('c1')).toMatchObject({ outcome: 'refused', reason: 'not-proven' });
    await world.device.passed(5_000);
    await click;
    expect(await world.remote('c2')).toMatchObject({ outcome: 'executed', state: 1 });
  });

  test.each([
    ['set', { numOutput: 0, state: 1 }],
    ['set', { numOutput: 1, state: 0 }],
    ['pulse', { numOutput: 0 }],
  ])('refuses a local %s of %j while it clicks, and enters that', async (type, body) => {
    const click = world.device.localRequest('click', { numOutput: 0 });
    await world.device.passed(100);
    await expect(world.device.localRequest(type, body)).rejects.toMatchObject(errorWith('refused', 'being proven'));
    expect(await world.device.lastEntry()).toMatchObject({ outcome: 'refused', reason: 'not-proven' });
    await world.device.passed(5_000);
    await click;
    expect(highs()).toHaveLength(3);
    await world.device.localRequest('set', { numOutput: 0, state: 1 });
    expect(world.device.board.levels[0]).toBe('high');
  });

  test.each([
    ['pulse', 2, 2],
    ['toggle', 0, 0],
    ['pulse', 2, 1],
  ] as const)(
    'moves nothing by a button (%s of output %i) while output %i clicks, and enters that',
    async (action, output, clicking) => {
      const { gate, press } = await withButton({ output, action });
      const { device } = gate;
      const click = device.localRequest('click', { numOutput: clicking });
      // Between the first click and the second.
      await device.passed(400);
      await press();
      await device.passed(5_000);
      await click;
      const ons = (): number[] => device.board.edges.filter(({ level }) => level === 'high').map(({ line }) => line);
      expect(ons()).toEqual([clicking, clicking, clicking]);
      const entries = await device.historyEntries({ limit: 5 });
      expect(entries.filter(({ kind }) => kind === 'button')).toMatchObject([
        { actor: 'button Exit', numOutput: output, outcome: 'refused', reason: 'not-proven' },
      ]);
      await expect(gate.say(off(1))).rejects.toThrow('1 answers');
      await press();
      expect(ons().at(-1)).toBe(output);
      expect(ons()).toHaveLength(4);
    },
  );

  describe('with a button', () => {
    const outcomes = async ({ device }: ProvingDevice): Promise<unknown[]> =>
      (await device.historyEntries({ limit: 20 }))
        .filter(({ kind }) => kind === 'button')
        .map(({ outcome, reason }) => reason ?? outcome);

    test('moves nothing by it until the answers are there: its relay would be taken for the one that clicked', async () => {
      const { gate, press } = await withButton({ output: 2, action: 'pulse' });
      expect(await gate.clicked(1)).toBe('clicked');
      await press();
      // What is said of it does not matter.
      await expect(gate.say(off(1, 2, 3, 4))).rejects.toThrow();
      await press();
      expect(await outcomes(gate)).toEqual(['not-proven', 'executed']);
    });

    test('moves nothing by it for 10 s where nobody answers any more, and no longer', async () => {
      const { gate, press } = await withButton({ output: 2, action: 'pulse' });
      const click = gate.device.localRequest('click', { numOutput: 1 });
      await gate.device.passed(2_500);
      await click;
      await gate.device.passed(8_500);
      await press();
      await gate.device.passed(1_500);
      await press();
      expect(await outcomes(gate)).toEqual(['not-proven', 'executed']);
    });

    test('lets it press after a click that failed: nobody is asked about it', async () => {
      const { gate, press } = await withButton({ output: 2, action: 'pulse' });
      const click = gate.device.localRequest('click', { numOutput: 0 }).catch((error) => error);
      await gate.device.passed(600);
      await gate.guard.execute({ ...OTHER_PULSE, numOutput: 3, startBeforeMs: gate.device.clock.nowMs() + 1_000 });
      await gate.device.passed(2_000);
      expect(await click).toMatchObject({ code: expect.any(String) });
      await press();
      expect(await outcomes(gate)).toEqual(['executed']);
    });
  });

  test('lets an output of an interlock click only after its own delay behind the others: it may be the slow one (I14)', async () => {
    const { outputs } = world.device.onDisk();
    const slow = outputs.map((output: object, n: number) =>
      n < 2 ? { ...output, interlock: 'motor', interlockDelayMs: n === 0 ? 4_000 : 0 } : output,
    );
    const motor = await ProvingDevice.started({ outputs: slow });
    // The guard's start has switched them off.
    await motor.device.passed(4_000);
    const before = motor.device.localRequest('click', { numOutput: 1 });
    await motor.device.passed(2_600);
    await before;
    const click = motor.device.localRequest('click', { numOutput: 0 });
    await motor.device.passed(7_000);
    await click;
    const { edges } = motor.device.board;
    const offMs = edges.findLast(({ line, level }) => line === 1 && level === 'low')?.atMs ?? 0;
    const onMs = edges.find(({ line, level }) => line === 0 && level === 'high')?.atMs ?? 0;
    expect(onMs - offMs).toBeGreaterThanOrEqual(4_000);
  });

  test('clicks as shortly for a guard that has started anew between two clicks: it knows the long pulse of the settings', async () => {
    const { outputs } = world.device.onDisk();
    const long = outputs.map((output: object) => ({ ...output, mode: 'impulse', pulseMs: 20_000 }));
    const gate = await ProvingDevice.started({ outputs: long });
    gate.device.localRequest('click', { numOutput: 0 }).catch(() => {});
    await gate.device.passed(450);
    gate.device.killGuard();
    await gate.device.startGuard(5_000);
    const own = gate.device.board.edges.filter(({ line }) => line === 0);
    const lengths = own.flatMap(({ level, atMs }, n) => (level === 'low' ? [atMs - (own[n - 1]?.atMs ?? 0)] : []));
    expect(own.filter(({ level }) => level === 'high').length).toBeGreaterThan(1);
    expect(own.at(-1)?.level).toBe('low');
    expect(Math.max(...lengths)).toBeLessThan(320);
  });

  test('enters each click with what became of it', async () => {
    const last = () => world.device.lastEntry();
    await world.clicked(0);
    expect(await last()).toMatchObject({ kind: 'click', actor: 'a test', numOutput: 0, outcome: 'executed' });
    let orders = 0;
    world.device.board.answer = ({ level }) => {
      if (level === 'high') orders += 1;
      return orders === 2 ? { kind: 'failed', problem: 'gone' } : null;
    };
    await world.clicked(1);
    expect(await last()).toMatchObject({ kind: 'click', numOutput: 1, outcome: 'unproven', reason: 'board-failed' });
    world.device.board.answer = () => null;
    await world.device.passed(1_000);
    await world.device.localRequest('set', { numOutput: 3, state: 1 });
    await world.device.passed(100);
    await world.clicked(0);
    expect(await last()).toMatchObject({ kind: 'click', outcome: 'refused', reason: 'output-active' });
    world.device.killGuard();
    await world.device.passed(100);
    await world.clicked(0);
    expect(await last()).toMatchObject({ kind: 'click', outcome: 'refused', reason: 'guard-unreachable' });
  });

  test.each([
    ['dies between two clicks as unproven', () => world.device.killGuard(), 'unproven', 'unproven'],
    ['takes one and does not answer as unknown', () => (world.device.isGuardHung = true), 'unknown', 'outcome-unknown'],
  ])('enters the clicks of a guard that %s: it may have moved', async (_what, happen, outcome, code) => {
    const answer = world.device.localRequest('click', { numOutput: 0 }).catch((error) => error);
    await world.device.passed(600);
    happen();
    await world.device.passed(15_000);
    expect(await answer).toMatchObject({ code });
    expect(await world.device.lastEntry()).toMatchObject({ kind: 'click', outcome });
  });

  test.each([
    ['board fails', () => (world.device.board.answer = ({ level }) => (level === 'low' ? FAILED : null))],
    ['guard dies', () => world.device.killGuard()],
  ])(
    'counts no relay as clicked whose %s in its last pulse: while it is on, its polarity seems wrong',
    async (_what, happen) => {
      const answer = world.device.localRequest('click', { numOutput: 0 }).catch((error) => error);
      while (highs().length < 3) await world.device.passed(10);
      happen();
      await world.device.passed(14_000);
      expect(await answer).toMatchObject(errorWith('unproven', 'may be on still'));
      expect(await world.device.lastEntry()).toMatchObject({ kind: 'click', numOutput: 0, outcome: 'unproven' });
      const answers = [{ relay: 1, isOn: true }, ...off(2, 3, 4)];
      await expect(world.say(answers)).rejects.toThrow('Outputs 0, 1, 2, 3');
    },
  );

  test('counts a relay as clicked whose board was away for a moment in its last pulse, and has put it off since', async () => {
    const { board } = world.device;
    let isAnswered = false;
    const answer = world.device.localRequest('click', { numOutput: 0 }).finally(() => (isAnswered = true));
    while (highs().length < 3) await world.device.passed(10);
    board.answer = ({ level }) => (level === 'low' ? FAILED : null);
    await world.device.passed(1_500);
    expect(board.levels[0]).toBe('high');
    expect(isAnswered).toBe(false);
    board.answer = () => null;
    await world.device.passed(8_000);
    await answer;
    expect(board.levels[0]).toBe('low');
  });

  test('refuses a second click at once, which would come when nobody watches it', async () => {
    const click = world.device.localRequest('click', { numOutput: 0 });
    await world.device.passed(100);
    await expect(world.device.localRequest('click', { numOutput: 1 })).rejects.toMatchObject({ code: 'refused' });
    await world.device.passed(5_000);
    await click;
    expect(world.device.board.edges.filter(({ line }) => line === 1)).toEqual([]);
    expect(await world.clicked(1)).toBe('clicked');
  });

  test.each([
    ['click', { numOutput: 0 }],
    ['output', { numOutput: 0, change: { pulseMs: 700 }, force: false }],
  ])('does not begin what its asker has given up by its turn: %s', async (type, body) => {
    const before = world.device.onDisk().outputs[0];
    const release = world.device.files.hold(SETTINGS_PATH);
    const slow = world.device.changeOutput(3, { pulseMs: 600 });
    await world.device.passed(100);
    const late = world.device.localRequest(type, body).catch((error) => error);
    await world.device.passed(10_000);
    release();
    await world.device.passed(5_000);
    await slow;
    expect(await late).toMatchObject(errorWith('refused', 'not begun'));
    expect(world.device.board.edges).toEqual([]);
    expect(world.device.onDisk().outputs[0]).toEqual(before);
  });

  test('waits for pulses that end late, and gives the output its settings back after the last one (I3)', async () => {
    const { board, clock } = world.device;
    const before = world.guard.view().outputs[0]?.settings;
    board.answer = (order) => {
      if (order.level === 'high') return null;
      return new Promise((resolve) => void clock.after(600, () => resolve(board.move(order))));
    };
    const answer = world.device.localRequest('click', { numOutput: 0 });
    await world.device.passed(10_000);
    await answer;
    expect(board.edges.map(({ level }) => level)).toEqual(['high', 'low', 'high', 'low', 'high', 'low']);
    expect(world.guard.view().outputs[0]?.settings).toEqual(before);
  });

  test('counts no click that was no edge of its own', async () => {
    const answer = world.device.localRequest('click', { numOutput: 0 }).catch((error) => error);
    await world.device.passed(600);
    await world.guard.execute({ ...OTHER_PULSE, numOutput: 0, startBeforeMs: world.device.clock.nowMs() + 1_000 });
    await world.device.passed(5_000);
    await answer;
    expect(highs()).toHaveLength(4);
    expect(world.guard.view().outputs[0]?.settings.mode).toBe('on-off');
  });

  test.each([
    ['first', 0, 'refused', 'output-active', 0],
    ['second', 680, 'unproven', 'unproven', 1],
  ])('counts no %s click that found the pulse of another command running', async (_n, atMs, outcome, code, before) => {
    const { board, clock } = world.device;
    const other = async (): Promise<void> => {
      // When the agent looks, the board has the order in hand.
      board.answer = (order) => new Promise((resolve) => void clock.after(50, () => resolve(board.move(order))));
      void world.guard.execute({ ...OTHER_PULSE, numOutput: 2, startBeforeMs: clock.nowMs() + 1_000 });
    };
    if (atMs === 0) await other();
    const answer = world.device.localRequest('click', { numOutput: 2 }).catch((error) => error);
    await world.device.passed(atMs);
    expect(highs()).toHaveLength(before);
    if (atMs > 0) await other();
    await world.device.passed(5_000);
    expect(await answer).toMatchObject({ code, message: expect.stringContaining('pulse') });
    expect(await world.device.lastEntry()).toMatchObject({ kind: 'click', outcome, reason: 'output-active' });
    expect(highs()).toHaveLength(before + 1);
  });

  test('gives an output its settings back when the agent dies in the middle', async () => {
    const before = world.guard.view().outputs[0]?.settings;
    void world.device.localRequest('click', { numOutput: 0 }).catch(() => {});
    await world.device.passed(100);
    expect(world.guard.view().outputs[0]?.settings.mode).toBe('impulse');
    world.device.stopAgent();
    await world.device.passed(1_000);
    expect(world.device.board.levels[0]).toBe('low');
    await world.device.startAgent(1_000);
    expect(world.guard.view().outputs[0]?.settings).toEqual(before);
  });

  test('lets no command in by way of a guard that hung at the last click, before its settings have been seen (I3)', async () => {
    const { device } = world;
    const click = device.localRequest('click', { numOutput: 0 });
    while (highs().length < 3) await device.passed(10);
    await device.passed(350);
    device.isGuardHung = device.isGuardDeaf = true;
    await device.passed(10_000);
    expect(await click).toMatchObject({});
    // It is back, and has not answered yet.
    device.isGuardDeaf = false;
    await device.passed(2_500);
    expect(world.guard.view().outputs[0]?.settings.mode).toBe('impulse');
    expect(await world.remote('c1')).toMatchObject({ outcome: 'refused', reason: 'guard-unreachable' });
    expect(highs()).toHaveLength(3);
    // Nobody is kept from ending a pulse: the guard is asked, and hangs.
    const stopped = device.localRequest('stop', { numOutput: 0, pulseSinceMs: null }).catch((error: unknown) => error);
    await device.passed(100);
    device.isGuardHung = false;
    await device.passed(5_000);
    expect(await stopped).toMatchObject({ code: 'outcome-unknown' });
    expect(await world.remote('c2')).toMatchObject({ outcome: 'executed', state: 1 });
    await device.passed(1_000);
    expect(device.board.levels[0]).toBe('high');
  });

  describe('whose board fails at a click', () => {
    const START = { outputs: outputsWith({ 0: { minSwitchIntervalMs: 2_000 } }) };
    const own = () => world.device.onDisk().outputs[0];
    const inForce = () => world.guard.view().outputs[0]?.settings;
    let click: Promise<unknown>;

    /** The relay goes on, the guard hears that it has not, and `low` becomes of the orders that end it. */
    async function failedClick(low: typeof world.device.board.answer): Promise<void> {
      const { board } = world.device;
      board.answer = (order) => {
        if (order.level === 'low') return low(order);
        board.move(order);
        return FAILED;
      };
      click = world.device.localRequest('click', { numOutput: 0 }).catch((error) => error);
      while (highs().length === 0) await world.device.passed(10);
    }

    beforeEach(async () => {
      world = await ProvingDevice.started(START);
    });

    test('lets no command in before the output has its own settings back, which a slow board delays (I3, I14)', async () => {
      const { device } = world;
      await failedClick(
        (order) => new Promise((resolve) => void device.clock.after(600, () => resolve(device.board.move(order)))),
      );
      await device.passed(100);
      const set = device.localRequest('set', { numOutput: 0, state: 1 }).catch((error) => error);
      expect(await world.remote('c1')).toMatchObject({ outcome: 'refused', reason: 'not-proven' });
      await device.passed(500);
      expect(await set).toMatchObject(errorWith('refused', 'being proven'));
      expect(inForce()).toEqual(own());
      expect(await click).toMatchObject(errorWith('refused', 'board did not do it'));
      expect(highs()).toHaveLength(1);
      device.board.answer = () => null;
      await expect(device.localRequest('set', { numOutput: 0, state: 1 })).rejects.toThrow('less than 2000 ms ago');
    });

    test('holds up only the output itself where that takes longer, and gives it its settings as soon as it can', async () => {
      const { device } = world;
      await failedClick(() => FAILED);
      device.board.answer = ({ line }) => (line === 0 ? FAILED : null);
      await device.passed(3_000);
      expect(await click).toMatchObject(errorWith('refused', 'board did not do it'));
      expect(inForce()).not.toEqual(own());
      await expect(device.localRequest('set', { numOutput: 0, state: 1 })).rejects.toMatchObject(
        errorWith('refused', 'not got its settings back'),
      );
      expect(await world.remote('c1')).toMatchObject({ outcome: 'refused', reason: 'guard-refused' });
      expect(await world.remote('c2', 1)).toMatchObject({ outcome: 'executed', state: 1 });
      device.board.answer = () => null;
      await device.passed(1_500);
      expect(inForce()).toEqual(own());
      await device.passed(2_000);
      expect(await world.remote('c3')).toMatchObject({ outcome: 'executed', state: 1 });
      await device.passed(1_000);
      expect(device.board.levels[0]).toBe('high');
    });

    test('lets no command in by the next agent either', async () => {
      const { device } = world;
      await failedClick(() => FAILED);
      device.stopAgent();
      await device.passed(1_000);
      await device.startAgent(500);
      await expect(device.localRequest('set', { numOutput: 0, state: 1 })).rejects.toThrow('not got its settings back');
      device.board.answer = () => null;
      await device.passed(1_500);
      expect(inForce()).toEqual(own());
    });

    test('clicks nothing else while it may be on: nobody would hear which one clicks', async () => {
      await failedClick(() => FAILED);
      await world.device.passed(3_000);
      expect(await world.clicked(1)).toMatchObject(errorWith('output-active', 'Output 0 may be on'));
      expect(world.device.board.edges.filter(({ line }) => line === 1)).toEqual([]);
    });
  });

  test('does not click while an output is on', async () => {
    await world.device.localRequest('set', { numOutput: 1, state: 1 });
    await world.device.passed(100);
    expect(await world.clicked(0)).toMatchObject(errorWith('output-active', 'Output 1'));
    expect(world.device.board.edges.filter(({ line }) => line === 0)).toEqual([]);
  });
});
