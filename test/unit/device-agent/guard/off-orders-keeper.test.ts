/** The orders that switch a board off without its guard, while /run takes no writes. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { OffOrdersDeps } from '@relaygate/device-agent/guard/off-orders-keeper';
import { openGuard } from '@relaygate/device-agent/guard/open-guard';
import { relayBoard } from '@relaygate/device-agent/relay/relay-boards';
import type { BoardSettings, OutputSettings } from '@relaygate/shared/device';
import { FakeBoard } from '../../../support/device/fake-board';
import { textsOf } from '../../../support/device/fault-texts';
import { command, IMPULSE, ON, ON_OFF, portsOf, type World } from '../../../support/device/guard-in-memory';
import { MemoryFiles } from '../../../support/device/memory-files';
import { VirtualClock } from '../../../support/time/virtual-clock';

const BOARD: BoardSettings = { kind: 'gpio', lines: [17, 27] };
const LOW: OutputSettings = { ...ON_OFF, activeLevel: 'low' };

let text: string | null;
/** Why nothing can be written; null: it can. */
let problem: string | null;
beforeEach(() => {
  text = null;
  problem = null;
});

const file = {
  read: () => text,
  replace(wanted: string) {
    if (problem !== null) throw new Error(problem);
    text = wanted;
  },
  remove() {
    text = null;
  },
};

async function openWorld(settings: BoardSettings = BOARD): Promise<World> {
  const clock = new VirtualClock();
  const world = { clock, files: new MemoryFiles(), board: new FakeBoard(clock, 2) };
  const textOf: OffOrdersDeps['textOf'] = (outputs, urgent) => relayBoard(settings).offOrders(outputs, urgent);
  return { ...world, guard: await openGuard([ON_OFF, IMPULSE], { ...portsOf(world), offOrders: { file, textOf } }) };
}

describe('the orders that switch a board off without its guard', () => {
  test('stand there before the board is opened, and follow a change of polarity before its edge', async () => {
    const world = await openWorld();
    expect(text).toBe('gpio\t17=0 27=0\t\n');
    world.board.answer = (order) => {
      expect(text).toBe('gpio\t17=1 27=0\t\n');
      return world.board.move(order);
    };
    await world.guard.configure([{ numOutput: 0, settings: LOW }], false);
    expect(world.board.levels[0]).toBe('high');
  });

  test('are removed where they became wrong and cannot be written: wrong ones would switch a relay on (I14)', async () => {
    const world = await openWorld();
    problem = 'ENOSPC: no space left on device';
    await world.guard.configure([{ numOutput: 0, settings: LOW }], false);
    expect(text).toBeNull();
    expect(textsOf(world.guard.view().faults)).toEqual([expect.stringContaining('ENOSPC')]);
    expect(await world.guard.execute(command(world, 0, ON))).toMatchObject({ outcome: 'executed' });
    problem = null;
    await world.clock.advance(1_000);
    expect(text).toBe('gpio\t17=1 27=0\t\n');
    expect(world.guard.view().faults).toEqual([]);
  });

  test('have what pulses first, and stay as they are where only that cannot be written', async () => {
    const units = [1, 2].map((address) => ({ address, relays: 1 }));
    const world = await openWorld({ kind: 'modbus', port: '/dev/port', units });
    const firstBoard = (): string | undefined => text?.split('\t')[4]?.slice(0, 2);
    expect(firstBoard()).toBe('01');
    await world.guard.execute(command(world, 1, ON));
    expect(firstBoard()).toBe('02');
    problem = 'ENOSPC: no space left on device';
    await world.clock.advance(IMPULSE.pulseMs);
    expect(firstBoard()).toBe('02');
    expect(world.guard.view().faults).toEqual([]);
    problem = null;
    await world.clock.advance(1_000);
    expect(firstBoard()).toBe('01');
  });

  test('that cannot be written stop no guard from starting', async () => {
    problem = 'ENOSPC: no space left on device';
    const world = await openWorld();
    expect(textsOf(world.guard.view().faults)).toEqual([expect.stringContaining('ENOSPC')]);
    expect(await world.guard.execute(command(world, 1, ON))).toMatchObject({ outcome: 'executed' });
  });

  test('of the guard before do where they say the same, without a write', async () => {
    await openWorld();
    problem = 'ENOSPC: no space left on device';
    expect((await openWorld()).guard.view().faults).toEqual([]);
    expect(text).not.toBeNull();
  });
});

test('a listener that throws stops neither a command nor the other listeners', async () => {
  const world = await openWorld();
  let told = 0;
  world.guard.watch(() => {
    throw new Error('boom');
  });
  world.guard.watch(() => {
    told += 1;
  });
  expect(await world.guard.execute(command(world, 0, ON))).toMatchObject({ outcome: 'executed' });
  expect(told).toBeGreaterThan(0);
});
