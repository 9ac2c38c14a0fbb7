/** Maintenance locks in the history: entered before they are saved, and told of whatever becomes of them. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { AgentInMemory, HISTORY_PATH, LOCKS_PATH } from '../../../../support/device/agent-in-memory';

const HOUR_MS = 3_600_000;

let device: AgentInMemory;
beforeEach(async () => {
  device = await AgentInMemory.started();
});

const lock = (numOutput = 0, forMs = HOUR_MS): Promise<unknown> => device.localRequest('lock', { numOutput, forMs });
const unlock = (numOutput = 0): Promise<unknown> => device.localRequest('unlock', { numOutput });
const entries = () => device.historyEntries({ limit: 100 });
const told = async (): Promise<string[]> =>
  (await entries()).map(({ kind, about, reason }) => [kind, about ?? '', reason ?? ''].join(' ').trim());

describe('a lock', () => {
  test('and its end by hand are entered with who and for how long, before they are saved', async () => {
    device.files.log.length = 0;
    await lock(2, 2 * HOUR_MS);
    await unlock(2);
    expect(await entries()).toMatchObject([
      { seq: 1, actor: 'a test', kind: 'lock', numOutput: 2, forMs: 2 * HOUR_MS, changes: [] },
      { seq: 2, actor: 'a test', kind: 'unlock', numOutput: 2, changes: [] },
    ]);
    const own = device.files.log.filter((line) => /history|locks/.test(line));
    expect(own).toEqual([
      `append ${HISTORY_PATH}`,
      `replace ${LOCKS_PATH}`,
      `append ${HISTORY_PATH}`,
      `replace ${LOCKS_PATH}`,
    ]);
  });

  test('whose entry cannot be written yet is in force, and told and saved later', async () => {
    device.files.failing.set(HISTORY_PATH, 'ENOSPC');
    expect(await lock()).toMatchObject({ unsaved: { code: 'ENOSPC' } });
    // Never a change without its entry.
    expect(device.files.texts.has(LOCKS_PATH)).toBe(false);
    device.files.failing.clear();
    await device.passed(61_000);
    expect(await told()).toEqual(['lock']);
    expect(JSON.parse(device.files.texts.get(LOCKS_PATH) ?? '')).toMatchObject({ entrySeq: 1 });
  });

  test('that was ended before it could be saved leaves nothing to tell: the next agent knows of no lock', async () => {
    device.files.failing.set(LOCKS_PATH, 'EIO');
    expect(await lock(3)).toMatchObject({ unsaved: { code: 'EIO' } });
    expect(await unlock(3)).toEqual({ numOutput: 3, wasLocked: true });
    await device.restartAgent(200);
    expect(await told()).toEqual(['lock', 'unlock']);
  });

  test('whose end cannot be saved is told as not done', async () => {
    await lock(3);
    device.files.failing.set(LOCKS_PATH, 'EIO');
    await expect(unlock(3)).rejects.toMatchObject({ code: 'refused' });
    device.files.failing.clear();
    expect((await entries()).at(-1)).toMatchObject({ kind: 'not-done', numOutput: 3, about: 2, reason: 'refused' });
    await device.restartAgent(200);
    expect(await told()).toEqual(['lock', 'unlock', 'not-done 2 refused']);
  });

  test('that the guard has not answered is told as not confirmed: it holds with the next guard', async () => {
    device.killGuard();
    await device.passed(10);
    await expect(lock()).rejects.toMatchObject({ code: 'guard-unreachable' });
    await device.restartAgent(200);
    expect(await told()).toEqual(['lock', 'not-confirmed 1']);
  });

  test('in a file of an older agent, which says of no entry, is left alone', async () => {
    await lock();
    device.stopAgent();
    const { entrySeq: _, ...older } = JSON.parse(device.files.texts.get(LOCKS_PATH) ?? '');
    device.files.texts.set(LOCKS_PATH, JSON.stringify(older));
    await device.startAgent(200);
    expect(await told()).toEqual(['lock']);
    await unlock();
    expect(await told()).toEqual(['lock', 'unlock']);
  });
});

test('an entry of a kind and with members that this agent does not know is kept, told and reported as it is', async () => {
  await lock();
  device.stopAgent();
  const newer = {
    seq: 2,
    actor: 'a newer agent',
    kind: 'polish',
    changes: [],
    withWhat: 'wax',
    bootId: 'b',
    bootMs: 1,
  };
  const line = JSON.stringify({ entries: [{ ...newer, atMs: null }] });
  device.files.texts.set(HISTORY_PATH, `${device.files.texts.get(HISTORY_PATH)}${line}\n`);
  await device.startAgent(200);
  expect((await entries()).at(-1)).toMatchObject(newer);
  const asked = device.server.of('events').at(-1);
  device.server.say({ type: 'events-kept', historyId: asked?.historyId ?? '', upTo: 1 });
  await device.passed(50);
  expect(device.server.of('events').at(-1)?.entries).toMatchObject([newer]);
});
