import { expect, test } from '@jest/globals';
import { HistoryFile } from '@relaygate/device-agent/agent/history/history-file';
import { type HistoryEntry, KEPT_HISTORY_ENTRIES } from '@relaygate/shared';
import { MemoryFiles } from '../../../../support/device/memory-files';

const PATH = '/data/history.jsonl';
const DURABLE = 10;

test('what a card refuses counts as durable at no time, also when it has pushed out all that is', async () => {
  const files = new MemoryFiles();
  const file = await HistoryFile.open({
    files,
    path: PATH,
    randomness: { bytes: (n) => new Uint8Array(n), fraction: () => 0 },
  });
  const add = (): void => file.add([entry(file.lastSeq + 1)]);
  const durable = (): number[] => file.durableAfter(0, Number.POSITIVE_INFINITY).map(({ seq }) => seq);
  for (let n = 0; n < DURABLE; n += 1) add();
  await file.write();
  const first = durable();
  expect(first).toHaveLength(DURABLE);
  files.failing.set(PATH, 'EROFS');
  const isKept = new Set<number>();
  for (let n = 0; n < KEPT_HISTORY_ENTRIES + 300; n += 1) {
    add();
    for (const seq of durable()) isKept.add(seq);
  }
  expect([...isKept]).toEqual(first);
  expect(durable()).toEqual([]);
  await expect(file.write()).rejects.toThrow('EROFS');
  expect(durable()).toEqual([]);
  files.failing.clear();
  await file.write();
  expect(durable()).toHaveLength(file.lines.length);
});

function entry(seq: number): HistoryEntry {
  return { seq, actor: 'a test', kind: 'pulse', numOutput: 0, changes: [], atMs: seq, bootId: 'boot-1', bootMs: seq };
}
