/** A pulse that somebody at the device ends before its time, in a whole guard. */
import { describe, expect, test } from '@jest/globals';
import type { OutputSettings } from '@relaygate/shared/device';
import { textsOf } from '../../../../support/device/fault-texts';
import {
  command,
  IMPULSE,
  JOURNAL,
  OFF,
  ON,
  ON_OFF,
  PULSE,
  REMOTE,
  showRelay,
  startLinkedGuard,
  type World,
} from '../../../../support/device/guard-in-memory';
import { settled } from '../../../../support/time/virtual-clock';

const GATE: OutputSettings = { ...IMPULSE, pulseMs: 5_000 };
const OTHER_PULSE = { outcome: 'refused', reason: 'other-pulse' };
const STOPPED = { outcome: 'refused', reason: 'stopped' };

const started = (outputs: OutputSettings[] = [GATE]): Promise<World> => startLinkedGuard(outputs);

/** By default the pulse that runs. */
function stop(world: World, pulseSinceMs = world.guard.view().outputs[0]?.pulseSinceMs ?? null, more = {}) {
  return world.guard.execute(command(world, 0, { action: 'stop', pulseSinceMs }, more));
}

const edgesOf = (world: World, sinceMs: number): [string, number][] =>
  world.board.edges.map(({ level, atMs }) => [level, atMs - sinceMs]);

describe('stop', () => {
  test('ends the pulse that runs, and answers once the board has done it', async () => {
    const world = await started();
    const atMs = world.clock.nowMs();
    await world.guard.execute(command(world, 0, PULSE, REMOTE));
    expect(world.guard.view().outputs[0]).toMatchObject({ pulseSinceMs: atMs, pulseEndsMs: atMs + 5_000 });
    await world.clock.advance(700);
    expect(await stop(world)).toMatchObject({ outcome: 'executed', state: 0 });
    expect(world.guard.view().outputs[0]).not.toHaveProperty('pulseSinceMs');
    await world.clock.advance(10_000);
    expect(edgesOf(world, atMs)).toEqual([
      ['high', 0],
      ['low', 700],
    ]);
    expect(world.guard.view().lastCommands.at(-1)).toMatchObject({ command: { action: 'stop' }, outcome: 'executed' });
  });

  test('does nothing after its deadline (I2)', async () => {
    const world = await started();
    await world.guard.execute(command(world, 0, PULSE));
    const late = { startBeforeMs: world.clock.nowMs() };
    expect(await stop(world, undefined, late)).toMatchObject({ outcome: 'expired', state: 1 });
  });

  test('is for on-site commands and impulse outputs only', async () => {
    const world = await started([GATE]);
    await world.guard.execute(command(world, 0, PULSE));
    expect(await stop(world, undefined, REMOTE)).toMatchObject({ outcome: 'refused', reason: 'bad-command', state: 1 });
    const onOff = await started([ON_OFF]);
    await onOff.guard.execute(command(onOff, 0, ON));
    expect(await stop(onOff)).toMatchObject({ outcome: 'refused', reason: 'not-an-impulse-output', state: 1 });
  });

  test('drops what was about to make the pulse longer, and what waits behind', async () => {
    const world = await started([{ ...GATE, retrigger: 'extend' }]);
    await world.guard.execute(command(world, 0, PULSE, REMOTE));
    await world.clock.advance(1_000);
    let write = (): void => {};
    world.files.slow.set(JOURNAL, new Promise((resolve) => (write = resolve)));
    const longer = world.guard.execute(command(world, 0, PULSE, REMOTE));
    const waiting = world.guard.execute(command(world, 0, PULSE, REMOTE));
    await settled();
    expect(await stop(world)).toMatchObject({ outcome: 'executed', state: 0 });
    expect(await longer).toMatchObject(STOPPED);
    expect(await waiting).toMatchObject(STOPPED);
    write();
    await world.clock.advance(10_000);
    expect(world.board.edges.map(({ level }) => level)).toEqual(['high', 'low']);
  });

  test('drops the turn in the interlock of a pulse that has not begun', async () => {
    const motor = { interlock: 'motor', interlockDelayMs: 3_000 };
    const world = await started([
      { ...GATE, ...motor },
      { ...ON_OFF, ...motor },
    ]);
    await world.guard.execute(command(world, 1, ON));
    await world.guard.execute(command(world, 1, OFF));
    const deadline = { startBeforeMs: world.clock.nowMs() + 4_500 };
    const waiting = world.guard.execute(command(world, 0, PULSE, deadline));
    await world.clock.advance(1_000);
    expect(await stop(world)).toMatchObject({ outcome: 'already-set', state: 0 });
    expect(await waiting).toMatchObject(STOPPED);
    // The other one of the group has its turn.
    expect(await world.guard.execute(command(world, 1, ON))).toMatchObject({ outcome: 'executed' });
    await world.clock.advance(10_000);
    expect(world.board.edges.filter(({ line }) => line === 0)).toEqual([]);
  });

  test('does not end a pulse that nobody has seen yet, and says so', async () => {
    const world = await started();
    const finish = world.board.hold('high');
    const pulse = world.guard.execute(command(world, 0, PULSE));
    await settled();
    expect(await stop(world, null)).toMatchObject(OTHER_PULSE);
    finish();
    expect(await pulse).toMatchObject({ outcome: 'executed' });
  });

  test('waits with its answer for a pulse that is ending', async () => {
    const world = await started();
    await world.guard.execute(command(world, 0, PULSE));
    const seen = world.guard.view().outputs[0]?.pulseSinceMs;
    const finish = world.board.hold('low');
    await world.clock.advance(5_000);
    let isAnswered = false;
    const reply = stop(world, seen).finally(() => (isAnswered = true));
    await settled();
    expect(isAnswered).toBe(false);
    finish();
    expect(await reply).toMatchObject({ outcome: 'already-set', state: 0 });
  });

  test('says that the board has not done it; it is tried again, with a fault meanwhile', async () => {
    const world = await started();
    await world.guard.execute(command(world, 0, PULSE));
    world.board.answer = () => ({ kind: 'failed', problem: 'no power' });
    const reply = await stop(world);
    expect(reply).toMatchObject({ outcome: 'refused', reason: 'board-failed' });
    expect(reply).not.toHaveProperty('state');
    expect(textsOf(world.guard.view().faults)).toEqual([
      'Output 0 (Output 2) cannot be switched off (no power); it is tried again.',
    ]);
    world.board.answer = () => null;
    await world.clock.advance(100);
    expect(world.board.levels[0]).toBe('low');
  });

  test('says that the board is away', async () => {
    const world = await started();
    await world.guard.execute(command(world, 0, PULSE));
    const seen = world.guard.view().outputs[0]?.pulseSinceMs;
    world.board.unplug();
    expect(await stop(world, seen)).toMatchObject({ outcome: 'refused', reason: 'board-away' });
  });

  describe('of an output with a feedback input', () => {
    const SHOWN = { ...GATE, feedbackInput: 5, feedbackMs: 300 };

    test('is not proven where the input goes on showing the pulse', async () => {
      const world = await started([SHOWN]);
      world.board.inputLevel = () => (world.board.edges.length === 0 ? 'low' : 'high');
      const pulse = world.guard.execute(command(world, 0, PULSE));
      await world.clock.advance(1_000);
      await pulse;
      const reply = stop(world);
      await world.clock.advance(300);
      expect(await reply).toMatchObject({ outcome: 'unproven', reason: 'feedback-missing', state: 0 });
    });

    test('leaves a pulse unproven that it ended before it was shown, and no fault', async () => {
      const world = await started([SHOWN]);
      showRelay(world, 200);
      const pulse = world.guard.execute(command(world, 0, PULSE));
      await world.clock.advance(50);
      const reply = stop(world);
      await world.clock.advance(1_000);
      expect(await pulse).toMatchObject({ outcome: 'unproven', reason: 'ended-by-stop' });
      expect(await reply).toMatchObject({ outcome: 'executed', state: 0 });
      expect(textsOf(world.guard.view().faults)).toEqual([]);
    });
  });
});
