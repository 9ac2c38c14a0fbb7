import { describe, expect, test } from '@jest/globals';
import { openGuard } from '@relaygate/device-agent/guard/open-guard';
import type { OutputSettings } from '@relaygate/shared/device';
import { FakeBoard } from '../../../support/device/fake-board';
import { command, JOURNAL, OFF, ON, ON_OFF, portsOf, startGuard } from '../../../support/device/guard-in-memory';
import { MemoryFiles } from '../../../support/device/memory-files';
import { VirtualClock } from '../../../support/time/virtual-clock';

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
});
