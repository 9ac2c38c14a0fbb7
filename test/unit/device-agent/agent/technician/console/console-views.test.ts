import { expect, test } from '@jest/globals';
import { historyLines, statusLines } from '@relaygate/device-agent/agent/technician/console/console-views';
import type { DeviceStatus } from '@relaygate/device-agent/agent/technician/local-messages/device';
import { localeOf } from '@relaygate/device-agent/locales/locales';
import type { HistoryEntry } from '@relaygate/shared';
import { completeOutput } from '@relaygate/shared/device';
import { DEMO_OUTPUTS } from '../../../../../support/device/device';

const WHEN = { changes: [], atMs: Date.UTC(2026, 2, 1, 9, 30), bootId: 'b', bootMs: 1 };
const ENTRIES: HistoryEntry[] = [
  { seq: 1, actor: 'console', kind: 'lock', numOutput: 2, forMs: 7_200_000, ...WHEN },
  { seq: 2, actor: 'relayctl as ana', kind: 'unlock', numOutput: 2, ...WHEN },
  { seq: 3, actor: 'relayctl as ana', kind: 'proof', outcome: 'proven', ...WHEN },
  { seq: 4, actor: 'a newer agent', kind: 'polish', ...WHEN },
];

test('locks and proofs are told in the words of each language, an unknown kind by its own', () => {
  expect(historyLines(localeOf('fr').console, ENTRIES)).toEqual([
    '2026-03-01 09:30Z  console  verrouiller 2: pendant 2 h',
    '2026-03-01 09:30Z  relayctl as ana  déverrouiller 2',
    '2026-03-01 09:30Z  relayctl as ana  preuve du câblage: prouvé',
    '2026-03-01 09:30Z  a newer agent  polish',
  ]);
  expect(historyLines(localeOf('en').console, ENTRIES)).toEqual([
    '2026-03-01 09:30Z  console  lock 2: for 2h',
    '2026-03-01 09:30Z  relayctl as ana  unlock 2',
    '2026-03-01 09:30Z  relayctl as ana  proof of the wiring: proven',
    '2026-03-01 09:30Z  a newer agent  polish',
  ]);
});

const STATUS: DeviceStatus = {
  productLogin: 'gate-1',
  agentVersion: '0.1.0',
  nowMs: 0,
  link: { isUp: true, serverUrl: 'wss://gate.example.com', epoch: 1, problem: null, cause: null },
  guard: { isReachable: true, problem: null },
  outputs: DEMO_OUTPUTS.slice(0, 3).map((output, numOutput) => ({ numOutput, ...completeOutput(output), state: 0 })),
  faults: [{ code: 'x', text: 'A fault.' }],
  webLeftMs: null,
  lastCommands: [],
};
/** Output 0 as it is, 1 locked, 2 in a pulse; what was done, oldest first. */
const BUSY: DeviceStatus = {
  ...STATUS,
  outputs: STATUS.outputs.map((output, numOutput) => ({
    ...output,
    ...(numOutput === 1 ? { lock: { leftMs: 7_140_000, by: 'relayctl as ana' } } : {}),
    ...(numOutput === 2 ? { state: 1 as const, pulseLeftMs: 420 } : {}),
  })),
  lastCommands: [
    { numOutput: 1, words: 'set 1 on', by: null, outcome: 'refused', reason: 'locked', at: null, agoMs: 61_000 },
    { numOutput: 0, words: 'toggle 0', by: 'a client', outcome: 'already-set', at: null, agoMs: 9_000 },
    { numOutput: 2, words: 'pulse 2', by: 'console', outcome: 'executed', at: null, agoMs: 2_000 },
  ],
};

test('the status tells what is left of a pulse, the locks, and who gave the last commands, in each language', () => {
  expect(statusLines(localeOf('en').console, BUSY)).toEqual([
    'Product      gate-1',
    'Link         up',
    'Relays       the relay service answers',
    '',
    expect.stringMatching(/^ 0 {2}Output 0 +off +on-off$/),
    expect.stringMatching(/^ 1 {2}Output 1 +off +on-off$/),
    '    locked for 1h 59m by relayctl as ana',
    expect.stringMatching(/^ 2 {2}Output 2 +on +impulse 500 ms \(420 ms left\)$/),
    '',
    'Last commands:',
    'pulse 2: done, 2s ago, by console',
    'toggle 0: was so already, 9s ago, by a client',
    'switch on 1: refused (locked), 1m 1s ago',
    '',
    'Faults:',
    '- A fault.',
  ]);
  const french = statusLines(localeOf('fr').console, BUSY);
  expect(french).toContain('    verrouillée encore 1 h 59 min, par relayctl as ana');
  expect(french[7]).toMatch(/activée +impulsion 500 ms \(encore 420 ms\)$/);
  expect(french).toContain('impulsion 2: fait, il y a 2 s, par console');
  expect(french).toContain('inverser 0: déjà ainsi, il y a 9 s, par a client');
  expect(french).toContain('activer 1: refusé (sortie verrouillée pour maintenance), il y a 1 min 1 s');
});

test('a long rest of a pulse is told in hours and minutes, and without commands there is no word of them', () => {
  const outputs = STATUS.outputs.map((output) => ({ ...output, pulseLeftMs: 3_540_000 }));
  const lines = statusLines(localeOf('en').console, { ...STATUS, outputs });
  expect(lines[4]).toContain('(59m left)');
  expect(lines.join()).not.toContain('Last commands');
});
