import { describe, expect, test } from '@jest/globals';
import type { DriveResult } from '@relaygate/device-agent/relay/relay-driver';
import {
  command,
  IMPULSE,
  OFF,
  ON,
  ON_OFF,
  REMOTE,
  startGuard,
  startLinkedGuard,
  type World,
} from '../../../support/device/guard-in-memory';
import { settled } from '../../../support/time/virtual-clock';

const LOCKED = { outcome: 'refused', reason: 'locked' };

const started = (outputs = [ON_OFF, ON_OFF, IMPULSE]): Promise<World> => startLinkedGuard(outputs);

const lock = (world: World, numOutput: number, forMs = 60_000): Promise<void> =>
  world.guard.lock([{ numOutput, untilMs: world.clock.nowMs() + forMs }]);

describe('a locked output', () => {
  test.each([ON, OFF, { action: 'toggle' } as const])('is not for a remote %j', async (order) => {
    const world = await started();
    await lock(world, 0);
    expect(await world.guard.execute(command(world, 0, order, REMOTE))).toMatchObject(LOCKED);
    expect(world.board.edges).toEqual([]);
  });

  test('moves again once its time is over, or when it is unlocked', async () => {
    const world = await started();
    await lock(world, 0, 60_000);
    expect(world.guard.view().outputs[0]).toHaveProperty('lockedUntilMs', world.clock.nowMs() + 60_000);
    await world.clock.advance(59_999);
    expect(await world.guard.execute(command(world, 0, ON, REMOTE))).toMatchObject(LOCKED);
    await world.clock.advance(1);
    expect(world.guard.view().outputs[0]).not.toHaveProperty('lockedUntilMs');
    expect(await world.guard.execute(command(world, 0, ON, REMOTE))).toMatchObject({ outcome: 'executed' });
    await lock(world, 0);
    await world.guard.lock([]);
    expect(await world.guard.execute(command(world, 0, OFF, REMOTE))).toMatchObject({ outcome: 'executed' });
  });

  test('is locked only when the board has nothing in hand for it any more', async () => {
    const world = await started();
    let answer: (result: DriveResult) => void = () => {};
    world.board.answer = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    void world.guard.execute(command(world, 0, ON, REMOTE));
    await settled();
    let isLocked = false;
    void lock(world, 0).then(() => {
      isLocked = true;
    });
    await settled();
    expect(isLocked).toBe(false);
    answer({ kind: 'driven', atMs: world.clock.nowMs(), readBack: 'high' });
    await settled();
    expect(isLocked).toBe(true);
  });
});

describe('a locked output of an interlock', () => {
  const member = { ...ON_OFF, interlock: 'motor', interlockDelayMs: 300 };

  test('does not go on for a remote command that waits for its turn', async () => {
    const world = await started([member, member]);
    await world.guard.execute(command(world, 0, ON));
    const waiting = world.guard.execute(command(world, 1, ON, REMOTE));
    await world.clock.advance(100);
    await lock(world, 1);
    // The other one has gone off for it by now.
    expect(await waiting).toMatchObject({ outcome: 'refused', reason: 'interlock-broken' });
    await world.clock.advance(2_000);
    expect(world.board.levels).toEqual(['low', 'low']);
  });
});

describe('a locked output whose board is away', () => {
  const restored = { ...ON_OFF, powerOn: 'restore' as const };
  const member = { ...restored, interlock: 'motor', interlockDelayMs: 300 };

  async function awayFor(world: World, ms: number): Promise<void> {
    world.board.unplug();
    await world.clock.advance(ms);
    world.board.levels.fill('low');
    world.board.plug();
    await settled();
  }

  test('is locked before it is away, and stays so when the board is back', async () => {
    const world = await started([restored]);
    world.board.unplug();
    await lock(world, 0);
    expect(await world.guard.execute(command(world, 0, ON, REMOTE))).toMatchObject(LOCKED);
    expect(await world.guard.execute(command(world, 0, ON))).toMatchObject({ reason: 'board-away' });
    world.board.plug();
    await settled();
    expect(await world.guard.execute(command(world, 0, ON, REMOTE))).toMatchObject(LOCKED);
    expect(await world.guard.execute(command(world, 0, ON))).toMatchObject({ outcome: 'executed' });
  });

  test('comes back on in its turn, whatever the server wants of it or of the others meanwhile', async () => {
    const world = await started([member, member]);
    await world.guard.execute(command(world, 0, ON));
    await lock(world, 0);
    await awayFor(world, 1_000);
    // It waits for the delay of its interlock.
    expect(world.board.levels).toEqual(['low', 'low']);
    expect(await world.guard.execute(command(world, 0, OFF, REMOTE))).toMatchObject(LOCKED);
    const other = world.guard.execute(command(world, 1, ON, { ...REMOTE, startBeforeMs: world.clock.nowMs() + 4_500 }));
    await world.clock.advance(4_500);
    expect(await other).toMatchObject(LOCKED);
    expect(world.board.levels).toEqual(['high', 'low']);
  });
});

describe('what a guard shows', () => {
  test('holds the last five commands and who gave them, also after a restart in the same boot', async () => {
    const world = await started();
    for (const n of [1, 2, 3, 4, 5]) await world.guard.execute(command(world, 0, ON, { by: `person ${n}` }));
    await lock(world, 1);
    await world.guard.execute(command(world, 1, ON, { ...REMOTE, by: 'Kiosk' }));
    const last = world.guard.view().lastCommands;
    expect(last.map(({ by, outcome }) => `${by} ${outcome}`)).toEqual([
      'person 2 already-set',
      'person 3 already-set',
      'person 4 already-set',
      'person 5 already-set',
      'Kiosk refused',
    ]);
    expect(last.at(-1)).toMatchObject({ numOutput: 1, command: ON, reason: 'locked', atMs: world.clock.nowMs() });
    await settled();
    const { guard } = await startGuard([ON_OFF, ON_OFF, IMPULSE], world);
    expect(guard.view().lastCommands).toEqual(last);
    const { guard: rebooted } = await startGuard([ON_OFF, ON_OFF, IMPULSE], world, 'boot-2');
    expect(rebooted.view().lastCommands).toEqual([]);
  });
});
