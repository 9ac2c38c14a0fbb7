import { describe, expect, test } from '@jest/globals';
import { Journal } from '@relaygate/device-agent/guard/journal';
import {
  JournalMemory,
  MAX_LIVE_COMMANDS,
  MAX_TRACES,
  readJournal,
} from '@relaygate/device-agent/guard/journal-memory';
import type { Cause } from '@relaygate/device-agent/runtime/cause';
import { KEPT_OUTCOMES } from '@relaygate/shared';
import { MemoryFiles } from '../../../support/device/memory-files';
import { settled, VirtualClock } from '../../../support/time/virtual-clock';

const PATH = '/run/journal.jsonl';

/** A deadline that has long passed, and one that is ahead. */
const PAST_MS = 0;
const AHEAD_MS = 60_000;
const NOW_MS = 10_000;
const NOTE = { command: { action: 'set', state: 1 }, by: 'somebody', atMs: NOW_MS } as const;

async function openJournal(files: MemoryFiles, bootId = 'boot-1', mayHaveRun = false) {
  const faults: (Cause | null)[] = [];
  const clock = new VirtualClock();
  await clock.advance(NOW_MS);
  const onFault = (problem: Cause | null): void => void faults.push(problem);
  const journal = new Journal({ files, clock, path: PATH, bootId, onFault });
  const { corruption, earlier } = await journal.load(mayHaveRun);
  await journal.begin();
  return { journal, corruption, earlier, faults };
}

describe('the journal', () => {
  test('tells a guard of the same boot since when outputs are on, and when agent and link were heard', async () => {
    const files = new MemoryFiles();
    const { journal, earlier } = await openJournal(files);
    expect(earlier).toBeNull();
    journal.note({ output: 0, onSinceMs: 500 });
    journal.note({ output: 1, onSinceMs: 600 });
    journal.note({ output: 1, onSinceMs: null });
    journal.note({ presence: { agentMs: 700, linkMs: 650, linkIsUp: false } });
    await settled();
    const known = { onSinceMs: new Map([[0, 500]]), heartbeat: { agentMs: 700, linkMs: 650, linkIsUp: false } };
    // Once from its lines, once from a file written anew.
    expect((await openJournal(files)).earlier).toEqual(known);
    expect((await openJournal(files)).earlier).toEqual(known);
    expect((await openJournal(files, 'boot-2')).earlier).toBeNull();
  });

  test('knows after a restart what was settled, what was started and the epoch', async () => {
    const files = new MemoryFiles();
    const { journal } = await openJournal(files);
    await journal.record({ epoch: 7 });
    await journal.record({ started: 'a', startBeforeMs: AHEAD_MS });
    await journal.record({
      outcome: { commandId: 'a', outcome: 'executed', numOutput: 0, state: 1 },
      startBeforeMs: AHEAD_MS,
      note: NOTE,
    });
    await journal.record({ started: 'b', startBeforeMs: AHEAD_MS });
    const { journal: reopened } = await openJournal(files, 'boot-1', true);
    expect(reopened.memory.epoch).toBe(7);
    expect(reopened.memory.commandOf('a')).toEqual({
      kind: 'settled',
      startBeforeMs: AHEAD_MS,
      confirmation: { commandId: 'a', outcome: 'executed', numOutput: 0, state: 1 },
      note: NOTE,
    });
    expect(reopened.memory.commandOf('b')).toEqual({ kind: 'started', startBeforeMs: AHEAD_MS });
    expect(reopened.memory.neverCame('another')).toBe(true);
  });

  test('of another boot is forgotten', async () => {
    const files = new MemoryFiles();
    const { journal } = await openJournal(files);
    await journal.record({ epoch: 7 });
    await journal.record({ started: 'a', startBeforeMs: AHEAD_MS });
    const { journal: next } = await openJournal(files, 'boot-2');
    expect(next.memory.commandOf('a')).toBeUndefined();
    expect(next.memory.epoch).toBe(0);
    expect(next.memory.neverCame('another')).toBe(true);
  });

  test('that is missing though the guard ran in this boot calls nothing "never started"', async () => {
    const { journal } = await openJournal(new MemoryFiles(), 'boot-1', true);
    expect(journal.memory.neverCame('another')).toBe(false);
  });

  test('that is corrupt is kept aside, and calls nothing "never started", not even after one more restart', async () => {
    const files = new MemoryFiles();
    files.texts.set(PATH, '{"bootId":"boot-1","complete":true}\n{"started":\u0000}\n{"epoch":1}\n');
    const { journal, corruption } = await openJournal(files);
    expect(corruption).toEqual({ problem: null, kept: { keptAs: `${PATH}.corrupt-1`, keepProblem: '' } });
    expect(journal.memory.neverCame('another')).toBe(false);
    const { journal: reopened } = await openJournal(files);
    expect(reopened.memory.neverCame('another')).toBe(false);
  });

  test.each([
    ['cannot be read', 'unreadable'],
    ['is corrupt and cannot be kept aside', 'failing'],
  ] as const)('that %s stops nothing, and calls nothing "never started" (I4)', async (_name, how) => {
    const files = new MemoryFiles();
    files.texts.set(PATH, 'no journal\n');
    files.unreadable.set(PATH, how === 'unreadable' ? 'EIO' : '');
    files.failing.set(PATH, 'EROFS');
    const { journal, corruption } = await openJournal(files);
    expect(corruption?.kept).toMatchObject({ keptAs: '', keepProblem: { code: 'EROFS' } });
    expect(journal.memory.neverCame('another')).toBe(false);
  });

  test('forgets half a line at the end, for what it announces has not happened', () => {
    const read = readJournal('{"bootId":"b","complete":true}\n{"epoch":2}\n{"started":"a', 'b', NOW_MS);
    expect(
      read.kind === 'read' && [read.memory.epoch, read.memory.commandOf('a'), read.memory.neverCame('another')],
    ).toEqual([2, undefined, true]);
  });

  const settle = (memory: JournalMemory, commandId: string, startBeforeMs: number): void =>
    memory.apply({ outcome: { commandId, outcome: 'executed' }, startBeforeMs }, NOW_MS);

  test(`keeps the outcomes of the last ${KEPT_OUTCOMES} commands, and knows of the others that they came`, () => {
    const memory = new JournalMemory('b', true);
    for (let n = 0; n <= KEPT_OUTCOMES; n += 1) settle(memory, `c${n}`, PAST_MS);
    const again = readJournal(memory.text(), 'b', NOW_MS);
    for (const each of [memory, again.kind === 'read' ? again.memory : null]) {
      expect([each?.commandOf('c0'), each?.neverCame('c0')]).toEqual([undefined, false]);
      expect(each?.commandOf('c1')).toBeDefined();
      expect(each?.neverCame('another')).toBe(true);
    }
  });

  test('calls nothing "never started" once it cannot know of every command any more (I15)', () => {
    const memory = new JournalMemory('b', true);
    for (let n = 0; n < KEPT_OUTCOMES + MAX_TRACES; n += 1) settle(memory, `c${n}`, PAST_MS);
    expect([memory.neverCame('another'), memory.neverCame('c0')]).toEqual([true, false]);
    settle(memory, 'one-more', PAST_MS);
    expect([memory.neverCame('another'), memory.neverCame('c0')]).toEqual([false, false]);
  });

  test('forgets no command whose deadline is still ahead (I1), also when it is read again', () => {
    const memory = new JournalMemory('b', true);
    for (let n = 0; n <= KEPT_OUTCOMES; n += 1) settle(memory, `c${n}`, AHEAD_MS);
    const again = readJournal(memory.text(), 'b', NOW_MS);
    for (const each of [memory, again.kind === 'read' ? again.memory : null]) {
      expect(each?.commandOf('c0')).toBeDefined();
      expect(each?.neverCame('another')).toBe(true);
    }
  });

  test('is full when too many deadlines are ahead, and has room again when they have passed (I15)', () => {
    const memory = new JournalMemory('b', true);
    for (let n = 0; n < MAX_LIVE_COMMANDS - 1; n += 1) settle(memory, `c${n}`, AHEAD_MS);
    expect([memory.hasRoom(0, NOW_MS), memory.hasRoom(1, NOW_MS)]).toEqual([true, false]);
    expect(memory.hasRoom(1, 2 * AHEAD_MS)).toBe(true);
    expect(memory.size).toBe(KEPT_OUTCOMES);
  });

  test('is written anew after a failed write, so that no half line stays in its middle', async () => {
    const files = new MemoryFiles();
    const { journal, faults } = await openJournal(files);
    files.failing.set(PATH, 'ENOSPC');
    await expect(journal.record({ started: 'a', startBeforeMs: AHEAD_MS })).rejects.toThrow('ENOSPC');
    expect(faults.at(-1)).toMatchObject({ code: 'ENOSPC' });
    files.failing.delete(PATH);
    files.log.length = 0;
    await journal.record({ started: 'b', startBeforeMs: AHEAD_MS });
    expect(files.log).toEqual([`replace ${PATH}`]);
    expect(faults.at(-1)).toBeNull();
    expect(readJournal(files.texts.get(PATH) ?? '', 'boot-1', NOW_MS).kind).toBe('read');
  });

  test('stays bounded in its file', async () => {
    const files = new MemoryFiles();
    const { journal } = await openJournal(files);
    for (let n = 0; n < 20 * KEPT_OUTCOMES; n += 1)
      await journal.record({
        outcome: { commandId: `c${n}`, outcome: 'executed' },
        startBeforeMs: PAST_MS,
        note: NOTE,
      });
    expect((files.texts.get(PATH) ?? '').split('\n').length).toBeLessThan(10 * KEPT_OUTCOMES);
  });

  test('does not forget an outcome when the record of its start is read again', () => {
    const memory = new JournalMemory('b', true);
    memory.apply({ outcome: { commandId: 'a', outcome: 'executed' }, startBeforeMs: PAST_MS }, NOW_MS);
    memory.apply({ started: 'a', startBeforeMs: PAST_MS }, NOW_MS);
    expect(memory.commandOf('a')?.kind).toBe('settled');
  });

  test('of an older guard counts no press as forgotten, for its agent has entered them', () => {
    const press = (n: number) => ({ commandId: `button-${n}`, outcome: 'executed', numOutput: 0 }) as const;
    const memory = new JournalMemory('b', true);
    for (let n = 0; n < KEPT_OUTCOMES + 44; n += 1)
      memory.apply({ outcome: press(n), startBeforeMs: PAST_MS, note: NOTE }, NOW_MS);
    expect(memory.presses.forgotten).toBe(44);
    const lines = Array.from({ length: KEPT_OUTCOMES + 44 }, (_, n) =>
      JSON.stringify({ outcome: press(n), startBeforeMs: PAST_MS, note: NOTE }),
    );
    const text = `${[JSON.stringify({ bootId: 'b', complete: true }), ...lines].join('\n')}\n`;
    const older = readJournal(text, 'b', NOW_MS);
    expect(older.kind === 'read' && older.memory.presses.forgotten).toBe(0);
    const own = readJournal(memory.text(), 'b', NOW_MS);
    expect(own.kind === 'read' && own.memory.presses.forgotten).toBe(44);
  });

  test('tells of presses that were through at once in one answer: what is entered is known by that time', () => {
    const memory = new JournalMemory('b', true);
    const settle = (n: number, atMs: number): void =>
      memory.apply(
        {
          outcome: { commandId: `button-${n}`, outcome: 'executed', numOutput: 0 },
          startBeforeMs: PAST_MS,
          note: { ...NOTE, atMs },
        },
        NOW_MS,
      );
    for (let n = 0; n < 98; n += 1) settle(n, n + 1);
    for (let n = 98; n < 105; n += 1) settle(n, 200);
    settle(105, 201);
    expect(memory.presses.presses).toHaveLength(105);
    memory.apply({ forgotten: [], presses: { enteredMs: 200, enteredForgotten: 0 } }, NOW_MS);
    expect(memory.presses.presses).toHaveLength(1);
  });

  test('says of presses what an older guard reads as no traces', () => {
    const lines = new JournalMemory('b', true).text().trim().split('\n');
    const record = lines.map((line) => JSON.parse(line)).find((line) => 'presses' in line);
    expect(record).toMatchObject({ forgotten: [] });
  });
});
