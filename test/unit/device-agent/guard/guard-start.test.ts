import { describe, expect, test } from '@jest/globals';
import { openGuard } from '@relaygate/device-agent/guard/open-guard';
import { outputsWith } from '../../../support/device/device';
import { FakeBoard } from '../../../support/device/fake-board';
import { textsOf } from '../../../support/device/fault-texts';
import {
  command,
  JOURNAL,
  OFF,
  ON,
  PULSE,
  portsOf,
  STATE,
  startGuard,
  type World,
} from '../../../support/device/guard-in-memory';
import { MemoryFiles } from '../../../support/device/memory-files';
import { settled, VirtualClock } from '../../../support/time/virtual-clock';

describe('a start', () => {
  const policies = outputsWith({ 0: { powerOn: 'restore' }, 1: { powerOn: 'on' } });

  test('whose boot cannot be written down switches nothing on', async () => {
    const clock = new VirtualClock();
    const files = new MemoryFiles();
    files.failing.set(STATE, 'ENOSPC');
    const board = new FakeBoard(clock, 4);
    const guard = await openGuard(policies, portsOf({ clock, files, board }));
    expect(textsOf(guard.view().faults)).toEqual(['state.json cannot be written: ENOSPC.']);
    expect(board.edges).toEqual([]);
  });

  describe('over a relay that a killed guard has left closed (I4)', () => {
    async function killedWorld(): Promise<World> {
      const world = await startGuard(policies);
      await world.guard.execute(command(world, 0, ON));
      await world.guard.execute(command(world, 2, PULSE));
      // The killed guard's timers are gone with it.
      return { ...world, clock: new VirtualClock() };
    }
    const lows = (world: World): (string | null)[] => world.board.levels;

    test.each([
      [STATE, 'state.json could not be read (EIO); it could not be kept aside (EROFS).'],
      [JOURNAL, 'the journal could not be read (EIO); it could not be kept aside (EROFS).'],
    ])('switches it off when %s cannot be read, and says so', async (path, fault) => {
      const world = await killedWorld();
      world.files.unreadable.set(path, 'EIO');
      world.files.failing.set(path, 'EROFS');
      const { guard } = await startGuard(policies, world);
      expect(lows(world)).toEqual([path === STATE ? 'low' : 'high', 'low', 'low', 'low']);
      expect(textsOf(guard.view().faults)).toContain(fault);
      expect(guard.outcomesOf(['unheard-of']).notStarted).toEqual(path === STATE ? ['unheard-of'] : []);
    });

    test('switches everything off before it fails on a folder that cannot be written', async () => {
      const world = await killedWorld();
      const checkWritable = (): Promise<never> => Promise.reject(new Error('EROFS'));
      await expect(openGuard(policies, { ...portsOf(world), checkWritable })).rejects.toThrow('EROFS');
      expect(lows(world)).toEqual(['low', 'low', 'low', 'low']);
    });
  });

  test('with a corrupt state file and no journal calls nothing "never started"', async () => {
    const clock = new VirtualClock();
    const files = new MemoryFiles();
    files.texts.set(STATE, '{"bootId":');
    const guard = await openGuard(policies, portsOf({ clock, files, board: new FakeBoard(clock, 4) }));
    expect(guard.outcomesOf(['unheard-of']).notStarted).toEqual([]);
  });
});

describe('an output to be restored', () => {
  const policies = outputsWith({ 0: { powerOn: 'restore' } });
  const isOn = (world: World): unknown => JSON.parse(world.files.texts.get(STATE) ?? '{}').active['0'];

  test('stands in the journal before "off" is saved: a restart brings it off, so "never started" would be a lie', async () => {
    const world = await startGuard(policies);
    await world.guard.execute(command(world, 0, ON));
    const off = command(world, 0, OFF);
    const replace = world.files.replace.bind(world.files);
    // The guard dies once the state file is written.
    world.files.replace = async (path, text) => {
      await replace(path, text);
      if (path === STATE) await new Promise<never>(() => {});
    };
    void world.guard.execute(off);
    await settled();
    expect(isOn(world)).toBe(false);
    world.files.replace = replace;
    const restarted = await startGuard(policies, world);
    expect(restarted.board.levels[0]).toBe('low');
    expect(restarted.guard.outcomesOf([off.commandId])).toEqual({ outcomes: [], notStarted: [] });
  });
});
