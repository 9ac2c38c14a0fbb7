/** A board whose relays can be asked is asked before the guard says "set already": it may have lost its own supply. I3. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { LineReading } from '@relaygate/device-agent/relay/relay-driver';
import type { CommandConfirmation } from '@relaygate/shared';
import { textsOf } from '../../../support/device/fault-texts';
import {
  command,
  IMPULSE,
  OFF,
  ON,
  ON_OFF,
  PULSE,
  STATE,
  startGuard,
  startLinkedGuard,
  type World,
} from '../../../support/device/guard-in-memory';
import { settled } from '../../../support/time/virtual-clock';

const RESTORED = { ...ON_OFF, powerOn: 'restore' } as const;
const hangs = new Promise<LineReading>(() => {});

let world: World;
let asked: number[];
beforeEach(async () => {
  world = await startLinkedGuard([ON_OFF, RESTORED, IMPULSE]);
  asked = [];
  readings((line) => Promise.resolve({ kind: 'read', level: world.board.levels[line] ?? null }));
});

function readings(read: (line: number) => Promise<LineReading>): void {
  world.board.readLine = (line) => {
    asked.push(line);
    return read(line);
  };
}
type Order = Parameters<typeof command>[2];
const execute = (numOutput: number, order: Order, more = {}): Promise<CommandConfirmation | null> =>
  world.guard.execute(command(world, numOutput, order, more));
const edges = (): string[] => world.board.edges.map(({ line, level }) => `${line} ${level}`);
/** What a power cut would bring back. */
const remembered = (): unknown => JSON.parse(world.files.texts.get(STATE) ?? '{}');

describe('a command that finds its output as it wants it', () => {
  test('switches a relay that has dropped, and remembers it as on only once it is', async () => {
    for (const numOutput of [0, 1]) await execute(numOutput, ON);
    world.board.levels.fill('low');
    expect(await execute(0, ON)).toMatchObject({ outcome: 'executed', state: 1 });
    const before = remembered();
    let atEdge: unknown;
    world.board.answer = () => {
      atEdge = remembered();
      return null;
    };
    expect(await execute(1, ON)).toMatchObject({ outcome: 'executed', state: 1 });
    expect(atEdge).not.toEqual(before);
    expect(remembered()).toEqual(before);
    expect(edges().slice(2)).toEqual(['0 high', '1 high']);
  });

  test('is refused where the board does not say, which is a fault until it does', async () => {
    await execute(0, ON);
    readings(async () => ({ kind: 'failed', problem: 'it does not answer' }));
    expect(await execute(0, ON)).toMatchObject({ outcome: 'refused', reason: 'board-failed', state: 1 });
    expect(textsOf(world.guard.view().faults).join()).toContain('could not be asked how it is (it does not answer)');
    readings(() => Promise.reject(new Error('it burns')));
    expect(await execute(0, ON)).toMatchObject({ outcome: 'refused', reason: 'board-failed' });
    readings(async () => ({ kind: 'read', level: 'high' }));
    expect(await execute(0, ON)).toMatchObject({ outcome: 'already-set' });
    expect(textsOf(world.guard.view().faults)).toEqual([]);
    expect(edges()).toEqual(['0 high']);
  });

  test('rests on its last order where the board cannot tell after all', async () => {
    await execute(0, ON);
    readings(async () => ({ kind: 'read', level: null }));
    expect(await execute(0, ON)).toMatchObject({ outcome: 'already-set', state: 1 });
  });

  test('ends at its deadline where the board hangs, and the next one begins (I2)', async () => {
    await execute(0, ON);
    readings(() => hangs);
    const hung = execute(0, ON);
    const next = execute(0, { action: 'toggle' }, { startBeforeMs: world.clock.nowMs() + 5_000 });
    await world.clock.advance(999);
    expect(edges()).toEqual(['0 high']);
    await world.clock.advance(1);
    expect(await hung).toMatchObject({ outcome: 'expired' });
    expect(await next).toMatchObject({ outcome: 'executed', state: 0 });
  });

  test.each<[string, Order, Order, 'high' | 'low', 0 | 1]>([
    ['has dropped', ON, ON, 'low', 0],
    ['has gone on by itself', OFF, OFF, 'high', 1],
    ['is as ordered', ON, ON, 'high', 1],
  ])(
    'shows what the board says after its deadline: a relay that %s (I11)',
    async (_name, before, order, level, state) => {
      await execute(0, before);
      let say: (reading: LineReading) => void = () => {};
      readings(() => new Promise((resolve) => (say = resolve)));
      const late = execute(0, order);
      await world.clock.advance(1_000);
      expect(await late).toMatchObject({ outcome: 'expired' });
      const sent = edges();
      say({ kind: 'read', level });
      await settled();
      expect(world.guard.view().outputs[0]).toMatchObject({ state });
      expect(edges()).toEqual(sent);
      // Nobody wants it on.
      if (level === 'high' && order === OFF) {
        readings(async () => ({ kind: 'read', level }));
        expect(await execute(0, OFF)).toMatchObject({ outcome: 'executed', state: 0 });
      }
    },
  );

  test('shows nothing that the board says of the time before a newer order', async () => {
    await execute(0, ON);
    let say: (reading: LineReading) => void = () => {};
    readings(() => new Promise((resolve) => (say = resolve)));
    const late = execute(0, ON);
    await settled();
    expect(await execute(0, OFF)).toMatchObject({ outcome: 'executed', state: 0 });
    expect(await late).toMatchObject({ outcome: 'refused' });
    say({ kind: 'read', level: 'high' });
    await settled();
    expect(world.guard.view().outputs[0]).toMatchObject({ state: 0 });
  });

  test('is answered when the guard stops, which leaves the output off', async () => {
    await execute(0, ON);
    readings(() => hangs);
    const waiting = execute(0, ON);
    await settled();
    expect(await world.guard.stop()).toEqual([]);
    expect(await waiting).toMatchObject({ outcome: 'refused', reason: 'guard-stopping' });
    expect(world.board.levels[0]).toBe('low');
  });

  test('waits with a relay that has dropped until it may switch on again', async () => {
    world = await startGuard([{ ...ON_OFF, minSwitchIntervalMs: 5_000 }]);
    await world.clock.advance(10_000);
    readings(async (line) => ({ kind: 'read', level: world.board.levels[line] ?? null }));
    await execute(0, ON);
    world.board.levels.fill('low');
    expect(await execute(0, ON)).toMatchObject({ outcome: 'refused', reason: 'switched-too-soon', state: 0 });
    await world.clock.advance(5_000);
    expect(await execute(0, ON)).toMatchObject({ outcome: 'executed' });
  });
});

describe('a command that finds a pulse running', () => {
  const pulses = () => edges().filter((edge) => edge.startsWith('2'));

  beforeEach(async () => {
    expect(await execute(2, PULSE)).toMatchObject({ outcome: 'executed' });
    expect(asked).toEqual([]);
  });

  test('is answered by it where the board says that it runs', async () => {
    expect(await execute(2, PULSE)).toMatchObject({ outcome: 'executed', ignored: true });
    expect(asked).toEqual([2]);
    expect(await execute(2, OFF)).toMatchObject({ outcome: 'executed' });
    expect(asked).toEqual([2]);
    await world.clock.advance(500);
    expect(pulses()).toEqual(['2 high', '2 low']);
  });

  test('gives one of its own where the relay has dropped, as long as any other', async () => {
    await world.clock.advance(400);
    world.board.levels.fill('low');
    const reply = await execute(2, PULSE);
    expect(reply).toMatchObject({ outcome: 'executed', state: 1 });
    expect(reply).not.toHaveProperty('ignored');
    await world.clock.advance(499);
    expect(pulses()).toEqual(['2 high', '2 high']);
    await world.clock.advance(1);
    expect(pulses()).toEqual(['2 high', '2 high', '2 low']);
  });

  test('is refused where the board does not say, and the pulse ends at its time', async () => {
    readings(async () => ({ kind: 'failed', problem: 'it does not answer' }));
    expect(await execute(2, PULSE)).toMatchObject({ outcome: 'refused', reason: 'board-failed', state: 1 });
    await world.clock.advance(500);
    expect(pulses()).toEqual(['2 high', '2 low']);
  });
});

describe('a board that answers after its "on" was lost', () => {
  test.each([0, 1])('shows output %i as off, which then stays off', async (numOutput) => {
    world.board.answer = () => ({ kind: 'driven', atMs: world.clock.nowMs(), readBack: null });
    expect(await execute(numOutput, ON)).toMatchObject({ outcome: 'executed', state: 1 });
    world.board.answer = () => null;
    world.board.listener?.readable?.(['low', 'low', 'low']);
    await settled();
    expect(world.guard.view().outputs[numOutput]).toMatchObject({ state: 0 });
    expect(world.guard.view().outputs[numOutput]).not.toHaveProperty('confirmedBy');
    expect(edges()).toEqual([]);
    // What a power cut would bring back.
    expect(Object.values(JSON.parse(world.files.texts.get(STATE) ?? '{}').active ?? {})).not.toContain(true);
  });
});

describe('a board that answers while a command is under way, its relay on although the last order was "off",', () => {
  let tell: (reading: LineReading) => void;
  let underWay: Promise<CommandConfirmation | null>;
  /** A command for "off" that waits for a reading of its own. */
  beforeEach(async () => {
    world.board.answer = () => ({ kind: 'driven', atMs: world.clock.nowMs(), readBack: null });
    await execute(0, ON);
    await execute(0, OFF);
    world.board.answer = () => null;
    world.board.levels[0] = 'high';
    readings(() => new Promise((resolve) => (tell = resolve)));
    underWay = execute(0, OFF);
    await settled();
    world.board.listener?.readable?.(['high', 'low', 'low']);
    await settled();
    expect(edges()).toEqual([]);
  });

  test('has it put off once that command has ended without an order', async () => {
    await world.clock.advance(5_000);
    expect(await underWay).toMatchObject({ outcome: 'expired' });
    await settled();
    expect(edges()).toEqual(['0 low']);
    expect(world.guard.view().outputs[0]).toMatchObject({ state: 0 });
  });

  test('has it put off once where that command does', async () => {
    tell({ kind: 'read', level: 'high' });
    expect(await underWay).toMatchObject({ outcome: 'executed', state: 0 });
    await world.clock.advance(5_000);
    expect(edges()).toEqual(['0 low']);
  });
});
