/** Maintenance locks from relayctl's request to the board, over restarts, reboots and bad disks. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { cause } from '@relaygate/device-agent/runtime/problem';
import { LOCK_MAX_MS } from '@relaygate/shared';
import { AgentInMemory, HISTORY_PATH, LOCKS_PATH } from '../../../../support/device/agent-in-memory';
import { errorWith } from '../../../../support/device/error-with';

const HOUR_MS = 3_600_000;

let device: AgentInMemory;
beforeEach(async () => {
  device = await AgentInMemory.started();
});

const lock = (numOutput = 0, forMs = HOUR_MS): Promise<unknown> => device.localRequest('lock', { numOutput, forMs });
const unlock = (numOutput = 0): Promise<unknown> => device.localRequest('unlock', { numOutput });
let commands = 0;
async function remoteOutcome(numOutput = 0): Promise<string> {
  commands += 1;
  const commandId = `remote-${commands}`;
  device.server.command(commandId, numOutput);
  await device.passed(50);
  const result = device.server.of('result').find((message) => message.commandId === commandId);
  return `${result?.outcome} ${result?.reason ?? ''}`.trim();
}

const statusLock = async () => (await device.status()).outputs[0]?.lock;
const kinds = async () => (await device.historyEntries({ limit: 5 })).map(({ kind }) => kind);
const fileLocks = (): unknown => JSON.parse(device.files.texts.get(LOCKS_PATH) ?? '{"locks":[]}').locks;
/** As a power cut does. */
async function reboot(): Promise<void> {
  device.stopAgent();
  device.killGuard();
  device.bootId = 'boot-2';
  await device.start();
}

describe('a lock', () => {
  test('refuses remote commands, is reported, and lets local ones through, until it is taken away', async () => {
    expect(await lock()).toEqual({ numOutput: 0, forMs: HOUR_MS });
    expect(await remoteOutcome()).toBe('refused locked');
    expect(await remoteOutcome(1)).toBe('executed');
    expect(await device.localRequest('set', { numOutput: 0, state: 1 })).toMatchObject({ outcome: 'executed' });
    const reported = device.server.of('report').at(-1)?.outputs[0]?.lockedForMs ?? 0;
    expect(reported).toBeGreaterThan(HOUR_MS - 1_000);
    expect(await device.status()).toMatchObject({
      outputs: [{ lock: { by: 'a test' } }, {}, {}, {}],
    });
    expect(await unlock()).toEqual({ numOutput: 0, wasLocked: true });
    expect(await remoteOutcome()).toBe('executed');
    expect(device.server.of('report').at(-1)?.outputs[0]).not.toHaveProperty('lockedForMs');
    expect(await unlock()).toEqual({ numOutput: 0, wasLocked: false });
  });

  test('ends by itself; that is saved once and reported, and nothing else is in between', async () => {
    await lock(0, 600_000);
    await device.passed(1_000);
    device.files.log.length = 0;
    const reports = device.server.of('report').length;
    await device.passed(598_000);
    expect(device.files.log.filter((line) => line.includes(LOCKS_PATH))).toEqual([]);
    expect(device.server.of('report')).toHaveLength(reports);
    await device.passed(3_000);
    expect(device.files.log.filter((line) => line.includes(LOCKS_PATH))).toEqual([`replace ${LOCKS_PATH}`]);
    expect(device.server.of('report')).toHaveLength(reports + 1);
    expect(device.server.of('report').at(-1)?.outputs[0]).not.toHaveProperty('lockedForMs');
    expect(await remoteOutcome()).toBe('executed');
  });

  test('holds in a guard that is started again, before any remote command', async () => {
    await lock();
    device.killGuard();
    await device.passed(10);
    await device.startGuard();
    // On its way while the agent looks for the guard.
    const outcomes: string[] = [];
    for (let n = 0; n < 10; n += 1) outcomes.push(await remoteOutcome());
    expect(new Set(outcomes)).toEqual(new Set(['refused guard-unreachable', 'refused locked']));
    expect(outcomes.at(-1)).toBe('refused locked');
  });

  test('holds after a restart of the agent for the time that is left', async () => {
    await lock(0, HOUR_MS);
    device.stopAgent();
    await device.passed(HOUR_MS / 2);
    await device.startAgent(200);
    expect(await remoteOutcome()).toBe('refused locked');
    await device.passed(HOUR_MS / 2);
    expect(await remoteOutcome()).toBe('executed');
  });

  test('of an agent that may have died before it was durable is not called saved before it is', async () => {
    await lock();
    device.stopAgent();
    const synced = device.files.hold(LOCKS_PATH);
    device.files.log.length = 0;
    await device.startAgent(50);
    expect(await remoteOutcome()).toBe('refused locked');
    expect(await statusLock()).toMatchObject({ isUnsaved: true });
    device.files.slow.clear();
    synced();
    await device.passed(10);
    expect(await statusLock()).not.toHaveProperty('isUnsaved');
    expect(device.files.log.filter((line) => line.includes('locks'))).toEqual([]);
  });

  test('of such an agent is written anew where the disk cannot say that it is durable', async () => {
    await lock();
    device.stopAgent();
    device.files.failing.set(LOCKS_PATH, 'EIO');
    await device.startAgent(50);
    expect(await statusLock()).toMatchObject({ isUnsaved: true });
    device.files.failing.clear();
    await device.passed(60_000);
    expect(await statusLock()).not.toHaveProperty('isUnsaved');
    expect(device.files.log).toContain(`replace ${LOCKS_PATH}`);
  });

  test('begins anew after a reboot with what was left when it was saved, and only once', async () => {
    await lock(0, HOUR_MS);
    await device.passed(HOUR_MS / 2);
    await reboot();
    await device.passed(0.75 * HOUR_MS);
    expect(await remoteOutcome()).toBe('refused locked');
    // The same boot now: its clock goes on.
    await reboot();
    await device.passed(0.25 * HOUR_MS);
    expect(await remoteOutcome()).toBe('executed');
  });

  test('is in force in the guard before anything is written', async () => {
    const ends = [HISTORY_PATH, LOCKS_PATH].map((path) => device.files.hold(path));
    const locked = lock();
    await device.passed(50);
    expect(await remoteOutcome()).toBe('refused locked');
    expect(await statusLock()).toMatchObject({ isUnsaved: true });
    for (const end of ends) end();
    expect(await locked).toEqual({ numOutput: 0, forMs: HOUR_MS });
    expect(await statusLock()).not.toHaveProperty('isUnsaved');
  });

  test.each([
    ['locks.json fails', 'failing', LOCKS_PATH],
    ['locks.json fails once the file is new', 'failingLate', LOCKS_PATH],
    ['the history fails', 'failing', HISTORY_PATH],
  ] as const)('that cannot be saved, because %s, is in force, and said not to be saved', async (_name, how, path) => {
    device.files[how].set(path, 'ENOSPC');
    expect(await lock()).toEqual({
      numOutput: 0,
      forMs: HOUR_MS,
      unsaved: { code: 'ENOSPC', values: {}, text: 'ENOSPC' },
    });
    expect(await remoteOutcome()).toBe('refused locked');
    expect(await statusLock()).toMatchObject({ by: 'a test', isUnsaved: true });
    expect(device.server.of('report').at(-1)?.faults.join()).toContain('locks.json cannot be written (ENOSPC)');
    device.files[how].clear();
    await device.passed(61_000);
    expect(fileLocks()).toMatchObject([{ numOutput: 0 }]);
    expect(await statusLock()).not.toHaveProperty('isUnsaved');
    expect(device.server.of('report').at(-1)?.faults).toEqual([]);
    await reboot();
    expect(await remoteOutcome()).toBe('refused locked');
  });

  test.each([LOCKS_PATH, HISTORY_PATH])('is in force though %s hangs, and answered in time', async (path) => {
    device.files.slow.set(path, new Promise(() => {}));
    const locked = lock();
    await device.passed(2_500);
    expect(await locked).toEqual({ numOutput: 0, forMs: HOUR_MS, unsaved: cause('disk-silent', {}) });
    expect(await remoteOutcome()).toBe('refused locked');
  });

  test('that was not saved is gone after a power cut, and the history says so', async () => {
    device.files.failing.set(LOCKS_PATH, 'EIO');
    await lock();
    await reboot();
    device.files.failing.clear();
    expect(await remoteOutcome()).toBe('executed');
    expect(await kinds()).toEqual(['lock', 'not-in-file']);
  });

  test('that was saved stays where the card refuses its end, now and after a restart', async () => {
    await lock();
    device.files.failing.set(LOCKS_PATH, 'ENOSPC');
    await expect(unlock()).rejects.toMatchObject(errorWith('refused', /ENOSPC.*stays locked, also after a restart/));
    expect(await remoteOutcome()).toBe('refused locked');
    expect(await statusLock()).not.toHaveProperty('isUnsaved');
    await reboot();
    expect(await remoteOutcome()).toBe('refused locked');
  });

  test('that was saved stays too where a newer one that could not be saved is taken away', async () => {
    await lock();
    device.files.failing.set(LOCKS_PATH, 'ENOSPC');
    expect(await lock()).toMatchObject({ unsaved: { code: 'ENOSPC' } });
    await expect(unlock()).rejects.toMatchObject(errorWith('refused', /ENOSPC.*stays locked, also after a restart/));
    expect(await remoteOutcome()).toBe('refused locked');
    await reboot();
    expect(await remoteOutcome()).toBe('refused locked');
  });

  test('that was not saved can be taken away where the one that was saved is over', async () => {
    await lock(0, 60_000);
    device.files.failing.set(LOCKS_PATH, 'ENOSPC');
    await device.passed(61_000);
    expect(await lock()).toMatchObject({ unsaved: { code: 'ENOSPC' } });
    expect(await unlock()).toEqual({ numOutput: 0, wasLocked: true });
    expect(await remoteOutcome()).toBe('executed');
  });

  test('whose end may stand in the file stays for now, and the answer says that a restart may end it', async () => {
    await lock();
    device.files.failingLate.set(LOCKS_PATH, 'EIO');
    await expect(unlock()).rejects.toMatchObject(errorWith('refused', 'for now; after a restart it may be unlocked'));
    expect(await remoteOutcome()).toBe('refused locked');
    expect(await statusLock()).toMatchObject({ isUnsaved: true });
    device.files.failingLate.clear();
    await device.passed(61_000);
    expect(await statusLock()).not.toHaveProperty('isUnsaved');
    expect(fileLocks()).toMatchObject([{ numOutput: 0 }]);
  });

  test('that neither a guard hears of nor the card takes is none', async () => {
    device.killGuard();
    await device.passed(10);
    device.files.failing.set(LOCKS_PATH, 'EIO');
    await expect(lock()).rejects.toMatchObject(errorWith('refused', 'is not locked'));
    device.files.failing.clear();
    await device.startGuard(500);
    expect(await remoteOutcome()).toBe('executed');
    await device.passed(61_000);
    expect(fileLocks()).toEqual([]);
    expect(await kinds()).toEqual(['lock', 'not-done']);
  });

  test('in the place of another one that neither guard nor card takes leaves that one, and says so', async () => {
    await lock(0, HOUR_MS);
    device.killGuard();
    await device.passed(10);
    device.files.failing.set(LOCKS_PATH, 'EIO');
    const message = expect.stringMatching(/output 0 stays locked as before\.$/);
    await expect(lock(0, 2 * HOUR_MS)).rejects.toMatchObject({ code: 'refused', message });
    await device.startGuard(500);
    expect(await remoteOutcome()).toBe('refused locked');
    expect((await statusLock())?.leftMs).toBeLessThan(HOUR_MS);
  });

  test('asked for behind another one that waits for a hung guard is not begun when nobody waits any more (I2)', async () => {
    device.isGuardHung = true;
    const first = lock(0).catch((error: unknown) => error);
    const soon = { numOutput: 1, forMs: HOUR_MS, notAfterMs: device.clock.nowMs() + 1_000 };
    const second = device.localRequest('lock', soon).catch((error: unknown) => error);
    await device.passed(14_000);
    expect(await first).toMatchObject({ code: 'guard-unreachable' });
    expect(await second).toMatchObject(errorWith('refused', 'too late'));
    expect(fileLocks()).toMatchObject([{ numOutput: 0 }]);
  });

  test('is not confirmed without a guard, and holds in the next one', async () => {
    device.killGuard();
    await device.passed(10);
    await expect(lock()).rejects.toMatchObject(errorWith('guard-unreachable', 'saved'));
    await device.startGuard(500);
    expect(await remoteOutcome()).toBe('refused locked');
  });

  test('is for outputs that are there, and for a time within its range', async () => {
    await expect(lock(4)).rejects.toMatchObject({ code: 'output-not-found' });
    await expect(lock(0, 59_999)).rejects.toMatchObject({ code: 'bad-usage' });
    await expect(lock(0, LOCK_MAX_MS + 1)).rejects.toMatchObject({ code: 'bad-usage' });
  });
});

describe('a locks.json that cannot be used', () => {
  test.each([
    ['is torn', '{"bootId":"boot-1","locks":[{"numOut'],
    ['says something else', '{"locks":{}}'],
  ])('because it %s locks all outputs until somebody unlocks them (I14)', async (_name, text) => {
    device.stopAgent();
    device.files.texts.set(LOCKS_PATH, text);
    await device.startAgent(200);
    for (const numOutput of [0, 1, 2, 3]) expect(await remoteOutcome(numOutput)).toBe('refused locked');
    expect(device.server.of('report').at(-1)?.faults[0]).toContain('all outputs are locked');
    expect(device.files.texts.get(`${LOCKS_PATH}.corrupt-1`)).toBe(text);
    await unlock(0);
    expect(await remoteOutcome(0)).toBe('executed');
    await device.restartAgent(200);
    expect(await remoteOutcome(0)).toBe('executed');
    expect(await remoteOutcome(1)).toBe('refused locked');
  });
});
