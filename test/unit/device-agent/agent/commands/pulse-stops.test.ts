/** Ending a pulse on site, from a local request to the board, the history and the log. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { AgentInMemory } from '../../../../support/device/agent-in-memory';
import { errorWith } from '../../../../support/device/error-with';

const GATE = 2;

let device: AgentInMemory;
beforeEach(async () => {
  device = await AgentInMemory.started();
});

const seen = async (): Promise<number | null> => (await device.status()).outputs[GATE]?.pulseSinceMs ?? null;
const pulse = (): Promise<unknown> => device.localRequest('pulse', { numOutput: GATE });
const stop = (pulseSinceMs: number | null, more = {}): Promise<unknown> =>
  device.localRequest('stop', { numOutput: GATE, pulseSinceMs, ...more });
const off = (more = {}): Promise<unknown> => device.localRequest('set', { numOutput: GATE, state: 0, ...more });
const edges = (): [string, number][] =>
  device.board.edges.map(({ level, atMs }) => [level, atMs - (device.board.edges[0]?.atMs ?? 0)]);

describe('stop', () => {
  test('ends the pulse that was seen, and stands in history and log with who did it', async () => {
    await pulse();
    await device.passed(200);
    expect(await stop(await seen())).toEqual({ outcome: 'executed', numOutput: GATE, state: 0 });
    expect(edges()).toEqual([
      ['high', 0],
      ['low', 200],
    ]);
    const entered = { kind: 'stop', numOutput: GATE, actor: 'a test', outcome: 'executed' };
    expect(await device.lastEntry()).toMatchObject(entered);
    expect((await device.loggedEvents()).at(-1)?.text).toBe('stop 2 by a test: executed');
    expect(await device.status()).toMatchObject({
      lastCommands: [{ words: 'pulse 2' }, { words: 'stop 2', outcome: 'executed', by: 'a test' }],
    });
    await device.passed(1_000);
    expect(device.server.of('report').at(-1)?.outputs[GATE]).toMatchObject({ state: 0 });
  });

  test('that comes late leaves the next pulse alone, and says so', async () => {
    await pulse();
    const earlier = await seen();
    await device.passed(600);
    await pulse();
    await device.passed(100);
    const refused = errorWith('refused', /pulse of output 2 that runs now began after you looked/);
    await expect(stop(earlier)).rejects.toMatchObject(refused);
    await expect(stop(null)).rejects.toMatchObject(refused);
    await device.passed(1_000);
    expect(edges().at(-1)).toEqual(['low', 1_100]);
  });
});

describe('"off" on site', () => {
  test('ends the pulse that runs, and is entered as a stop', async () => {
    await pulse();
    await device.passed(200);
    expect(await off()).toEqual({ outcome: 'executed', numOutput: GATE, state: 0 });
    expect(edges().at(-1)).toEqual(['low', 200]);
    expect(await device.lastEntry()).toMatchObject({ kind: 'stop' });
  });

  test('ends no other pulse than the one that was seen', async () => {
    await pulse();
    await expect(off({ pulseSinceMs: null })).rejects.toMatchObject({ code: 'refused' });
    expect(device.board.levels[GATE]).toBe('high');
  });

  test('moves nothing where no pulse runs', async () => {
    expect(await off()).toEqual({ outcome: 'already-set', numOutput: GATE, state: 0 });
    expect(device.board.edges).toEqual([]);
  });

  test('of the server goes on moving nothing', async () => {
    await pulse();
    device.server.command('c1', GATE, { action: 'set', state: 0 });
    await device.passed(100);
    expect(device.server.of('result')).toMatchObject([{ outcome: 'executed', state: 1 }]);
    expect(device.board.levels[GATE]).toBe('high');
  });
});
