/**
 * A change that is cut off at every step of every file access, by the death of the agent and by a power cut: the files
 * hold the old or the new, never anything else, and the history says which. I5, I8.
 */
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import type { HistoryEntry } from '@relaygate/shared';
import { parseDeviceSettings } from '@relaygate/shared/device';
import {
  AgentInMemory,
  LOCKS_PATH,
  PIN_PATH,
  PROOF_PATH,
  SETTINGS_PATH,
} from '../../../../support/device/agent-in-memory';
import { CrashingFiles } from '../../../../support/device/crashing-files';

/** More than any change here takes; a change that is through before it has not been cut off. */
const MAX_STEPS = 40;

interface Change {
  name: string;
  /** What is done before it, and is not cut off. */
  prepare?(device: AgentInMemory): Promise<void>;
  ask(device: AgentInMemory): Promise<unknown>;
}

async function clickAll(device: AgentInMemory): Promise<void> {
  for (const numOutput of [0, 1, 2, 3]) {
    const click = device.localRequest('click', { numOutput });
    await device.passed(5_000);
    await click;
  }
}

/** Says of each relay that it clicked, and whether it is on now. */
async function prove(device: AgentInMemory, isOn: boolean): Promise<unknown> {
  const { wiring } = (await device.localRequest('proof', {})) as { wiring: object };
  const answers = [1, 2, 3, 4].map((relay) => ({ relay, isOn }));
  return device.localRequest('prove', { by: 'Ada', wiring, answers });
}

const CHANGES: readonly Change[] = [
  {
    name: 'of an output',
    ask: (device) => device.changeOutput(2, { pulseMs: 750, name: 'Gate' }),
  },
  {
    name: 'of the board',
    ask: (device) =>
      device.localRequest('board', {
        board: { kind: 'gpio', lines: [5, 6, 7, 8] },
        relays: ['A', 'B', 'C', 'D'],
        activeLevel: 'low',
      }),
  },
  { name: 'of four polarities, by one proof,', prepare: clickAll, ask: (device) => prove(device, true) },
  { name: 'of the proof', prepare: clickAll, ask: (device) => prove(device, false) },
  { name: 'of the PIN', ask: (device) => device.localRequest('new-pin', {}) },
  { name: 'of a lock', ask: (device) => device.localRequest('lock', { numOutput: 2, forMs: 3_600_000 }) },
  { name: 'of a lock that is taken away', ask: (device) => device.localRequest('unlock', { numOutput: 1 }) },
];
/** Entries of what was there before. */
const EARLIER = 2;

describe.each(['death', 'power cut'] as const)('a %s', (end) => {
  test.each(CHANGES)(
    'at every step of a change $name leaves old or new, and a history that tells it',
    async (change) => {
      let cuts = 0;
      for (let step = 0; step < MAX_STEPS; step += 1) {
        const outcome = await cutAt(step, end, change);
        if (outcome === 'not cut') break;
        cuts += 1;
      }
      // An append and a replace at least, each with what comes before, within and behind it.
      expect(cuts).toBeGreaterThanOrEqual(6);
      expect(cuts).toBeLessThan(MAX_STEPS);
    },
  );
});

async function cutAt(step: number, end: 'death' | 'power cut', { prepare, ask }: Change): Promise<'cut' | 'not cut'> {
  const device = await AgentInMemory.started();
  await device.changeOutput(3, { pulseMs: 600 });
  await device.localRequest('lock', { numOutput: 1, forMs: 3_600_000 });
  const before = filesOf(device);

  const crashing = new CrashingFiles(device.files, Number.POSITIVE_INFINITY);
  device.stopAgent();
  await device.startAgent(100, crashing);
  await prepare?.(device);
  crashing.dieAtStep(step);
  const answer = ask(device).then(
    () => 'confirmed',
    () => 'refused',
  );
  await device.passed(50);
  if (!crashing.isDead) {
    expect(await answer).toBe('confirmed');
    return 'not cut';
  }
  device.stopAgent();
  if (end === 'power cut') crashing.cutPower();
  device.killGuard();

  await device.startGuard();
  await device.startAgent(300);
  judge(before, filesOf(device), await device.historyEntries({ limit: 100 }));
  // And the device goes on.
  await device.changeOutput(3, { retrigger: 'extend' }).catch((error) => {
    expect(String(error)).toContain('another board');
  });
  const known = await device.historyEntries({ limit: 100 });
  device.stopAgent();
  await device.startAgent();
  expect(await device.historyEntries({ limit: 100 })).toEqual(known);
  return 'cut';
}

interface DeviceFiles {
  settings: string;
  pin: string | null;
  proof: string | null;
  /** The outputs that are locked. */
  locked: number[];
}

function filesOf({ files }: { files: { texts: Map<string, string> } }): DeviceFiles {
  const { locks } = JSON.parse(files.texts.get(LOCKS_PATH) ?? '') as { locks: { numOutput: number }[] };
  return {
    settings: files.texts.get(SETTINGS_PATH) ?? '',
    pin: files.texts.get(PIN_PATH) ?? null,
    proof: files.texts.get(PROOF_PATH) ?? null,
    locked: locks.map(({ numOutput }) => numOutput),
  };
}

/** Nothing changes without its entry; what the entries add up to is what the files hold. */
function judge(before: DeviceFiles, after: DeviceFiles, entries: readonly HistoryEntry[]): void {
  const settings = parseDeviceSettings(JSON.parse(after.settings));
  expect(settings.ok).toBe(true);
  // No change here leaves two polarities.
  if (settings.ok) expect(new Set(settings.value.outputs.map(({ activeLevel }) => activeLevel)).size).toBe(1);
  const isNew = !isDeepStrictEqual(before, after);
  const kinds = ['output', 'board', 'pin', 'lock', 'unlock', 'proof'];
  const made = entries.filter(({ kind, seq }) => seq > EARLIER && kinds.includes(kind));
  const takenBack = entries.some(({ kind, about }) => kind === 'not-in-file' && about === made[0]?.seq);
  expect(entries.map(({ actor }) => actor)).not.toContain('by hand');
  if (isNew) expect(made.length).toBeGreaterThan(0);
  expect(takenBack).toBe(made.length > 0 && !isNew);
  const seqs = entries.map(({ seq }) => seq);
  expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
}

test('the judge sees a change without its entry, and an entry without its change', () => {
  const settings = new AgentInMemory().files.texts.get(SETTINGS_PATH) ?? '';
  const entry = { seq: EARLIER + 1, actor: 'a test', kind: 'pin', changes: [], atMs: null, bootId: 'b', bootMs: 1 };
  const [old, changed] = [
    { settings, pin: null, proof: null, locked: [] },
    { settings, pin: 'x', proof: null, locked: [] },
  ];
  expect(() => judge(old, changed, [])).toThrow();
  expect(() => judge(old, old, [entry])).toThrow();
  expect(() => judge(old, changed, [entry])).not.toThrow();
});
