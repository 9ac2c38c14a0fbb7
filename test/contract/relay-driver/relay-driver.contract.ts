/** What every relay driver must do. A new driver adds a `<name>.test.ts` beside this file with its own world. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { RelayDriver } from '@relaygate/device-agent/relay/relay-driver';
import { oppositeLevel } from '@relaygate/device-agent/runtime/opposite-level';
import type { Level } from '@relaygate/shared/device';
import { pause } from '../../support/time/waiting';

/** A board and the means to look at it past its driver. */
export interface BoardWorld {
  readonly lines: number;
  /** A driver for the board, as a newly started process would make it. */
  newDriver(): RelayDriver;
  nowMs(): number;
  /** The level at the line itself; null where a test cannot see it. */
  levelOf(line: number): Level | null | Promise<Level>;
  /** When the line itself last moved, on the clock of `nowMs`; null where a test cannot see it. */
  edgeAtMs(line: number): number | null | Promise<number | null>;
  /** Whether the driver can read a line back. */
  readonly readsBack: boolean;
  /** The driver can ask the relays how they are now. */
  readonly readsLines?: true;
  /** Switches the relay of a line off past the driver, as a board that loses its own supply does. */
  drop?(line: number): Promise<void>;
  /** Lines stay as they are when the process dies. */
  readonly keepsLines: boolean;
  /** Of a board that has inputs: how many, and how a test brings one to a level. */
  readonly inputs?: { readonly count: number; set(input: number, level: Level): void };
  /** What the system does when the driver's process is killed; absent where it does nothing. */
  kill?(driver: RelayDriver): Promise<void>;
  close(): Promise<void>;
}

const NEVER_LATE = null;
/** A board that times it has units of 100 ms. */
const WATCHED_PULSE_MS = 300;
const LOOK_EVERY_MS = 5;
const quiet = { lost: () => {}, back: () => {} };

export function relayDriverContract(name: string, newWorld: () => Promise<BoardWorld>): void {
  describe(`the relay driver ${name}`, () => {
    let world: BoardWorld;
    let driver: RelayDriver;
    beforeEach(async () => {
      world = await newWorld();
      driver = world.newDriver();
    });
    afterEach(async () => {
      await driver.close();
      await world.close();
    });

    const levels = (): Promise<(Level | null)[]> =>
      Promise.all(Array.from({ length: world.lines }, (_, line) => world.levelOf(line)));

    test('moves no line when it is opened', async () => {
      const before = await levels();
      await driver.open(quiet);
      expect(await levels()).toEqual(before);
    });

    test.each(['high', 'low'] as const)(
      'moves no line when it is opened over lines that a killed process has driven %s (I5)',
      async (level) => {
        await driver.open(quiet);
        for (let line = 0; line < world.lines; line += 1) await driver.drive({ line, level, notAfterMs: NEVER_LATE });
        await world.kill?.(driver);
        const before = await levels();
        if (world.keepsLines) for (const left of before) expect([level, null]).toContain(left);
        const next = world.newDriver();
        await next.open(quiet);
        expect(await levels()).toEqual(before);
        await next.close();
      },
    );

    test('brings a line to the level ordered, and says when', async () => {
      await driver.open(quiet);
      for (const level of ['high', 'low', 'low', 'high'] as const) {
        const fromMs = world.nowMs();
        const result = await driver.drive({ line: 1, level, notAfterMs: NEVER_LATE });
        expect(result).toEqual({ kind: 'driven', atMs: expect.any(Number), readBack: world.readsBack ? level : null });
        const atMs = result.kind === 'driven' ? result.atMs : Number.NaN;
        expect(atMs).toBeGreaterThanOrEqual(fromMs);
        expect(atMs).toBeLessThanOrEqual(world.nowMs());
        expect([level, null]).toContain(await world.levelOf(1));
      }
    });

    test('gives as its time the moment before the edge, never a later one, for a pulse is counted from there (I4)', async () => {
      await driver.open(quiet);
      for (const level of ['low', 'high', 'low'] as const) {
        const result = await driver.drive({ line: 1, level, notAfterMs: NEVER_LATE });
        const atMs = result.kind === 'driven' ? result.atMs : Number.NaN;
        expect(atMs).toBeLessThanOrEqual((await world.edgeAtMs(1)) ?? atMs);
      }
    });

    test('touches no other line', async () => {
      await driver.open(quiet);
      for (let line = 0; line < world.lines; line += 1)
        await driver.drive({ line, level: 'low', notAfterMs: NEVER_LATE });
      await driver.drive({ line: 2, level: 'high', notAfterMs: NEVER_LATE });
      const others = Array.from({ length: world.lines }, (_, line) => line).filter((line) => line !== 2);
      for (const line of others) expect(['low', null]).toContain(await world.levelOf(line));
    });

    test('starts no edge at or after its deadline (I2)', async () => {
      await driver.open(quiet);
      await driver.drive({ line: 0, level: 'low', notAfterMs: NEVER_LATE });
      const late = await driver.drive({ line: 0, level: 'high', notAfterMs: world.nowMs() });
      expect(late).toEqual({ kind: 'too-late' });
      expect(['low', null]).toContain(await world.levelOf(0));
      const inTime = await driver.drive({ line: 0, level: 'high', notAfterMs: world.nowMs() + 60_000 });
      expect(inTime.kind).toBe('driven');
    });

    test('carries out orders for one line in the order given', async () => {
      await driver.open(quiet);
      const ordered: Level[] = ['high', 'low', 'high', 'low'];
      const results = await Promise.all(
        ordered.map((level) => driver.drive({ line: 0, level, notAfterMs: NEVER_LATE })),
      );
      expect(results.at(-1)?.kind).toBe('driven');
      expect(['low', null]).toContain(await world.levelOf(0));
    });

    test('fails an order for a line that the board does not have, and works on', async () => {
      await driver.open(quiet);
      const result = await driver.drive({ line: world.lines, level: 'high', notAfterMs: NEVER_LATE });
      expect(result).toEqual({ kind: 'failed', problem: { code: 'no-line', values: { line: world.lines } } });
      expect((await driver.drive({ line: 0, level: 'high', notAfterMs: NEVER_LATE })).kind).toBe('driven');
    });

    test('fails orders once it is closed, without moving a line', async () => {
      await driver.open(quiet);
      await driver.drive({ line: 0, level: 'high', notAfterMs: NEVER_LATE });
      // A pseudo-terminal that is closed loses what nobody has read yet.
      if (world.keepsLines) expect(await world.levelOf(0)).toBe('high');
      await driver.close();
      expect((await driver.drive({ line: 0, level: 'low', notAfterMs: NEVER_LATE })).kind).toBe('failed');
      if (world.keepsLines) expect(await world.levelOf(0)).toBe('high');
    });

    test('takes over the lines as a killed process has left them', async () => {
      await driver.open(quiet);
      await driver.drive({ line: 0, level: 'high', notAfterMs: NEVER_LATE });
      await world.kill?.(driver);
      const next = world.newDriver();
      await next.open(quiet);
      if (world.keepsLines) expect(await world.levelOf(0)).toBe('high');
      expect((await next.drive({ line: 0, level: 'low', notAfterMs: NEVER_LATE })).kind).toBe('driven');
      expect(['low', null]).toContain(await world.levelOf(0));
      await next.close();
    });

    test('says what a line is now, and moves none for it; or does not offer to', async () => {
      await driver.open(quiet);
      expect(driver.readLine !== undefined).toBe(world.readsLines ?? false);
      if (!driver.readLine) return;
      for (const level of ['high', 'low', 'high'] as const) {
        await driver.drive({ line: 1, level, notAfterMs: NEVER_LATE });
        const edgeMs = await world.edgeAtMs(1);
        expect(await driver.readLine(1)).toEqual({ kind: 'read', level: world.readsBack ? level : null });
        expect(await world.edgeAtMs(1)).toBe(edgeMs);
      }
      if (world.drop) {
        await world.drop(1);
        expect(await driver.readLine(1)).toEqual({ kind: 'read', level: 'low' });
        expect((await driver.drive({ line: 1, level: 'high', notAfterMs: NEVER_LATE })).kind).toBe('driven');
        expect(await driver.readLine(1)).toEqual({ kind: 'read', level: 'high' });
      }
      expect((await driver.readLine(world.lines)).kind).toBe('failed');
      await driver.close();
      expect((await driver.readLine(1)).kind).toBe('failed');
    });

    test('reads each input as it is, whatever the lines do', async () => {
      await driver.open(quiet);
      const { inputs } = world;
      if (inputs === undefined) {
        expect((await driver.readInput?.(0))?.kind ?? 'failed').toBe('failed');
        return;
      }
      for (const level of ['high', 'low', 'high'] as const) {
        for (let input = 0; input < inputs.count; input += 1) {
          for (let other = 0; other < inputs.count; other += 1)
            inputs.set(other, other === input ? level : oppositeLevel(level));
          await driver.drive({ line: 0, level: oppositeLevel(level), notAfterMs: NEVER_LATE });
          expect(await driver.readInput?.(input)).toEqual({ kind: 'read', level });
        }
      }
      expect((await driver.readInput?.(inputs.count))?.kind).toBe('failed');
    });

    test('reads its inputs without moving a line, and not once it is closed', async () => {
      const before = await levels();
      await driver.open(quiet);
      world.inputs?.set(0, 'high');
      await driver.readInput?.(0);
      expect(await levels()).toEqual(before);
      await driver.close();
      expect((await driver.readInput?.(0))?.kind ?? 'failed').toBe('failed');
    });

    test('takes the length of a pulse, and while somebody watches the line ends none before its time (I4)', async () => {
      await driver.open(quiet);
      await driver.drive({ line: 0, level: 'low', notAfterMs: NEVER_LATE });
      const result = await driver.drive({ line: 0, level: 'high', notAfterMs: NEVER_LATE, pulseMs: WATCHED_PULSE_MS });
      const atMs = result.kind === 'driven' ? result.atMs : Number.NaN;
      const dueMs = atMs + WATCHED_PULSE_MS;
      const onMs = await world.edgeAtMs(0);
      let looks = 0;
      for (; world.nowMs() < dueMs; looks += 1) {
        const edgeMs = await world.edgeAtMs(0);
        // Of a look that ends behind the pulse's own end nothing follows.
        if (edgeMs !== onMs) expect(edgeMs).toBeGreaterThanOrEqual(dueMs);
        const level = await world.levelOf(0);
        if (world.nowMs() < dueMs) expect(['high', null]).toContain(level);
        await pause(LOOK_EVERY_MS);
      }
      expect(looks).toBeGreaterThan(1);
      const endMs = await world.edgeAtMs(0);
      if (endMs !== onMs) expect(endMs).toBeGreaterThanOrEqual(dueMs);
    });
  });
}
