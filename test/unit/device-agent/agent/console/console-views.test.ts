import { expect, test } from '@jest/globals';
import { historyLines } from '@relaygate/device-agent/agent/console/console-views';
import { wordsOf } from '@relaygate/device-agent/agent/console/console-words';
import type { HistoryEntry } from '@relaygate/shared';

const WHEN = { changes: [], atMs: Date.UTC(2026, 2, 1, 9, 30), bootId: 'b', bootMs: 1 };
const ENTRIES: HistoryEntry[] = [
  { seq: 1, actor: 'console', kind: 'lock', numOutput: 2, forMs: 7_200_000, ...WHEN },
  { seq: 2, actor: 'relayctl as ana', kind: 'unlock', numOutput: 2, ...WHEN },
  { seq: 3, actor: 'relayctl as ana', kind: 'proof', outcome: 'proven', ...WHEN },
  { seq: 4, actor: 'a newer agent', kind: 'polish', ...WHEN },
];

test('locks and proofs are told in the words of each language, an unknown kind by its own', () => {
  expect(historyLines(wordsOf('fr'), ENTRIES)).toEqual([
    '2026-03-01 09:30Z  console  verrouiller 2: pendant 2h',
    '2026-03-01 09:30Z  relayctl as ana  déverrouiller 2',
    '2026-03-01 09:30Z  relayctl as ana  preuve du câblage: prouvé',
    '2026-03-01 09:30Z  a newer agent  polish',
  ]);
  expect(historyLines(wordsOf('en'), ENTRIES)).toEqual([
    '2026-03-01 09:30Z  console  lock 2: for 2h',
    '2026-03-01 09:30Z  relayctl as ana  unlock 2',
    '2026-03-01 09:30Z  relayctl as ana  proof of the wiring: proven',
    '2026-03-01 09:30Z  a newer agent  polish',
  ]);
});
