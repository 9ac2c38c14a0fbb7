import { describe, expect, test } from '@jest/globals';
import { KEPT_OUTCOMES } from '@relaygate/shared';
import { DEMO_OUTPUTS } from '../../../support/device/device';
import { command, JOURNAL, never, OFF, ON, PULSE, startGuard } from '../../../support/device/guard-in-memory';
import { settled } from '../../../support/time/virtual-clock';

describe('a command', () => {
  test('given twice moves once, at the same time or later', async () => {
    const world = await startGuard();
    const toggle = command(world, 0, { action: 'toggle' });
    const [one, other] = await Promise.all([world.guard.execute(toggle), world.guard.execute(toggle)]);
    const later = await world.guard.execute(toggle);
    expect([one, other, later].map((reply) => reply?.outcome)).toEqual(['executed', 'executed', 'executed']);
    expect(world.board.edges).toHaveLength(1);
  });

  test('given again after many others within its deadline does not move twice (I1)', async () => {
    const world = await startGuard();
    const toggle = command(world, 0, { action: 'toggle' });
    await world.guard.execute(toggle);
    for (let n = 0; n < 2 * KEPT_OUTCOMES; n += 1) await world.guard.execute(command(world, 1, { action: 'toggle' }));
    const { guard } = await startGuard(DEMO_OUTPUTS, world);
    expect((await world.guard.execute(toggle))?.outcome).toBe('executed');
    expect((await guard.execute(toggle))?.outcome).toBe('executed');
    expect(world.board.edges.filter(({ line, level }) => line === 0 && level === 'high')).toHaveLength(1);
  });

  test('started before a restart is never executed again, and nothing is said of it', async () => {
    const world = await startGuard();
    world.board.answer = () => never;
    const pulse = command(world, 2, PULSE);
    void world.guard.execute(pulse);
    await settled();
    world.board.answer = () => null;
    const restarted = await startGuard(DEMO_OUTPUTS, world);
    world.board.edges.length = 0;
    expect(await restarted.guard.execute(pulse)).toBeNull();
    expect(restarted.guard.outcomesOf([pulse.commandId])).toEqual({ outcomes: [], notStarted: [] });
    expect(world.board.edges).toEqual([]);
  });

  test('for an output that is not there is refused', async () => {
    const world = await startGuard();
    expect(await world.guard.execute(command(world, 9, ON))).toMatchObject({
      outcome: 'refused',
      reason: 'no-such-output',
    });
  });

  test('beyond the queue of an output is refused as busy', async () => {
    const world = await startGuard();
    world.board.answer = () => never;
    const replies = Array.from({ length: 20 }, () => world.guard.execute(command(world, 0, ON)));
    expect(await Promise.race(replies)).toMatchObject({ outcome: 'refused', reason: 'busy' });
  });
});

describe('an epoch', () => {
  test('only goes up within a boot, also over a restart', async () => {
    const world = await startGuard();
    await world.guard.enterEpoch({ epoch: 5 });
    expect(await world.guard.enterEpoch({ epoch: 4 })).toBe(5);
    const { guard } = await startGuard(DEMO_OUTPUTS, world);
    expect(guard.view().epoch).toBe(5);
  });

  test('goes up by at most 2^32 at once, whoever the server is', async () => {
    const world = await startGuard();
    await world.guard.enterEpoch({ epoch: 7 });
    const tooFar = world.guard.enterEpoch({ epoch: 7 + 2 ** 32 + 1 });
    await expect(tooFar).rejects.toMatchObject({ code: 'epoch-too-far' });
    expect(await world.guard.enterEpoch({ epoch: 1_000_008 })).toBe(1_000_008);
    const { guard } = await startGuard(DEMO_OUTPUTS, world);
    const anew = guard.enterEpoch({ epoch: Number.MAX_SAFE_INTEGER, isNewEnrolment: true });
    await expect(anew).rejects.toMatchObject({ code: 'epoch-too-far' });
    expect(guard.view().epoch).toBe(1_000_008);
  });

  test('begins anew with a new enrolment, and drops what waits of the server before, over a restart too', async () => {
    const world = await startGuard();
    await world.guard.enterEpoch({ epoch: 2 ** 32 });
    await world.guard.enterEpoch({ epoch: 3, isNewEnrolment: true });
    expect(world.guard.view().epoch).toBe(3);
    const restarted = await startGuard(DEMO_OUTPUTS, world);
    expect(restarted.guard.view().epoch).toBe(3);
    restarted.board.answer = () => never;
    void restarted.guard.execute(command(restarted, 0, ON, { epoch: 3 }));
    await settled();
    const waiting = restarted.guard.execute(command(restarted, 0, OFF, { epoch: 3 }));
    await restarted.guard.enterEpoch({ epoch: 3, isNewEnrolment: true });
    expect(await waiting).toMatchObject({ outcome: 'refused', reason: 'superseded' });
  });
});

describe('asked what became of commands', () => {
  test('says outcomes, and never started only while the journal is complete', async () => {
    const world = await startGuard();
    const executed = command(world, 0, ON);
    await world.guard.execute(executed);
    const { outcomes, notStarted } = world.guard.outcomesOf([executed.commandId, 'unheard-of']);
    expect(outcomes.map(({ commandId }) => commandId)).toEqual([executed.commandId]);
    expect(notStarted).toEqual(['unheard-of']);
    world.files.texts.delete(JOURNAL);
    const { guard } = await startGuard(DEMO_OUTPUTS, world);
    expect(guard.outcomesOf(['unheard-of'])).toEqual({ outcomes: [], notStarted: [] });
  });

  test('says nothing of one that is on its way', async () => {
    const world = await startGuard();
    world.board.answer = () => never;
    const running = command(world, 0, ON);
    void world.guard.execute(running);
    const waiting = command(world, 0, OFF);
    void world.guard.execute(waiting);
    expect(world.guard.outcomesOf([running.commandId, waiting.commandId])).toEqual({ outcomes: [], notStarted: [] });
  });
});
