/** When the edges of a gpio-sysfs board were: the kernel does not say. */
import { beforeEach, expect, test } from '@jest/globals';
import { openGuard } from '@relaygate/device-agent/guard/open-guard';
import type { InputEdge } from '@relaygate/device-agent/relay/relay-driver';
import { SysfsBoard } from '@relaygate/device-agent/relay/sysfs-board';
import type { SysfsGpio } from '@relaygate/device-agent/relay/sysfs-gpio';
import type { InputSettings, Level } from '@relaygate/shared/device';
import { FakeBoard } from '../../../support/device/fake-board';
import { IMPULSE, portsOf } from '../../../support/device/guard-in-memory';
import { MemoryFiles } from '../../../support/device/memory-files';
import { VirtualClock } from '../../../support/time/virtual-clock';

const LATE_MS = 100;

let clock: VirtualClock;
let board: SysfsBoard;
let level: Level;
let changed: (level: Level | null) => void;
let edges: InputEdge[];

beforeEach(() => {
  clock = new VirtualClock();
  level = 'high';
  edges = [];
  const gpio: SysfsGpio = {
    chips: () => [{ label: 'chip', base: 0, lines: 10 }],
    export: async () => true,
    unexport: () => {},
    output(_number, at) {
      let now = at;
      const write = (next: Level): void => {
        now = next;
      };
      return { write, read: () => now, unexport: () => {} };
    },
    async input(_number, told) {
      changed = told ?? changed;
      return { read: () => level, end: () => {} };
    },
  };
  const lock = async () => ({ release: async () => {} });
  const wiring = { chip: 'chip', offsets: [0], inputs: [{ line: 1 }], watched: [0] };
  board = new SysfsBoard({ gpio, lock, clock, slackClock: clock, ...wiring });
});

const open = () => board.open({ lost: () => {}, back: () => {}, edges: (heard) => void edges.push(...heard) });

test('have the time of their handling', async () => {
  await open();
  for (let n = 0; n < 10; n += 1) {
    await clock.advance(33);
    changed('low');
    expect(edges.at(-1)).toEqual({ input: 0, level: 'low', atMs: clock.nowMs() });
  }
});

test.each(['before', 'after'])('have a time before the process was held up, handled %s its timers', async (when) => {
  await open();
  await clock.advance(1_000);
  const aliveMs = clock.nowMs();
  clock.holdUp(5_000);
  if (when === 'after') await clock.advance(1);
  changed('low');
  expect(edges[0]?.atMs).toBeLessThanOrEqual(aliveMs);
  expect(edges[0]?.atMs).toBeGreaterThanOrEqual(aliveMs - LATE_MS);
  await clock.advance(LATE_MS);
  changed('high');
  expect(edges[1]?.atMs).toBe(clock.nowMs());
});

test('leave no timer behind', async () => {
  await open();
  await board.close();
  expect(clock.pendingTimers).toBe(0);
});

test('move nothing if a button was pressed while the process was held up for long', async () => {
  const inputs: InputSettings[] = [{ kind: 'button', numInput: 0, name: 'Exit', output: 0, action: 'pulse' }];
  const ports = portsOf({ clock, files: new MemoryFiles(), board: new FakeBoard(clock, 1) });
  const guard = await openGuard([IMPULSE], { ...ports, driver: board, inputs });
  await guard.lock([]);
  await clock.advance(1_000);
  level = 'low';
  clock.holdUp(5_000);
  changed('low');
  await clock.advance(500);
  expect(guard.view().lastCommands).toMatchObject([{ outcome: 'expired' }]);
});
