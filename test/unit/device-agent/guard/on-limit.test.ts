import { describe, expect, test } from '@jest/globals';
import { openGuard } from '@relaygate/device-agent/guard/open-guard';
import type { OutputSettings } from '@relaygate/shared/device';
import { FakeBoard } from '../../../support/device/fake-board';
import { textsOf } from '../../../support/device/fault-texts';
import {
  command,
  IMPULSE,
  JOURNAL,
  OFF,
  ON,
  ON_OFF,
  portsOf,
  STATE,
  startGuard,
  type World,
} from '../../../support/device/guard-in-memory';
import { MemoryFiles } from '../../../support/device/memory-files';
import { settled, VirtualClock } from '../../../support/time/virtual-clock';

const CAPPED = { ...ON_OFF, maxOnMs: 3_000 };

/** A guard of this output, and what it says. */
async function logged(output: OutputSettings, prepare: (board: FakeBoard) => void = () => {}) {
  const lines: string[] = [];
  const clock = new VirtualClock();
  const inMemory = { clock, files: new MemoryFiles(), board: new FakeBoard(clock, 1) };
  const log = { info: (text: string) => void lines.push(text), warn: () => {} };
  prepare(inMemory.board);
  return { ...inMemory, lines, guard: await openGuard([output], { ...portsOf(inMemory), log }) };
}

describe('an output with maxOnMs', () => {
  test('goes off at its time, without an agent, and says so', async () => {
    const world = await startGuard([CAPPED]);
    const atMs = world.clock.nowMs();
    await world.guard.execute(command(world, 0, ON));
    await world.clock.advance(2_999);
    expect(world.guard.view().outputs[0]?.state).toBe(1);
    let changes = 0;
    world.guard.watch(() => (changes += 1));
    await world.clock.advance(1);
    expect(world.board.edges).toEqual([
      { line: 0, level: 'high', atMs },
      { line: 0, level: 'low', atMs: atMs + 3_000 },
    ]);
    expect(world.guard.view().outputs[0]?.state).toBe(0);
    expect(changes).toBeGreaterThan(0);
  });

  test('is not said to have been on where its time ends while it waits for its board', async () => {
    const { board, clock, guard, lines } = await logged({ ...CAPPED, powerOn: 'on' }, (before) => before.unplug());
    await clock.advance(5_000);
    board.plug();
    await clock.advance(1_000);
    expect(board.edges).toEqual([]);
    expect(guard.view().outputs[0]).toMatchObject({ state: 0, endedBy: 'max-on' });
    expect(lines.filter((line) => line.startsWith('output 0'))).toEqual(['output 0 goes off: max-on']);
  });

  test('tells which policy it was, once, until it is on again', async () => {
    const { lines, ...world } = await logged({ ...CAPPED, onAgentLoss: 'off', agentLossMs: 5_000 });
    await world.guard.execute(command(world, 0, ON));
    // Its answer decides: the order to switch off is out when the time is up.
    world.board.answer = (order) => {
      const result = world.board.move(order);
      return new Promise((resolve) => void world.clock.after(200, () => resolve(result)));
    };
    await world.clock.advance(2_900);
    void world.guard.execute(command(world, 0, OFF));
    await world.clock.advance(500);
    expect(world.guard.view().outputs[0]).toEqual({ settings: expect.anything(), state: 0 });
    world.board.answer = () => null;
    await world.guard.execute(command(world, 0, ON));
    await world.clock.advance(10_000);
    expect(world.guard.view().outputs[0]).toMatchObject({ state: 0, endedBy: 'max-on' });
    expect(lines.filter((line) => line.includes('goes off'))).toEqual(['output 0 goes off: max-on']);
    await world.guard.execute(command(world, 0, ON));
    expect(world.guard.view().outputs[0]).not.toHaveProperty('endedBy');
  });

  test('counts from its edge, not from commands that find it on', async () => {
    const world = await startGuard([CAPPED]);
    await world.guard.execute(command(world, 0, ON));
    await world.clock.advance(2_000);
    expect(await world.guard.execute(command(world, 0, ON))).toMatchObject({ outcome: 'already-set' });
    await world.clock.advance(1_000);
    expect(world.board.levels[0]).toBe('low');
  });

  test('has its whole time again after it was off', async () => {
    const world = await startGuard([CAPPED]);
    await world.guard.execute(command(world, 0, ON));
    await world.clock.advance(2_000);
    await world.guard.execute(command(world, 0, OFF));
    await world.guard.execute(command(world, 0, ON));
    await world.clock.advance(2_999);
    expect(world.board.levels[0]).toBe('high');
    await world.clock.advance(1);
    expect(world.board.levels[0]).toBe('low');
  });

  test('does not wait for the disk of a command that was about to switch it off, and refuses that one', async () => {
    const world = await startGuard([CAPPED]);
    await world.guard.execute(command(world, 0, ON));
    await world.clock.advance(2_900);
    world.files.slow.set(JOURNAL, new Promise(() => {}));
    const reply = world.guard.execute(command(world, 0, OFF));
    await world.clock.advance(100);
    expect(world.board.levels[0]).toBe('low');
    expect(await reply).toMatchObject({ outcome: 'refused', reason: 'policy-off' });
  });

  test('that is on when its limit is set goes off at once where that is over', async () => {
    const world = await startGuard([ON_OFF]);
    await world.guard.execute(command(world, 0, ON));
    await world.clock.advance(5_000);
    await world.guard.configure([{ numOutput: 0, settings: CAPPED }], false);
    await world.clock.advance(0);
    expect(world.board.levels[0]).toBe('low');
  });

  test('is not on again after a power cut when its time was up', async () => {
    const outputs = [{ ...CAPPED, powerOn: 'restore' as const }];
    const world = await startGuard(outputs);
    await world.guard.execute(command(world, 0, ON));
    world.files.slow.set(STATE, new Promise((resolve) => void world.clock.after(10_000, resolve)));
    await world.clock.advance(3_000);
    expect(world.board.levels[0]).toBe('low');
    await world.clock.advance(10_000);
    expect(JSON.parse(world.files.texts.get(STATE) ?? '').active['0']).toBe(false);
  });

  test('that powers on has its time too', async () => {
    const world = await startGuard([{ ...CAPPED, powerOn: 'on' }]);
    expect(world.board.levels[0]).toBe('high');
    await world.clock.advance(3_000);
    await settled();
    expect(world.board.levels[0]).toBe('low');
  });

  test('is tried again until the board does it', async () => {
    const world = await startGuard([CAPPED]);
    await world.guard.execute(command(world, 0, ON));
    world.board.answer = () => ({ kind: 'failed', problem: 'no power' });
    await world.clock.advance(3_500);
    expect(textsOf(world.guard.view().faults)).toHaveLength(1);
    world.board.answer = () => null;
    await world.clock.advance(100);
    expect(world.board.levels[0]).toBe('low');
  });
});

test('a pulse knows no maxOnMs: it has its own length', async () => {
  const world = await startGuard([{ ...IMPULSE, pulseMs: 500, maxOnMs: 100 }]);
  await world.guard.execute(command(world, 0, ON));
  await world.clock.advance(499);
  expect(world.board.levels[0]).toBe('high');
});

describe('an output that goes off without its link', () => {
  const LINKED = { ...ON_OFF, onLinkLoss: 'off', linkLossMs: 60_000 } as const;
  const reports = async ({ guard, clock }: World, linkIsUp: boolean, seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second += 2) {
      guard.agentIsThere(linkIsUp);
      await clock.advance(2_000);
    }
  };

  test('stays on while the agent says that it is up, and for linkLossMs after that', async () => {
    const world = await startGuard([LINKED]);
    await world.guard.execute(command(world, 0, ON));
    await reports(world, true, 100);
    await reports(world, false, 58);
    await world.clock.advance(1_999);
    expect(world.board.levels[0]).toBe('high');
    await world.clock.advance(1);
    expect(world.board.levels[0]).toBe('low');
  });

  test('goes off when the agent says nothing any more, for then nobody knows', async () => {
    const world = await startGuard([LINKED]);
    world.guard.agentIsThere(true);
    await world.guard.execute(command(world, 0, ON));
    await world.clock.advance(60_000);
    expect(world.board.levels[0]).toBe('low');
  });

  test('that is switched on meanwhile stays on for linkLossMs', async () => {
    const world = await startGuard([LINKED]);
    await reports(world, false, 90);
    await world.guard.execute(command(world, 0, ON));
    await reports(world, false, 58);
    expect(world.board.levels[0]).toBe('high');
    await world.clock.advance(2_000);
    expect(world.board.levels[0]).toBe('low');
  });

  test('counts from when the agent was heard last, where a new one says that the link is down', async () => {
    const world = await startGuard([LINKED]);
    await world.guard.execute(command(world, 0, ON));
    world.guard.agentIsThere(true);
    await world.clock.advance(59_000);
    world.guard.agentIsThere(false);
    await world.clock.advance(999);
    expect(world.board.levels[0]).toBe('high');
    await world.clock.advance(1);
    expect(world.board.levels[0]).toBe('low');
  });
});

describe('an output that goes off without the agent', () => {
  const HELD = { ...ON_OFF, onAgentLoss: 'off', agentLossMs: 10_000 } as const;

  test('does so after agentLossMs without a sign of life, linked or not', async () => {
    const world = await startGuard([HELD, ON_OFF, { ...IMPULSE, pulseMs: 60_000, onAgentLoss: 'off' }]);
    for (const numOutput of [0, 1, 2]) await world.guard.execute(command(world, numOutput, ON));
    await world.clock.advance(5_000);
    world.guard.agentIsThere(false);
    await world.clock.advance(9_999);
    expect(world.board.levels).toEqual(['high', 'high', 'high']);
    await world.clock.advance(1);
    // The second one holds, and a pulse always runs to its end.
    expect(world.board.levels).toEqual(['low', 'high', 'high']);
  });
});
