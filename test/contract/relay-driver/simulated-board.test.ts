import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { BOARD_FILE, boardFiles, EDGE_LOG_FILE } from '@relaygate/device-agent/relay/board-files';
import type { InputEdge } from '@relaygate/device-agent/relay/relay-driver';
import { SimulatedBoard } from '@relaygate/device-agent/relay/simulated-board';
import type { Level } from '@relaygate/shared/device';
import { systemClock } from '@relaygate/shared/system';
import { readEdges } from '../../support/device/device';
import type { Edge } from '../../support/device/edge-log';
import { folderForEach } from '../../support/processes/fresh-folder';
import { VirtualClock } from '../../support/time/virtual-clock';
import { inputEdgesContract } from './input-edges.contract';
import { relayDriverContract } from './relay-driver.contract';

const LINES = 4;

function newBoard(
  folder: string,
  wiring: Level[] = Array.from({ length: LINES }, () => 'high'),
  releaseOnDeath = false,
  watched: readonly number[] = [],
) {
  return new SimulatedBoard({ store: boardFiles(folder), clock: systemClock, wiring, releaseOnDeath, watched });
}

for (const wiring of ['high', 'low'] as const) {
  relayDriverContract(`simulated, with relays that are active ${wiring}`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rg-b-'));
    return {
      lines: LINES,
      newDriver: () =>
        newBoard(
          folder,
          Array.from({ length: LINES }, () => wiring),
        ),
      nowMs: () => systemClock.nowMs(),
      // Out of the box the relays have fallen.
      levelOf: (line) => levelInFile(folder, line) ?? (wiring === 'high' ? 'low' : 'high'),
      edgeAtMs: (line) =>
        readEdges(join(folder, EDGE_LOG_FILE)).findLast(({ output }) => output === line)?.atMs ?? null,
      readsBack: true,
      keepsLines: true,
      inputs: simulatedInputs(folder),
      close: async () => rmSync(folder, { recursive: true, force: true }),
    };
  });
}

inputEdgesContract('simulated', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rg-b-'));
  const { count, set } = simulatedInputs(folder);
  set(0, 'low');
  return {
    count,
    newDriver: (watched) => newBoard(folder, undefined, false, watched),
    nowMs: () => systemClock.nowMs(),
    set,
    pollMs: 20,
    close: async () => rmSync(folder, { recursive: true, force: true }),
  };
});

function simulatedInputs(folder: string) {
  const levels: Level[] = ['low', 'low', 'low'];
  return {
    count: levels.length,
    set(input: number, level: Level): void {
      levels[input] = level;
      const file = join(folder, 'inputs.json');
      writeFileSync(`${file}.new`, JSON.stringify(levels));
      renameSync(`${file}.new`, file);
    },
  };
}

function levelInFile(folder: string, line: number): Level | null {
  try {
    return JSON.parse(readFileSync(join(folder, BOARD_FILE), 'utf8')).lines[line]?.level ?? null;
  } catch {
    return null;
  }
}

describe('the simulated board', () => {
  const folder = folderForEach('rg-b-');

  const edges = (): Omit<Edge, 'atMs'>[] =>
    readEdges(join(folder, EDGE_LOG_FILE)).map(({ output, level }) => ({ output, level }));
  const drive = (board: SimulatedBoard, level: Level): Promise<unknown> =>
    board.drive({ line: 0, level, notAfterMs: null });
  const quiet = { lost: () => {}, back: () => {} };

  test('logs an edge for each change of a relay, and none where nothing changes', async () => {
    const board = newBoard(folder);
    await board.open(quiet);
    for (const level of ['low', 'high', 'high', 'low'] as const) await drive(board, level);
    expect(edges()).toEqual([
      { output: 0, level: 1 },
      { output: 0, level: 0 },
    ]);
  });

  test('shows a restarting guard\'s "off" as an edge', async () => {
    const killed = newBoard(folder);
    await killed.open(quiet);
    await drive(killed, 'high');
    const next = newBoard(folder);
    await next.open(quiet);
    expect(edges()).toHaveLength(1);
    await drive(next, 'low');
    expect(edges().at(-1)).toEqual({ output: 0, level: 0 });
  });

  test('is wired as the settings said when it came out of the box, and stays so', async () => {
    const board = newBoard(folder, ['low', 'high', 'high', 'high']);
    await board.open(quiet);
    expect(levelInFile(folder, 0)).toBe('high');
    await drive(board, 'low');
    expect(edges()).toEqual([{ output: 0, level: 1 }]);
    await board.close();
    const rewired = newBoard(folder, ['high', 'high', 'high', 'high']);
    await rewired.open(quiet);
    await drive(rewired, 'high');
    expect(edges().at(-1)).toEqual({ output: 0, level: 0 });
  });

  test('lets its relays fall when the process has died, if it is told to', async () => {
    const killed = newBoard(folder, undefined, true);
    await killed.open(quiet);
    await drive(killed, 'high');
    await newBoard(folder, undefined, true).open(quiet);
    expect(edges().at(-1)).toEqual({ output: 0, level: 0 });
  });

  test('has the inputs that inputs.json says: at a level, or following a relay', async () => {
    const board = newBoard(folder, ['low', 'high', 'high', 'high']);
    await board.open(quiet);
    expect(await board.readInput(0)).toMatchObject({ kind: 'failed' });
    writeFileSync(join(folder, 'inputs.json'), JSON.stringify(['high', { follows: 0 }]));
    expect(await board.readInput(0)).toEqual({ kind: 'read', level: 'high' });
    expect(await board.readInput(1)).toEqual({ kind: 'read', level: 'low' });
    await drive(board, 'low');
    expect(await board.readInput(1)).toEqual({ kind: 'read', level: 'high' });
    expect(await board.readInput(2)).toMatchObject({ kind: 'failed' });
    writeFileSync(join(folder, 'inputs.json'), '[');
    expect(await board.readInput(0)).toMatchObject({ kind: 'failed' });
  });

  describe('over a disk that refuses', () => {
    const FULL = new Error('ENOSPC');
    function newWorld() {
      const disk = { state: null as string | null, edges: [] as Edge[], refuses: { save: false, log: false } };
      const clock = new VirtualClock();
      const store = {
        load: () => disk.state,
        inputs: () => null,
        save(text: string) {
          if (disk.refuses.save) throw FULL;
          disk.state = text;
        },
        log(edge: Edge) {
          if (disk.refuses.log) throw FULL;
          disk.edges.push(edge);
        },
      };
      const board = new SimulatedBoard({ store, clock, wiring: ['high', 'high'], releaseOnDeath: false });
      return { disk, clock, board };
    }

    test('lets a relay fall all the same, and logs the edge later with its time (I4)', async () => {
      const { disk, clock, board } = newWorld();
      await board.open(quiet);
      await drive(board, 'high');
      disk.refuses = { save: true, log: true };
      await clock.advance(500);
      const atMs = clock.nowMs();
      expect(await drive(board, 'low')).toEqual({ kind: 'driven', atMs, readBack: 'low' });
      expect(disk.edges).toHaveLength(1);
      disk.refuses = { save: false, log: false };
      await clock.advance(1_000);
      expect(disk.edges.at(-1)).toEqual({ output: 0, level: 0, atMs });
      expect(JSON.parse(disk.state ?? '').lines[0].level).toBe('low');
    });

    test.each([['save'], ['log']] as const)(
      'that cannot %s loses no edge and gathers no more than one a line',
      async (what) => {
        const { disk, clock, board } = newWorld();
        await board.open(quiet);
        disk.refuses[what] = true;
        for (let n = 0; n < 10; n += 1) for (const level of ['high', 'low'] as const) await drive(board, level);
        disk.refuses[what] = false;
        await clock.advance(1_000);
        expect(disk.edges.map(({ level }) => level)).toEqual(what === 'save' ? [] : [1, 0]);
      },
    );

    test('opens, so that what is energised can be switched off', async () => {
      const { disk, board } = newWorld();
      disk.state = JSON.stringify({ lines: [{ level: 'high', energisedBy: 'high' }], open: true });
      disk.refuses = { save: true, log: true };
      await board.open(quiet);
      expect(await drive(board, 'low')).toMatchObject({ kind: 'driven' });
    });
  });

  describe('that watches inputs', () => {
    function newWorld(inputs: string | null, watched = [0, 1]) {
      const clock = new VirtualClock();
      const disk = { inputs };
      const told: InputEdge[] = [];
      const store = { load: () => null, inputs: () => disk.inputs, save: () => {}, log: () => {} };
      const board = new SimulatedBoard({ store, clock, wiring: ['low'], releaseOnDeath: false, watched });
      const listener = { ...quiet, edges: (edges: readonly InputEdge[]) => void told.push(...edges) };
      return { clock, disk, told, board, open: () => board.open(listener) };
    }

    test('looks every 20 ms, and tells a change with the time of the look before', async () => {
      const { clock, disk, told, open } = newWorld('["low", "low"]');
      const openedMs = clock.nowMs();
      await open();
      await clock.advance(45);
      disk.inputs = '["low", "high"]';
      await clock.advance(14);
      expect(told).toEqual([]);
      await clock.advance(1);
      expect(told).toEqual([{ input: 1, level: 'high', atMs: openedMs + 40 }]);
    });

    test('tells that an input follows a relay', async () => {
      const { clock, told, board, open } = newWorld('[{ "follows": 0 }]');
      await open();
      // Its relay is energised by "low".
      await drive(board, 'low');
      await clock.advance(20);
      await drive(board, 'high');
      await clock.advance(20);
      expect(told.map(({ level }) => level)).toEqual(['high', 'low']);
    });

    test('takes a file that cannot be read for no change, and the time before it for that of the next edge', async () => {
      const { clock, disk, told, open } = newWorld('["low"]');
      const openedMs = clock.nowMs();
      await open();
      disk.inputs = '["lo';
      await clock.advance(60);
      disk.inputs = '["low"]';
      await clock.advance(20);
      expect(told).toEqual([]);
      disk.inputs = null;
      await clock.advance(100);
      disk.inputs = '["high"]';
      await clock.advance(20);
      expect(told).toEqual([{ input: 0, level: 'high', atMs: openedMs + 80 }]);
    });

    test('tells the level of an input that it did not have at first: nobody could read it', async () => {
      const { clock, disk, told, open } = newWorld(null);
      const openedMs = clock.nowMs();
      await open();
      await clock.advance(100);
      disk.inputs = '["low"]';
      await clock.advance(20);
      expect(told).toEqual([{ input: 0, level: 'low', atMs: openedMs }]);
    });

    test.each([
      ['watched', [0], 1],
      ['not watched', [], 0],
    ])('looks only while it is open, and only where inputs are %s', async (_name, watched, timers) => {
      const { clock, board, open } = newWorld('["low"]', watched);
      await open();
      await clock.advance(100);
      expect(clock.pendingTimers).toBe(timers);
      await board.close();
      expect(clock.pendingTimers).toBe(0);
    });
  });

  test('keeps its relays over an orderly end even then', async () => {
    const board = newBoard(folder, undefined, true);
    await board.open(quiet);
    await drive(board, 'high');
    await board.close();
    await newBoard(folder, undefined, true).open(quiet);
    expect(edges()).toEqual([{ output: 0, level: 1 }]);
  });

  test('says that its inputs are unread once nobody could read them for 1 s, and tells the next change', async () => {
    const clock = new VirtualClock();
    let inputs: string | null = '["high", "low"]';
    const store = { load: () => null, save: () => {}, inputs: () => inputs, log: () => {} };
    const board = new SimulatedBoard({ store, clock, wiring: ['high'], releaseOnDeath: false, watched: [0, 1] });
    const heard: unknown[] = [];
    await board.open({
      ...quiet,
      edges: (edges) => void heard.push(...edges.map(({ input, level }) => [input, level])),
      inputsUnread: (numbers) => void heard.push(numbers),
    });
    await clock.advance(100);
    inputs = 'half a fi';
    await clock.advance(990);
    expect(heard).toEqual([]);
    await clock.advance(50);
    expect(heard).toEqual([[0, 1]]);
    await clock.advance(5_000);
    inputs = '["high", "high"]';
    await clock.advance(50);
    expect(heard).toEqual([
      [0, 1],
      [1, 'high'],
    ]);
    await board.close();
  });
});
