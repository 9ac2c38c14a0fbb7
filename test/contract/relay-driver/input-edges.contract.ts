/** What every relay driver must do whose board tells the edges of its inputs. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { InputEdge, RelayDriver } from '@relaygate/device-agent/relay/relay-driver';
import type { Level } from '@relaygate/shared/device';
import { eventually, pause } from '../../support/time/waiting';

/** A board with at least three inputs, all low at first, and the means to move them past its driver. */
export interface InputWorld {
  readonly count: number;
  newDriver(watched: readonly number[]): RelayDriver;
  nowMs(): number;
  set(input: number, level: Level): void | Promise<void>;
  /** How often the board is looked at; null: edges have a time of their own. */
  readonly pollMs: number | null;
  /** Of a board that may go and come back. */
  readonly cable?: { unplug(): void | Promise<void>; plug(): void | Promise<void> };
  close(): Promise<void>;
}

const FLAPS_MS = 1_500;
const OTHER_EDGES = 10;
const QUIET_MS = 150;
const LATE_LOOKS = 20;

interface Told extends InputEdge {
  toldMs: number;
}

export function inputEdgesContract(name: string, newWorld: () => Promise<InputWorld>): void {
  describe(`the inputs of the relay driver ${name}`, () => {
    let world: InputWorld;
    let driver: RelayDriver;
    let told: Told[] = [];
    let heard: string[] = [];
    const listener = {
      lost: () => void heard.push('lost'),
      back: () => void heard.push('back'),
      edges: (edges: readonly InputEdge[]) => {
        for (const edge of edges) told.push({ ...edge, toldMs: world.nowMs() });
      },
    };
    beforeEach(async () => {
      told = [];
      heard = [];
      world = await newWorld();
    });
    afterEach(async () => {
      await driver.close();
      await world.close();
    });

    async function open(watched: readonly number[]): Promise<void> {
      driver = world.newDriver(watched);
      await driver.open(listener);
      // A board that is polled says nothing before it has looked.
      for (const input of watched) await driver.readInput?.(input);
      await untilLooked();
    }
    const untilLooked = () => pause(world.pollMs === null ? 5 : 3 * world.pollMs);
    const of = (input: number): Told[] => told.filter((edge) => edge.input === input);
    const levelsOf = (input: number): Level[] => of(input).map(({ level }) => level);

    test('are told once they change, each edge once, with a time between its own and that of its telling', async () => {
      await open([0, 2]);
      expect(told).toEqual([]);
      for (const level of ['high', 'low', 'high'] as const) {
        for (const input of [0, 2]) {
          const before = of(input).length;
          const fromMs = world.nowMs();
          await world.set(input, level);
          const setMs = world.nowMs();
          await eventually(() => of(input).length > before);
          await untilLooked();
          expect(of(input)).toHaveLength(before + 1);
          const edge = of(input).at(-1);
          expect(edge).toMatchObject({ input, level });
          // The time of a look is that of the one before the edge, which may have been late.
          const earliestMs = world.pollMs === null ? fromMs : fromMs - LATE_LOOKS * world.pollMs;
          expect(edge?.atMs).toBeGreaterThanOrEqual(earliestMs);
          expect(edge?.atMs).toBeLessThanOrEqual(world.pollMs === null ? (edge?.toldMs ?? 0) : setMs);
        }
      }
    });

    test('are told in the order of their times', async () => {
      await open([1]);
      const levels: Level[] = ['high', 'low', 'high', 'low', 'high'];
      for (const level of levels) {
        await world.set(1, level);
        await untilLooked();
      }
      await eventually(() => of(1).length === levels.length);
      expect(levelsOf(1)).toEqual(levels);
      const times = of(1).map(({ atMs }) => atMs);
      expect(times).toEqual([...times].sort((a, b) => a - b));
    });

    test('are not told where they are not watched, nor where the board has none', async () => {
      await open([0, world.count]);
      await world.set(1, 'high');
      await world.set(0, 'high');
      await eventually(() => of(0).length === 1);
      await untilLooked();
      expect(told.map(({ input }) => input)).toEqual([0]);
    });

    test('are read as they are, watched or not', async () => {
      await open([0]);
      for (const level of ['high', 'low', 'high'] as const) {
        for (const input of [0, 1]) {
          await world.set(input, level);
          expect(await driver.readInput?.(input)).toEqual({ kind: 'read', level });
        }
      }
      expect((await driver.readInput?.(world.count))?.kind).toBe('failed');
    });

    test('are not told for what they were before the driver was opened', async () => {
      await world.set(0, 'high');
      await open([0]);
      await pause(QUIET_MS);
      expect(told).toEqual([]);
      expect(await driver.readInput?.(0)).toEqual({ kind: 'read', level: 'high' });
    });

    test('are not told once it is closed', async () => {
      await open([0]);
      const closing = driver.close();
      await world.set(0, 'high');
      await closing;
      await world.set(0, 'low');
      await pause(QUIET_MS);
      expect(told).toEqual([]);
      expect((await driver.readInput?.(0))?.kind).toBe('failed');
    });

    test('lose no edge to another that flaps 1,000 times a second, and no order waits for it', async () => {
      await open([0, 1]);
      const endMs = world.nowMs() + FLAPS_MS;
      let flaps = 0;
      let edges = 0;
      // A board that is polled sees no two of them within a poll, so that a late machine does not catch up.
      const apartMs = FLAPS_MS / OTHER_EDGES;
      let nextMs = world.nowMs() + apartMs / 2;
      while (world.nowMs() < endMs) {
        flaps += 1;
        await world.set(0, flaps % 2 === 1 ? 'high' : 'low');
        if (world.nowMs() > nextMs) {
          edges += 1;
          await world.set(1, edges % 2 === 1 ? 'high' : 'low');
          const level = edges % 2 === 1 ? 'high' : 'low';
          expect((await driver.drive({ line: 0, level, notAfterMs: null })).kind).toBe('driven');
          nextMs = world.nowMs() + apartMs;
        }
        await pause(1);
      }
      await world.set(0, 'high');
      await eventually(() => of(1).length === edges && levelsOf(0).at(-1) === 'high');
      await untilLooked();
      expect(levelsOf(1)).toEqual(Array.from({ length: edges }, (_, n) => (n % 2 === 0 ? 'high' : 'low')));
      expect(levelsOf(0).at(-1)).toBe('high');
      expect(of(0).length).toBeLessThanOrEqual(flaps + 1);
    });

    test('are told again after the board was away, and not for what happened meanwhile', async () => {
      await open([0]);
      const { cable } = world;
      if (cable === undefined) return;
      await cable.unplug();
      await eventually(() => heard.includes('lost'));
      await world.set(0, 'high');
      await cable.plug();
      await eventually(() => heard.at(-1) === 'back');
      expect(await driver.readInput?.(0)).toEqual({ kind: 'read', level: 'high' });
      await untilLooked();
      expect(told).toEqual([]);
      await world.set(0, 'low');
      await eventually(() => of(0).length === 1);
      expect(levelsOf(0)).toEqual(['low']);
    });
  });
}
