import { describe, expect, test } from '@jest/globals';
import type { Guard, GuardCommand } from '@relaygate/device-agent/guard/guard';
import { MAX_LIVE_COMMANDS } from '@relaygate/device-agent/guard/journal-memory';
import { type GuardPorts, openGuard } from '@relaygate/device-agent/guard/open-guard';
import type { DriveResult } from '@relaygate/device-agent/relay/relay-driver';
import { KEPT_OUTCOMES, type OutputSettings } from '@relaygate/shared';
import { DEMO_OUTPUTS, outputsWith } from '../../../support/device/device';
import { FakeBoard } from '../../../support/device/fake-board';
import { MemoryFiles } from '../../../support/device/memory-files';
import { quietLog } from '../../../support/device/quiet-log';
import { settled, VirtualClock } from '../../../support/virtual-clock';

const JOURNAL = '/run/journal.jsonl';
const STATE = '/data/state.json';

interface World {
  clock: VirtualClock;
  files: MemoryFiles;
  board: FakeBoard;
  guard: Guard;
}

function portsOf({ clock, files, board }: Omit<World, 'guard'>): GuardPorts {
  return {
    clock,
    files,
    driver: board,
    log: quietLog(),
    bootId: 'boot-1',
    statePath: STATE,
    journalPath: JOURNAL,
    checkWritable: async () => {},
  };
}

/** A guard over what an earlier one has left; without `from`, out of the box. */
async function startGuard(
  outputs: readonly OutputSettings[] = DEMO_OUTPUTS,
  from?: World,
  bootId = 'boot-1',
): Promise<World> {
  const clock = from?.clock ?? new VirtualClock();
  const files = from?.files ?? new MemoryFiles();
  const board = from?.board ?? new FakeBoard(clock, outputs.length);
  const guard = await openGuard(outputs, { ...portsOf({ clock, files, board }), bootId });
  return { clock, files, board, guard };
}

let commands = 0;
function command(
  world: World,
  numOutput: number,
  order: GuardCommand['command'],
  more: Partial<GuardCommand> = {},
): GuardCommand {
  commands += 1;
  const startBeforeMs = world.clock.nowMs() + 1_000;
  return { commandId: `c${commands}`, numOutput, command: order, startBeforeMs, epoch: null, ...more };
}

const ON = { action: 'set', state: 1 } as const;
const OFF = { action: 'set', state: 0 } as const;
const PULSE = { action: 'pulse' } as const;
const [ON_OFF, , IMPULSE] = DEMO_OUTPUTS;
if (!ON_OFF || !IMPULSE) throw new Error('the demo has both kinds');
const never = new Promise<DriveResult>(() => {});

describe('a command', () => {
  test('is in the journal before its edge', async () => {
    const world = await startGuard();
    let atEdge = '';
    world.board.answer = () => {
      atEdge = world.files.texts.get(JOURNAL) ?? '';
      return null;
    };
    await world.guard.execute(command(world, 0, ON, { commandId: 'first' }));
    await settled();
    expect(atEdge).toContain('{"started":"first"');
    expect(world.files.texts.get(JOURNAL)).toContain('"outcome":"executed"');
  });

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

  test('that would have to be forgotten before its deadline is refused as busy (I1, I15)', async () => {
    const world = await startGuard();
    const startBeforeMs = world.clock.nowMs() + 60_000;
    for (let n = 0; n < MAX_LIVE_COMMANDS; n += 1) {
      await world.guard.execute(command(world, 0, { action: 'toggle' }, { startBeforeMs }));
    }
    const moves = world.board.edges.length;
    const turnedAway = command(world, 0, { action: 'toggle' });
    expect(await world.guard.execute(turnedAway)).toMatchObject({ outcome: 'refused', reason: 'busy' });
    expect(world.board.edges).toHaveLength(moves);
    expect(world.guard.fatesOf([turnedAway.commandId]).notStarted).toEqual([]);
    await world.clock.advance(62_000);
    expect((await world.guard.execute(command(world, 0, ON)))?.outcome).not.toBe('refused');
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
    expect(restarted.guard.fatesOf([pulse.commandId])).toEqual({ outcomes: [], notStarted: [] });
    expect(world.board.edges).toEqual([]);
  });

  test.each([
    ['at', 0],
    ['after', 1],
  ])('%s its deadline is expired and moves nothing (I2)', async (_name, lateMs) => {
    const world = await startGuard();
    const late = command(world, 0, ON, { startBeforeMs: world.clock.nowMs() - lateMs });
    expect((await world.guard.execute(late))?.outcome).toBe('expired');
    expect(world.board.edges).toEqual([]);
  });

  test('whose journal record took past the deadline is expired right at the edge (I2)', async () => {
    const world = await startGuard();
    let written = (): void => {};
    world.files.slow.set(
      JOURNAL,
      new Promise<void>((resolve) => {
        written = resolve;
      }),
    );
    const reply = world.guard.execute(command(world, 0, ON));
    await world.clock.advance(1_000);
    written();
    expect((await reply)?.outcome).toBe('expired');
    expect(world.board.edges).toEqual([]);
  });

  test('hands its deadline to the board, which may queue', async () => {
    const world = await startGuard();
    const order = command(world, 0, ON);
    world.board.answer = ({ notAfterMs }) => (notAfterMs === null ? null : { kind: 'too-late' });
    expect((await world.guard.execute(order))?.outcome).toBe('expired');
    expect(world.board.orders.at(-1)?.notAfterMs).toBe(order.startBeforeMs);
  });

  test('is refused when the journal cannot be written, for it could be executed twice', async () => {
    const world = await startGuard();
    world.files.failing.set(JOURNAL, 'ENOSPC');
    const reply = await world.guard.execute(command(world, 0, ON));
    expect(reply).toMatchObject({ outcome: 'refused', reason: 'journal-failed' });
    expect(world.board.edges).toEqual([]);
  });

  test('for an output that is not there is refused', async () => {
    const world = await startGuard();
    expect(await world.guard.execute(command(world, 9, ON))).toMatchObject({
      outcome: 'refused',
      reason: 'no-such-output',
    });
  });

  test('waits for the one before it at the same output, not for another output', async () => {
    const world = await startGuard();
    world.board.answer = ({ line }) => (line === 0 ? never : null);
    void world.guard.execute(command(world, 0, ON));
    const second = world.guard.execute(command(world, 0, OFF, { startBeforeMs: world.clock.nowMs() + 5_000 }));
    const other = await world.guard.execute(command(world, 1, ON));
    expect(other?.outcome).toBe('executed');
    world.board.answer = () => null;
    await world.clock.advance(1_000);
    expect((await second)?.outcome).toBe('already-set');
  });

  test('beyond the queue of an output is refused as busy', async () => {
    const world = await startGuard();
    world.board.answer = () => never;
    const replies = Array.from({ length: 20 }, () => world.guard.execute(command(world, 0, ON)));
    expect(await Promise.race(replies)).toMatchObject({ outcome: 'refused', reason: 'busy' });
  });
});

describe('an epoch', () => {
  test('drops commands of the one before, also those that wait', async () => {
    const world = await startGuard();
    await world.guard.enterEpoch(3);
    world.board.answer = () => never;
    void world.guard.execute(command(world, 0, ON, { epoch: 3 }));
    const waiting = world.guard.execute(command(world, 0, OFF, { epoch: 3 }));
    await world.guard.enterEpoch(4);
    expect(await waiting).toMatchObject({ outcome: 'refused', reason: 'superseded' });
    const late = await world.guard.execute(command(world, 1, ON, { epoch: 3 }));
    expect(late).toMatchObject({ outcome: 'refused', reason: 'superseded' });
    expect(world.board.edges).toEqual([]);
  });

  test('that comes while a command is on its way to the edge stops it', async () => {
    const world = await startGuard();
    await world.guard.enterEpoch(3);
    const reply = world.guard.execute(command(world, 0, ON, { epoch: 3 }));
    await world.guard.enterEpoch(4);
    expect(await reply).toMatchObject({ outcome: 'refused', reason: 'superseded' });
    expect(world.board.edges).toEqual([]);
  });

  test('only goes up within a boot, also over a restart', async () => {
    const world = await startGuard();
    await world.guard.enterEpoch(5);
    expect(await world.guard.enterEpoch(4)).toBe(5);
    const { guard } = await startGuard(DEMO_OUTPUTS, world);
    expect(guard.view().epoch).toBe(5);
  });

  test('does not touch commands of the device itself', async () => {
    const world = await startGuard();
    await world.guard.enterEpoch(5);
    expect((await world.guard.execute(command(world, 0, ON)))?.outcome).toBe('executed');
  });
});

describe('asked what became of commands', () => {
  test('says outcomes, and never started only while the journal is complete', async () => {
    const world = await startGuard();
    const executed = command(world, 0, ON);
    await world.guard.execute(executed);
    const { outcomes, notStarted } = world.guard.fatesOf([executed.commandId, 'unheard-of']);
    expect(outcomes.map(({ commandId }) => commandId)).toEqual([executed.commandId]);
    expect(notStarted).toEqual(['unheard-of']);
    world.files.texts.delete(JOURNAL);
    const { guard } = await startGuard(DEMO_OUTPUTS, world);
    expect(guard.fatesOf(['unheard-of'])).toEqual({ outcomes: [], notStarted: [] });
  });

  test('says nothing of one that is on its way', async () => {
    const world = await startGuard();
    world.board.answer = () => never;
    const running = command(world, 0, ON);
    void world.guard.execute(running);
    const waiting = command(world, 0, OFF);
    void world.guard.execute(waiting);
    expect(world.guard.fatesOf([running.commandId, waiting.commandId])).toEqual({ outcomes: [], notStarted: [] });
  });
});

describe('a pulse', () => {
  test('ends at its time from the leading edge, whatever the files do', async () => {
    const world = await startGuard();
    const atMs = world.clock.nowMs();
    await world.guard.execute(command(world, 2, PULSE));
    world.files.slow.set(JOURNAL, new Promise(() => {}));
    world.files.slow.set(STATE, new Promise(() => {}));
    void world.guard.execute(command(world, 0, ON));
    await world.clock.advance(600);
    expect(world.board.edges.map((edge) => [edge.level, edge.atMs - atMs])).toEqual([
      ['high', 0],
      ['low', 500],
    ]);
  });

  test('ends at its time from its edge when the board answers late (I4)', async () => {
    const world = await startGuard();
    const edgeMs = world.clock.nowMs();
    world.board.answer = (order) => {
      const result = world.board.move(order);
      return new Promise((resolve) => void world.clock.after(200, () => resolve(result)));
    };
    void world.guard.execute(command(world, 2, PULSE));
    await world.clock.advance(600);
    expect(world.board.edges.map((edge) => [edge.level, edge.atMs - edgeMs])).toEqual([
      ['high', 0],
      ['low', 500],
    ]);
  });

  test('ends on time beside a board call that hangs at another output', async () => {
    const world = await startGuard();
    await world.guard.execute(command(world, 2, PULSE));
    world.board.answer = ({ line }) => (line === 0 ? never : null);
    void world.guard.execute(command(world, 0, ON));
    await world.clock.advance(500);
    expect(world.board.levels[2]).toBe('low');
  });

  test('whose end the board refuses is ended as soon as it works, with a fault meanwhile', async () => {
    const world = await startGuard();
    await world.guard.execute(command(world, 2, PULSE));
    world.board.answer = () => ({ kind: 'failed', problem: 'no power' });
    await world.clock.advance(700);
    expect(world.guard.view().faults).toEqual([
      'Output 2 (Output 2) cannot be switched off (no power); it is tried again.',
    ]);
    expect(world.guard.view().outputs[2]?.state).toBeNull();
    world.board.answer = () => null;
    await world.clock.advance(100);
    expect(world.board.levels[2]).toBe('low');
    expect(world.guard.view().faults).toEqual([]);
    expect(world.guard.view().outputs[2]?.state).toBe(0);
  });

  test('that the board does not confirm within its own length is switched off and refused (I4)', async () => {
    const world = await startGuard();
    world.board.answer = ({ level }) => (level === 'high' ? never : null);
    const reply = world.guard.execute(command(world, 2, PULSE));
    await world.clock.advance(500);
    expect(await reply).toMatchObject({ outcome: 'refused', reason: 'board-failed' });
    expect(world.board.orders.at(-1)).toMatchObject({ line: 2, level: 'low' });
  });

  test('runs on with its length when pulseMs is changed, and the next one has the new length', async () => {
    const world = await startGuard();
    await world.guard.execute(command(world, 2, PULSE));
    await world.guard.configure([{ numOutput: 2, settings: { ...IMPULSE, pulseMs: 750 } }], false);
    await world.clock.advance(500);
    expect(world.board.levels[2]).toBe('low');
    await world.guard.execute(command(world, 2, PULSE));
    await world.clock.advance(749);
    expect(world.board.levels[2]).toBe('high');
    await world.clock.advance(1);
    expect(world.board.levels[2]).toBe('low');
  });
});

describe('settings', () => {
  const asImpulse = { ...ON_OFF, mode: 'impulse' } as const;

  test('of mode and polarity are refused while the output is active, all of them', async () => {
    const world = await startGuard();
    await world.guard.execute(command(world, 0, ON));
    const changes = [
      { numOutput: 1, settings: { ...ON_OFF, name: 'New' } },
      { numOutput: 0, settings: asImpulse },
    ];
    await expect(world.guard.configure(changes, false)).rejects.toMatchObject({ code: 'output-active' });
    expect(world.guard.view().outputs[1]?.settings.name).toBe('Output 1');
  });

  test('when forced drive the output inactive first', async () => {
    const world = await startGuard();
    await world.guard.execute(command(world, 0, ON));
    await world.guard.configure([{ numOutput: 0, settings: asImpulse }], true);
    expect(world.board.levels[0]).toBe('low');
    expect(world.guard.view().outputs[0]).toEqual({ settings: asImpulse, state: 0 });
  });

  test('keep commands waiting while they are applied, and those then follow the new mode', async () => {
    const world = await startGuard();
    await world.guard.execute(command(world, 0, ON));
    let moved = (): void => {};
    world.board.answer = (order) =>
      order.level === 'low' ? new Promise((resolve) => (moved = () => resolve(world.board.move(order)))) : null;
    const applied = world.guard.configure([{ numOutput: 0, settings: asImpulse }], true);
    await settled();
    const pulsed = world.guard.execute(command(world, 0, ON));
    moved();
    await applied;
    world.board.answer = () => null;
    expect((await pulsed)?.outcome).toBe('executed');
    await world.clock.advance(500);
    expect(world.board.levels[0]).toBe('low');
  });

  test('of polarity bring the line to its new inactive level', async () => {
    const world = await startGuard();
    await world.guard.configure([{ numOutput: 0, settings: { ...ON_OFF, activeLevel: 'low' } }], false);
    expect(world.board.levels[0]).toBe('high');
    await world.guard.execute(command(world, 0, ON));
    expect(world.board.levels[0]).toBe('low');
  });

  test('for an output that is not there name the range', async () => {
    const world = await startGuard();
    const change = world.guard.configure([{ numOutput: 7, settings: ON_OFF }], false);
    await expect(change).rejects.toMatchObject({
      code: 'output-not-found',
      message: expect.stringContaining('0 to 3'),
    });
  });
});

describe('a start', () => {
  const policies = outputsWith({ 0: { powerOn: 'restore' }, 1: { powerOn: 'on' } });

  test('of the guard alone restores, and brings all others off', async () => {
    const world = await startGuard(policies);
    expect(world.board.levels).toEqual(['low', 'high', 'low', 'low']);
    await world.guard.execute(command(world, 0, ON));
    await world.guard.execute(command(world, 2, PULSE));
    await startGuard(policies, world);
    expect(world.board.levels).toEqual(['high', 'low', 'low', 'low']);
  });

  test('after a power cut restores, and switches on what is to come on', async () => {
    const world = await startGuard(policies);
    await world.guard.execute(command(world, 0, ON));
    await world.guard.execute(command(world, 1, OFF));
    await startGuard(policies, world, 'boot-2');
    expect(world.board.levels).toEqual(['high', 'high', 'low', 'low']);
  });

  test('whose boot cannot be written down switches nothing on', async () => {
    const clock = new VirtualClock();
    const files = new MemoryFiles();
    files.failing.set(STATE, 'ENOSPC');
    const board = new FakeBoard(clock, 4);
    const guard = await openGuard(policies, portsOf({ clock, files, board }));
    expect(guard.view().faults).toEqual(['state.json cannot be written: ENOSPC.']);
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

    test('switches it off before any disk answers', async () => {
      const world = await killedWorld();
      for (const path of [STATE, JOURNAL]) world.files.slow.set(path, new Promise(() => {}));
      void startGuard(policies, world);
      await settled();
      expect(lows(world)).toEqual(['high', 'low', 'low', 'low']);
    });

    test.each([
      [STATE, 'state.json could not be read (EIO); it could not be kept aside (EROFS).'],
      [JOURNAL, 'the journal could not be read (EIO); it could not be kept aside (EROFS).'],
    ])('switches it off when %s cannot be read, and says so', async (path, fault) => {
      const world = await killedWorld();
      world.files.unreadable.set(path, 'EIO');
      world.files.failing.set(path, 'EROFS');
      const { guard } = await startGuard(policies, world);
      expect(lows(world)).toEqual([path === STATE ? 'low' : 'high', 'low', 'low', 'low']);
      expect(guard.view().faults).toContain(fault);
      expect(guard.fatesOf(['unheard-of']).notStarted).toEqual(path === STATE ? ['unheard-of'] : []);
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
    expect(guard.fatesOf(['unheard-of']).notStarted).toEqual([]);
  });

  test('finds the boot in the state file before an output comes on', async () => {
    const clock = new VirtualClock();
    const files = new MemoryFiles();
    const board = new FakeBoard(clock, 4);
    let atEdge: string | undefined;
    board.answer = ({ level }) => {
      if (level === 'high') atEdge = files.texts.get(STATE);
      return null;
    };
    await startGuard(policies, { clock, files, board, guard: (await startGuard()).guard });
    expect(atEdge).toContain('boot-1');
  });
});

describe('an output to be restored', () => {
  const policies = outputsWith({ 0: { powerOn: 'restore' } });
  const isOn = (world: World): unknown => JSON.parse(world.files.texts.get(STATE) ?? '{}').active['0'];

  test('is answered only when its state is durable, on after its edge and off before it', async () => {
    const world = await startGuard(policies);
    const saved: unknown[] = [];
    world.board.answer = () => {
      saved.push(isOn(world));
      return null;
    };
    await world.guard.execute(command(world, 0, ON));
    expect(isOn(world)).toBe(true);
    await world.guard.execute(command(world, 0, OFF));
    expect(saved).toEqual([false, false]);
  });

  test('whose on cannot be saved is not called executed', async () => {
    const world = await startGuard(policies);
    world.files.failing.set(STATE, 'ENOSPC');
    expect(await world.guard.execute(command(world, 0, ON))).toMatchObject({ outcome: 'unproven', state: 1 });
  });
});

describe('a guard that is told to stop', () => {
  test('leaves no relay closed, lets go of the board and remembers what is to be restored', async () => {
    const policies = outputsWith({ 0: { powerOn: 'restore' } });
    const world = await startGuard(policies);
    await world.guard.execute(command(world, 0, ON));
    await world.guard.execute(command(world, 2, PULSE));
    expect(await world.guard.stop()).toEqual([]);
    expect(world.board.levels).toEqual(['low', 'low', 'low', 'low']);
    expect(world.board.isClosed).toBe(true);
    expect(world.board.inactiveAtClose).toEqual([0, 1, 2, 3]);
    await startGuard(policies, world);
    expect(world.board.levels[0]).toBe('high');
  });

  test('begins nothing that waits for the end of a pulse', async () => {
    const world = await startGuard();
    await world.guard.execute(command(world, 2, PULSE));
    let ended = (): void => {};
    world.board.answer = (order) => new Promise((resolve) => (ended = () => resolve(world.board.move(order))));
    await world.clock.advance(500);
    void world.guard.execute(command(world, 2, PULSE));
    const stopped = world.guard.stop();
    world.board.answer = () => null;
    ended();
    await stopped;
    await world.clock.advance(10_000);
    expect(world.board.edges.map(({ level }) => level)).toEqual(['high', 'low']);
  });

  test('answers what waits and what has not reached the board as refused', async () => {
    const world = await startGuard();
    world.files.slow.set(JOURNAL, new Promise(() => {}));
    const replies = [ON, OFF].map((order) => world.guard.execute(command(world, 0, order)));
    await settled();
    expect(await world.guard.stop()).toEqual([]);
    expect(await Promise.all(replies)).toMatchObject([
      { outcome: 'refused', reason: 'guard-stopping' },
      { outcome: 'refused', reason: 'guard-stopping' },
    ]);
    expect(world.board.edges).toEqual([]);
  });

  test('answers what the board has in hand with what the board did, then switches it off', async () => {
    const world = await startGuard();
    let moved = (): void => {};
    world.board.answer = (order) =>
      order.level === 'high' ? new Promise((resolve) => (moved = () => resolve(world.board.move(order)))) : null;
    const reply = world.guard.execute(command(world, 2, PULSE));
    await settled();
    const stopped = world.guard.stop();
    moved();
    expect((await reply)?.outcome).toBe('executed');
    expect(await stopped).toEqual([]);
    expect(world.board.edges.map(({ level }) => level)).toEqual(['high', 'low']);
  });

  test('does not wait for a disk to switch off, and says of the command that it is not saved', async () => {
    const world = await startGuard(outputsWith({ 0: { powerOn: 'restore' } }));
    world.files.slow.set(STATE, new Promise(() => {}));
    const reply = world.guard.execute(command(world, 0, ON));
    await settled();
    expect(world.board.levels[0]).toBe('high');
    expect(await world.guard.stop()).toEqual([]);
    expect(await reply).toMatchObject({ outcome: 'unproven', reason: 'state-not-saved' });
    expect(world.board.levels[0]).toBe('low');
  });

  test('says which outputs a failing board kept on', async () => {
    const world = await startGuard();
    await world.guard.execute(command(world, 0, ON));
    world.board.answer = () => ({ kind: 'failed', problem: 'no power' });
    const stopped = world.guard.stop();
    await world.clock.advance(6_000);
    expect(await stopped).toEqual([0]);
    expect(world.board.inactiveAtClose).toEqual([1, 2, 3]);
  });
});

describe('a board that goes away', () => {
  test('leaves states unknown with a fault, and comes back with everything off', async () => {
    const world = await startGuard();
    await world.guard.execute(command(world, 0, ON));
    world.board.answer = () => ({ kind: 'failed', problem: 'unplugged' });
    world.board.listener?.lost('unplugged');
    await settled();
    expect(world.guard.view().outputs.map(({ state }) => state)).toEqual([null, null, null, null]);
    expect(world.guard.view().faults[0]).toBe('The relay board is away: unplugged.');
    world.board.answer = () => null;
    await world.clock.advance(100);
    expect(world.guard.view()).toMatchObject({
      faults: [],
      outputs: [{ state: 0 }, { state: 0 }, { state: 0 }, { state: 0 }],
    });
    expect(world.board.levels[0]).toBe('low');
  });
});
