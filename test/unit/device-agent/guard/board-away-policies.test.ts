/** Each output policy, and a board that goes away and comes back. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { OutputSettings } from '@relaygate/shared/device';
import { FakeBoard } from '../../../support/device/fake-board';
import { textsOf } from '../../../support/device/fault-texts';
import {
  command,
  IMPULSE,
  OFF,
  ON,
  ON_OFF,
  PULSE,
  RESTORED,
  startGuard,
  type World,
} from '../../../support/device/guard-in-memory';
import { settled } from '../../../support/time/virtual-clock';

let world: World;
const states = () => world.guard.view().outputs.map(({ state }) => state);
const execute = (numOutput: number, order: typeof ON | typeof OFF | typeof PULSE) =>
  world.guard.execute(command(world, numOutput, order));
const edgesSince = (sinceMs: number): [number, string, number][] =>
  world.board.edges.filter(({ atMs }) => atMs >= sinceMs).map(({ line, level, atMs }) => [line, level, atMs - sinceMs]);
/** A guard whose first orders are long ago. */
async function started(outputs: OutputSettings[]): Promise<void> {
  world = await startGuard(outputs);
  await world.clock.advance(10_000);
}
/** Comes back after that time; the result is when. */
async function awayFor(ms: number): Promise<number> {
  world.board.unplug();
  await world.clock.advance(ms);
  world.board.plug();
  await settled();
  return world.clock.nowMs();
}

describe('outputs that exclude each other, and their board is away', () => {
  const up: OutputSettings = { ...RESTORED, interlock: 'motor', interlockDelayMs: 300 };
  const down: OutputSettings = { ...ON_OFF, interlock: 'motor', interlockDelayMs: 300 };
  const gate: OutputSettings = { ...IMPULSE, interlock: 'motor', interlockDelayMs: 300 };

  beforeEach(() => started([up, down, gate]));

  test('none goes on, for nobody knows which is', async () => {
    world.board.unplug();
    const before = world.board.edges.length;
    for (const numOutput of [0, 1]) expect(await execute(numOutput, ON)).toMatchObject({ reason: 'board-away' });
    expect(await execute(2, PULSE)).toMatchObject({ reason: 'board-away' });
    expect(world.board.edges).toHaveLength(before);
  });

  test('the one that comes back on waits for the others to be off for the delay', async () => {
    await execute(0, ON);
    world.board.unplug();
    // By hand, at the board.
    world.board.levels.splice(0, 3, 'low', 'high', 'high');
    const backMs = await awayFor(1_000);
    await world.clock.advance(5_000);
    expect(edgesSince(backMs)).toEqual([
      [1, 'low', 0],
      [2, 'low', 0],
      [0, 'high', 300],
    ]);
  });

  test.each([1, 2])('output %i cannot overtake the one that is about to come back', async (other) => {
    await execute(0, ON);
    const backMs = await awayFor(1_000);
    const reply = world.guard.execute(command(world, other, ON, { startBeforeMs: backMs + 4_500 }));
    await world.clock.advance(4_000);
    expect(await reply).toMatchObject({ outcome: 'executed' });
    const [off, on] = edgesSince(backMs);
    expect(off).toMatchObject([0, 'low', 300]);
    expect(on).toMatchObject([other, 'high', 600]);
  });

  test('the one that is about to come back stays off once it is told to', async () => {
    await execute(0, ON);
    world.board.unplug();
    world.board.levels[0] = 'low';
    const backMs = await awayFor(1_000);
    await world.clock.advance(100);
    expect(await execute(0, OFF)).toMatchObject({ outcome: 'already-set' });
    await world.clock.advance(5_000);
    expect(edgesSince(backMs)).toEqual([]);
    expect(states()[0]).toBe(0);
  });

  test('one that went off for another stays off, for the other may have been on', async () => {
    await execute(0, ON);
    const reply = execute(1, ON);
    await world.clock.advance(100);
    world.board.unplug();
    expect(await reply).toMatchObject({ outcome: 'refused', reason: 'interlock-broken' });
    const backMs = await awayFor(1_000);
    await world.clock.advance(5_000);
    expect(edgesSince(backMs)).toEqual([]);
    expect(states()).toEqual([0, 0, 0]);
  });

  test('a pulse that ran is ended, not gone on with, and the others wait for that', async () => {
    await execute(2, PULSE);
    const backMs = await awayFor(100);
    const reply = world.guard.execute(command(world, 1, ON));
    await world.clock.advance(5_000);
    expect(await reply).toMatchObject({ outcome: 'executed' });
    expect(edgesSince(backMs)).toEqual([
      [2, 'low', 0],
      [1, 'high', 300],
    ]);
  });

  test('that goes again while one waits for its delay brings that one back all the same', async () => {
    await execute(0, ON);
    world.board.unplug();
    world.board.levels[0] = 'low';
    await awayFor(100);
    await world.clock.advance(100);
    const backMs = await awayFor(100);
    await world.clock.advance(5_000);
    expect(edgesSince(backMs)).toEqual([[0, 'high', 300]]);
  });

  test('one whose relay does not go off at its return keeps the others off', async () => {
    await execute(1, ON);
    world.board.unplug();
    world.board.answer = ({ line }) => (line === 1 ? { kind: 'failed', problem: 'no power' } : null);
    world.board.plug();
    await settled();
    expect(await execute(0, ON)).toMatchObject({ reason: 'interlocked' });
    expect(textsOf(world.guard.view().faults)).toEqual([expect.stringMatching(/Output 1 .* cannot be switched off/)]);
  });
});

describe('maxOnMs, and a board that is away', () => {
  beforeEach(async () => {
    await started([{ ...RESTORED, maxOnMs: 60_000 }, ON_OFF]);
    await execute(0, ON);
  });

  test('counts on: the output comes back for what is left of its time', async () => {
    const onMs = world.clock.nowMs();
    await world.clock.advance(10_000);
    await awayFor(20_000);
    expect(states()[0]).toBe(1);
    await world.clock.advance(29_999);
    expect(states()[0]).toBe(1);
    await world.clock.advance(1);
    expect(world.guard.view().outputs[0]).toMatchObject({ state: 0, endedBy: 'max-on' });
    expect(edgesSince(onMs)).toEqual([
      [0, 'high', 0],
      [0, 'low', 60_000],
    ]);
  });

  test('keeps an output off whose time is over when the board is back, also after a restart', async () => {
    const backMs = await awayFor(60_000);
    await world.clock.advance(1_000);
    expect(edgesSince(backMs)).toEqual([[0, 'low', 0]]);
    expect(world.guard.view().outputs[0]).toMatchObject({ state: 0, endedBy: 'max-on' });
    const { clock, files } = world;
    world = await startGuard([RESTORED, ON_OFF], { clock, files, board: new FakeBoard(clock, 2) } as World, 'boot-2');
    expect(states()[0]).toBe(0);
  });

  test('counts on over a guard that is killed while the board is away', async () => {
    await world.clock.advance(10_000);
    world.board.unplug();
    await world.clock.advance(20_000);
    const { clock, files } = world;
    const board = new FakeBoard(clock, 2);
    const onMs = clock.nowMs() - 30_000;
    world = await startGuard([{ ...RESTORED, maxOnMs: 60_000 }, ON_OFF], { clock, files, board } as World);
    expect(states()[0]).toBe(1);
    await clock.advance(30_000);
    expect(board.edges.at(-1)).toMatchObject({ line: 0, level: 'low', atMs: onMs + 60_000 });
  });

  test('counts on over a guard that starts without the board', async () => {
    await world.clock.advance(10_000);
    const { clock, files } = world;
    const board = new FakeBoard(clock, 2);
    board.unplug();
    world = await startGuard([{ ...RESTORED, maxOnMs: 60_000 }, ON_OFF], { clock, files, board } as World);
    await clock.advance(20_000);
    board.plug();
    await clock.advance(29_999);
    expect(states()[0]).toBe(1);
    await clock.advance(1);
    expect(states()[0]).toBe(0);
  });

  test('begins anew for a command after that', async () => {
    await awayFor(60_000);
    await execute(0, ON);
    await world.clock.advance(59_999);
    expect(states()[0]).toBe(1);
  });
});

describe('a loss of link or agent, and a board that is away', () => {
  const outputs: OutputSettings[] = [
    { ...RESTORED, onLinkLoss: 'off', linkLossMs: 5_000 },
    { ...RESTORED, onAgentLoss: 'off', agentLossMs: 5_000 },
  ];

  beforeEach(async () => {
    await started(outputs);
    world.guard.agentIsThere(true);
    for (const numOutput of [0, 1]) await execute(numOutput, ON);
  });

  async function heardFor(ms: number, linkIsUp: boolean): Promise<void> {
    for (let passedMs = 0; passedMs < ms; passedMs += 1_000) {
      world.guard.agentIsThere(linkIsUp);
      await world.clock.advance(1_000);
    }
  }

  /** After a power cut; the result is when. */
  async function bootsWithoutBoard(): Promise<number> {
    const { clock, files } = world;
    const board = new FakeBoard(clock, 2);
    board.unplug();
    world = await startGuard(outputs, { clock, files, board } as World, 'boot-2');
    return clock.nowMs();
  }

  test('keeps off what it would have switched off, also when the loss is over by then', async () => {
    world.board.unplug();
    await world.clock.advance(6_000);
    world.guard.agentIsThere(true);
    world.board.plug();
    await settled();
    expect(world.guard.view().outputs).toMatchObject([
      { state: 0, endedBy: 'link-loss' },
      { state: 0, endedBy: 'agent-loss' },
    ]);
  });

  test('counts from a start that waits for the board: what is to be restored has what is left of its time', async () => {
    const startMs = await bootsWithoutBoard();
    await awayFor(4_000);
    expect(states()).toEqual([1, 1]);
    await world.clock.advance(1_000);
    expect(edgesSince(startMs)).toEqual([
      [0, 'high', 4_000],
      [1, 'high', 4_000],
      [0, 'low', 5_000],
      [1, 'low', 5_000],
    ]);
  });

  test('keeps off what a start could not restore for all of its time', async () => {
    const startMs = await bootsWithoutBoard();
    await awayFor(5_000);
    await world.clock.advance(5_000);
    expect(edgesSince(startMs).filter(([, level]) => level === 'high')).toEqual([]);
    expect(world.guard.view().outputs).toMatchObject([{ endedBy: 'link-loss' }, { endedBy: 'agent-loss' }]);
  });

  test('lets the others come back', async () => {
    world.board.unplug();
    await heardFor(8_000, false);
    world.board.plug();
    await settled();
    expect(states()).toEqual([0, 1]);
  });
});

describe('a feedback input, and a board that is away', () => {
  const shown: OutputSettings = { ...RESTORED, feedbackInput: 0, feedbackMs: 1_000, interlock: 'motor' };
  const other: OutputSettings = { ...ON_OFF, interlock: 'motor', interlockDelayMs: 0 };
  beforeEach(async () => {
    await started([shown, other]);
    world.board.inputLevel = () => world.board.levels[0] ?? null;
  });

  test('answers at once whoever waits for what it shows', async () => {
    world.board.inputLevel = () => 'low';
    const reply = execute(0, ON);
    await world.clock.advance(100);
    world.board.unplug();
    await settled();
    expect(await reply).toMatchObject({ outcome: 'unproven', reason: 'feedback-missing' });
  });

  test('is asked after the return, on or off', async () => {
    await execute(0, ON);
    world.board.unplug();
    world.board.inputLevel = () => 'low';
    world.board.plug();
    await world.clock.advance(3_000);
    expect(world.guard.view().outputs[0]).toMatchObject({ state: 1, unproven: true });
    world.board.inputLevel = () => world.board.levels[0] ?? null;
    await world.clock.advance(2_000);
    expect(world.guard.view().outputs[0]).not.toHaveProperty('unproven');
  });

  test('keeps the others of its interlock off while it shows a relay that came back off as on', async () => {
    await execute(0, ON);
    await execute(0, OFF);
    world.board.unplug();
    world.board.inputLevel = () => 'high';
    world.board.plug();
    await world.clock.advance(3_000);
    expect(states()).toEqual([0, 0]);
    expect(await execute(1, ON)).toMatchObject({ reason: 'interlocked' });
  });
});

describe('minSwitchIntervalMs, and a board that is away', () => {
  beforeEach(async () => {
    await started([
      { ...ON_OFF, minSwitchIntervalMs: 60_000 },
      { ...RESTORED, minSwitchIntervalMs: 60_000 },
    ]);
    await world.clock.advance(60_000);
    for (const numOutput of [0, 1]) await execute(numOutput, ON);
  });

  test('counts from the return for what is off then: when its relay fell nobody knows', async () => {
    await awayFor(61_000);
    expect(await execute(0, ON)).toMatchObject({ reason: 'switched-too-soon' });
    await world.clock.advance(60_000);
    expect(await execute(0, ON)).toMatchObject({ outcome: 'executed' });
  });

  test('does not hold up what is restored, as at a start', async () => {
    await awayFor(100);
    expect(states()).toEqual([0, 1]);
  });
});

describe('what only a new boot switches on', () => {
  test('stays off when the board comes back', async () => {
    await started([{ ...ON_OFF, powerOn: 'on' }, ON_OFF]);
    expect(states()[0]).toBe(1);
    await awayFor(100);
    expect(states()[0]).toBe(0);
  });
});

describe('a pulse that is being made longer', () => {
  test('is over when its board has gone, and does not begin again', async () => {
    await started([{ ...IMPULSE, pulseMs: 1_000, retrigger: 'extend' }]);
    await execute(0, PULSE);
    await world.clock.advance(900);
    await execute(0, PULSE);
    world.board.levels[0] = 'low';
    const backMs = await awayFor(100);
    await world.clock.advance(5_000);
    expect(edgesSince(backMs)).toEqual([]);
    expect(states()).toEqual([0]);
  });
});
