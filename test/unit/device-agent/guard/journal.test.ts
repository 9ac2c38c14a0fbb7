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

  test('stays bounded in its file, which keeps the epoch (I12)', async () => {
    const files = new MemoryFiles();
    const { journal } = await openJournal(files);
    await journal.record({ epoch: 7 });
    for (let n = 0; n < 20 * KEPT_OUTCOMES; n += 1)
      await journal.record({
        outcome: { commandId: `c${n}`, outcome: 'executed' },
        startBeforeMs: PAST_MS,
        note: NOTE,
      });
    expect((files.texts.get(PATH) ?? '').split('\n').length).toBeLessThan(10 * KEPT_OUTCOMES);
    expect((await openJournal(files)).journal.memory.epoch).toBe(7);
  });

  test('does not forget an outcome when the record of its start is read again', () => {
    const memory = new JournalMemory('b', true);
    memory.apply({ outcome: { commandId: 'a', outcome: 'executed' }, startBeforeMs: PAST_MS }, NOW_MS);
    memory.apply({ started: 'a', startBeforeMs: PAST_MS }, NOW_MS);
    expect(memory.commandOf('a')).toHaveProperty('outcome');
  });

  describe('numbers presses', () => {
    const press = (pressSeq: number) =>
      ({
        outcome: { commandId: `button-${pressSeq}`, outcome: 'executed', numOutput: 0 },
        startBeforeMs: PAST_MS,
        note: { ...NOTE, pressSeq },
      }) as const;
    const numbersOf = ({ presses }: JournalMemory) => presses.presses.map(({ pressSeq }) => pressSeq);

    test('and tells of those behind the last one that is entered, a hundred at once, for they must fit into a line', () => {
      const memory = new JournalMemory('b', true);
      for (let n = 1; n <= 150; n += 1) memory.apply(press(n), NOW_MS);
      expect([numbersOf(memory).length, memory.presses.upTo]).toEqual([100, 100]);
      memory.apply({ forgotten: [], enteredPress: 100 }, NOW_MS);
      expect([numbersOf(memory).at(0), memory.presses.upTo]).toEqual([101, 150]);
    });

    test.each([
      ['another one was lost', { corrupt: true }],
      ['it is of a guard that numbers none, whose agent has entered those it knew', { corrupt: false }],
    ])('behind all that were in this boot where %s', async (_why, { corrupt }) => {
      const files = new MemoryFiles();
      const { note, ...rest } = press(1);
      const { pressSeq: _none, ...unnumbered } = note;
      const lines = [
        { bootId: 'boot-1', complete: true },
        { ...rest, note: unnumbered },
        { forgotten: [], presses: { forgotten: 3, enteredMs: 0, enteredForgotten: 0 } },
      ];
      files.texts.set(PATH, `${corrupt ? 'x' : ''}${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
      const { journal, corruption } = await openJournal(files, 'boot-1', true);
      expect(corruption !== null).toBe(corrupt);
      const { entered, upTo, presses } = journal.memory.presses;
      expect([upTo, presses]).toEqual([entered, []]);
      expect(entered).toBeGreaterThanOrEqual(NOW_MS);
    });

    test('in words that a guard without numbers can read', () => {
      const memory = new JournalMemory('b', true, 0, { entered: 3, last: 5 });
      expect(JSON.parse(memory.text())).toEqual({ bootId: 'b', complete: true, presses: { entered: 3, last: 5 } });
      const journal = readJournal(`${memory.text()}{"forgotten":[],"enteredPress":4}\n`, 'b', NOW_MS);
      expect(journal.kind === 'read' && journal.memory.presses).toEqual({ entered: 4, upTo: 5, presses: [] });
    });
  });
});
