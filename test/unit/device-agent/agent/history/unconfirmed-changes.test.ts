/** A change that was refused and stands in settings.json all the same, and what the next technician's change makes of it. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { HistoryEntry } from '@relaygate/shared';
import { AgentInMemory, HISTORY_PATH, PIN_PATH, SETTINGS_PATH } from '../../../../support/device/agent-in-memory';

const REFUSED = { member: 'outputs.2.pulseMs', from: 500, to: 750 };
const WITHDRAWN = { member: 'outputs.2.pulseMs', from: 750, to: 500 };
const OTHER_BOARD = {
  board: { kind: 'gpio', lines: [5, 6, 7, 8] },
  relays: ['A', 'B', 'C', 'D'],
  activeLevel: 'high',
};

let device: AgentInMemory;
/** What a power cut brings back: the replacement of settings.json is not durable. */
let durable: string;
beforeEach(async () => {
  device = await AgentInMemory.started();
  durable = device.files.texts.get(SETTINGS_PATH) ?? '';
  device.files.breaking.set(SETTINGS_PATH, 'EIO');
  await expect(change(2, { pulseMs: 750 })).rejects.toThrow('stands in that file');
  device.files.breaking.clear();
  device.files.failing.clear();
  expect(await entries()).toMatchObject([{ changes: [REFUSED] }, { kind: 'not-confirmed', about: 1, aboutLast: 1 }]);
});

const change = (numOutput: number, wish: object): Promise<unknown> => device.changeOutput(numOutput, wish);
/** Its agent dies before settings.json is replaced. */
async function cutShort(numOutput: number, wish: object): Promise<void> {
  device.files.slow.set(SETTINGS_PATH, new Promise(() => {}));
  device.ask('output', { numOutput, change: wish, force: false }).answer.catch(() => {});
  await device.passed(50);
  device.files.slow.clear();
}
const entries = (): Promise<HistoryEntry[]> => device.historyEntries({ limit: 100 });
const sinceThen = async (): Promise<HistoryEntry[]> => (await entries()).filter(({ seq }) => seq > 2);
const pulses = (): number[] => device.onDisk().outputs.map(({ pulseMs }: { pulseMs: number }) => pulseMs);
/** What the agent enters at a start: nothing, where the history says what the files hold. */
async function enteredAtStart(): Promise<HistoryEntry[]> {
  const known = (await entries()).length;
  await device.restartBoth(300);
  return (await entries()).slice(known);
}

/** Whatever was done: at the next start nothing is new. */
afterEach(async () => {
  expect(await enteredAtStart()).toEqual([]);
});

test('is taken back by the next change, and not in the name of its technician', async () => {
  await change(3, { pulseMs: 600 });
  expect(await sinceThen()).toMatchObject([
    { actor: 'relaygate-agent', kind: 'not-done', about: 1, aboutLast: 1, numOutput: 2, changes: [WITHDRAWN] },
    { actor: 'a test', kind: 'output', changes: [{ member: 'outputs.3.pulseMs', from: 500, to: 600 }] },
  ]);
  expect(pulses()).toEqual([500, 500, 500, 600]);
  // Durable at once: a power cut leaves both or none.
  expect(device.files.texts.get(HISTORY_PATH)?.trim().split('\n')).toHaveLength(4);
});

test('leaves the file when the next technician wants what is in force', async () => {
  await change(2, { pulseMs: 500 });
  expect(pulses()[2]).toBe(500);
  expect(await sinceThen()).toMatchObject([
    { actor: 'relaygate-agent', kind: 'not-done', about: 1, changes: [WITHDRAWN] },
  ]);
});

test('is taken back by the choice of another board', async () => {
  await device.localRequest('board', OTHER_BOARD);
  const [first, ...more] = await sinceThen();
  expect(first).toMatchObject({ actor: 'relaygate-agent', kind: 'not-done', about: 1, changes: [WITHDRAWN] });
  expect(more.length).toBeGreaterThan(0);
  for (const { actor, kind } of more) expect([actor, kind]).toEqual(['a test', 'board']);
  expect(more.flatMap(({ changes }) => changes.map(({ member }) => member))).not.toContain('outputs.2.pulseMs');
});

test.each([
  ['of another output', 3],
  ['of the same setting', 2],
])('stays as it is when the next change, %s, cannot be saved', async (_what, numOutput) => {
  device.files.failing.set(SETTINGS_PATH, 'ENOSPC');
  await expect(change(numOutput, { pulseMs: 600 })).rejects.toMatchObject({ code: 'refused' });
  expect(pulses()).toEqual([500, 500, 750, 500]);
});

test.each([
  ['of another output that the history refused', HISTORY_PATH, 3, 600],
  ['of the same setting that the history refused', HISTORY_PATH, 2, 600],
  ['to the same value that the history refused', HISTORY_PATH, 2, 750],
  ['of another output that settings.json refused', SETTINGS_PATH, 3, 600],
  ['of the same setting that settings.json refused', SETTINGS_PATH, 2, 600],
])('behind another change %s is taken back as what it was', async (_what, path, numOutput, pulseMs) => {
  device.files.failing.set(path, 'ENOSPC');
  await expect(change(numOutput, { pulseMs })).rejects.toMatchObject({ code: 'refused' });
  device.files.failing.clear();
  const known = (await entries()).length;
  await change(3, { pulseMs: 700 });
  expect((await entries()).slice(known)).toMatchObject([
    { actor: 'relaygate-agent', kind: 'not-done', about: 1, aboutLast: 1, numOutput: 2, changes: [WITHDRAWN] },
    { actor: 'a test', kind: 'output', changes: [{ member: 'outputs.3.pulseMs', from: 500, to: 700 }] },
  ]);
});

test.each([
  ['of another output', 3, 600],
  ['of the same setting', 2, 600],
  ['to the same value', 2, 750],
])('stays as it is when the next change, %s, is cut short', async (_what, numOutput, pulseMs) => {
  await cutShort(numOutput, { pulseMs });
  expect((await sinceThen()).map(({ kind }) => kind)).toEqual(['not-done', 'output']);
  for (const { actor } of await enteredAtStart()) expect(actor).toBe('relaygate-agent');
  expect(pulses()).toEqual([500, 500, 750, 500]);
});

test.each([
  ['of another output', 3, 600, ['not-in-file about 3', 'not-in-file about 3', 'not-in-file about 1']],
  ['of the same setting', 2, 600, ['not-in-file about 3', 'not-in-file about 1']],
  ['to the same value', 2, 750, ['not-in-file about 1']],
])('that a power cut undoes with the next one, %s, that is cut short is told as not in the file', async (...given) => {
  const [_what, numOutput, pulseMs, told] = given;
  await cutShort(numOutput, { pulseMs });
  device.files.texts.set(SETTINGS_PATH, durable);
  const entered = await enteredAtStart();
  expect(entered.map(({ kind, about }) => `${kind} about ${about}`)).toEqual(told);
  for (const { actor } of entered) expect(actor).toBe('relaygate-agent');
  expect(pulses()).toEqual([500, 500, 500, 500]);
});

describe('that a power cut brings back, after both it and its taking back had failed,', () => {
  let brought: string;
  let refused: HistoryEntry | undefined;
  beforeEach(async () => {
    await change(3, { pulseMs: 600 });
    device.files.failingLate.set(SETTINGS_PATH, 'EIO');
    brought = '';
    const { replace } = device.files;
    device.files.replace = (path, text, ...more) => {
      if (path === SETTINGS_PATH) brought ||= text;
      return replace.call(device.files, path, text, ...more);
    };
    await expect(change(2, { pulseMs: 750 })).rejects.toMatchObject({ code: 'refused' });
    device.files.failingLate.clear();
    expect(pulses()).toEqual([500, 500, 500, 600]);
    [refused] = (await entries()).slice(-2);
  });
  const confirmed = () => ({
    actor: 'relaygate-agent',
    kind: 'not-confirmed',
    about: refused?.seq,
    aboutLast: refused?.seq,
    changes: [REFUSED],
  });

  test('is not told as the work of a hand', async () => {
    device.files.texts.set(SETTINGS_PATH, brought);
    expect(await enteredAtStart()).toMatchObject([confirmed()]);
    expect(pulses()).toEqual([500, 500, 750, 600]);
  });

  test('is not told so either where the next one is cut short', async () => {
    await cutShort(3, { pulseMs: 800 });
    device.files.texts.set(SETTINGS_PATH, brought);
    const back = { member: 'outputs.3.pulseMs', from: 800, to: 600 };
    expect(await enteredAtStart()).toMatchObject([
      { actor: 'relaygate-agent', kind: 'not-in-file', numOutput: 3, changes: [back] },
      confirmed(),
    ]);
  });
});

test.each([
  ['one that the history refused', { path: HISTORY_PATH, ask: () => change(3, { pulseMs: 600 }) }],
  ['one of the same setting that the history refused', { path: HISTORY_PATH, ask: () => change(2, { pulseMs: 600 }) }],
  ['one that settings.json refused', { path: SETTINGS_PATH, ask: () => change(3, { pulseMs: 600 }) }],
  [
    'one of the same setting that settings.json refused',
    { path: SETTINGS_PATH, ask: () => change(2, { pulseMs: 600 }) },
  ],
  ['a new PIN that was refused', { path: PIN_PATH, ask: () => device.localRequest('new-pin', {}) }],
])('that a power cut undoes behind %s is told as not in the file, not as the work of a hand', async (_what, next) => {
  device.files.failing.set(next.path, 'ENOSPC');
  await expect(next.ask()).rejects.toMatchObject({ code: 'refused' });
  device.files.failing.clear();
  await device.passed(61_000);
  expect(device.files.texts.get(HISTORY_PATH)).toContain('"reason"');
  device.files.texts.set(SETTINGS_PATH, durable);
  expect(await enteredAtStart()).toMatchObject([
    { actor: 'relaygate-agent', kind: 'not-in-file', about: 1, aboutLast: 1, numOutput: 2, changes: [WITHDRAWN] },
  ]);
});

test('that a power cut undoes behind a new PIN is told as not in the file, not as the work of a hand', async () => {
  await device.localRequest('new-pin', {});
  device.files.texts.set(SETTINGS_PATH, durable);
  expect(await enteredAtStart()).toMatchObject([
    { actor: 'relaygate-agent', kind: 'not-in-file', about: 1, aboutLast: 1, changes: [WITHDRAWN] },
  ]);
});

test('a change that was done before a refused one is set back by a hand', async () => {
  await change(3, { pulseMs: 600 });
  const edited = device.files.texts.get(SETTINGS_PATH) ?? '';
  await change(3, { pulseMs: 700 });
  device.files.failing.set(SETTINGS_PATH, 'ENOSPC');
  await expect(change(2, { pulseMs: 600 })).rejects.toMatchObject({ code: 'refused' });
  device.files.failing.clear();
  device.files.texts.set(SETTINGS_PATH, edited);
  expect(await enteredAtStart()).toMatchObject([
    { actor: 'by hand', kind: 'by-hand', changes: [{ member: 'outputs.3.pulseMs', from: 700, to: 600 }] },
  ]);
});
