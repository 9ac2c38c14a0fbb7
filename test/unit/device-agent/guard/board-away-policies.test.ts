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

  /** After a power cut; the result is when. */
  async function bootsWithoutBoard(): Promise<number> {
    const { clock, files } = world;
    const board = new FakeBoard(clock, 2);
    board.unplug();
    world = await startGuard(outputs, { clock, files, board } as World, 'boot-2');
    return clock.nowMs();
  }

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
