/** Maintenance locks from relayctl's request to the board, over restarts, reboots and bad disks. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { LOCK_MAX_MS } from '@relaygate/shared';
import { AgentInMemory, LOCKS_PATH } from '../../../support/device/agent-in-memory';

const HOUR_MS = 3_600_000;

let device: AgentInMemory;
beforeEach(async () => {
  device = new AgentInMemory();
  await device.start();
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

describe('a lock', () => {
  test('refuses remote commands, is reported, and lets local ones through, until it is taken away', async () => {
    expect(await lock()).toEqual({ numOutput: 0, forMs: HOUR_MS });
    expect(await remoteOutcome()).toBe('refused locked');
    expect(await remoteOutcome(1)).toBe('executed');
    expect(await device.localRequest('set', { numOutput: 0, state: 1 })).toMatchObject({ outcome: 'executed' });
    const reported = device.server.of('report').at(-1)?.outputs[0]?.lockedForMs ?? 0;
    expect(reported).toBeGreaterThan(HOUR_MS - 1_000);
    expect(await device.localRequest('status', {})).toMatchObject({
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
    await device.startAgent();
    await device.passed(200);
    expect(await remoteOutcome()).toBe('refused locked');
    await device.passed(HOUR_MS / 2);
    expect(await remoteOutcome()).toBe('executed');
  });

  test('begins anew after a reboot with what was left when it was saved, and only once', async () => {
    await lock(0, HOUR_MS);
    await device.passed(HOUR_MS / 2);
    const reboot = async (): Promise<void> => {
      device.stopAgent();
      device.killGuard();
      device.bootId = 'boot-2';
      await device.start();
    };
    await reboot();
    await device.passed(0.75 * HOUR_MS);
    expect(await remoteOutcome()).toBe('refused locked');
    // The same boot now: its clock goes on.
    await reboot();
    await device.passed(0.25 * HOUR_MS);
    expect(await remoteOutcome()).toBe('executed');
  });

  test.each([
    ['fails', 'failing'],
    ['fails once the file is new', 'failingLate'],
  ] as const)('that cannot be saved, because the disk %s, is none', async (_name, how) => {
    device.files[how].set(LOCKS_PATH, 'ENOSPC');
    await expect(lock()).rejects.toMatchObject({ code: 'refused', message: expect.stringContaining('ENOSPC') });
    expect(await remoteOutcome()).toBe('executed');
    expect(device.server.of('report').at(-1)?.faults[0]).toContain('locks.json cannot be written');
    device.files[how].clear();
    await device.passed(61_000);
    expect(JSON.parse(device.files.texts.get(LOCKS_PATH) ?? '')).toMatchObject({ locks: [] });
    expect(device.server.of('report').at(-1)?.faults).toEqual([]);
  });

  test('is not confirmed without a guard, and holds in the next one', async () => {
    device.killGuard();
    await device.passed(10);
    await expect(lock()).rejects.toMatchObject({
      code: 'guard-unreachable',
      message: expect.stringContaining('saved'),
    });
    await device.startGuard();
    await device.passed(500);
    expect(await remoteOutcome()).toBe('refused locked');
  });

  test('is for outputs that are there, and for a time within its range', async () => {
    await expect(lock(4)).rejects.toMatchObject({ code: 'output-not-found' });
    await expect(lock(0, 59_999)).rejects.toMatchObject({ code: 'bad-usage' });
    await expect(lock(0, LOCK_MAX_MS + 1)).rejects.toMatchObject({ code: 'bad-usage' });
  });

  test('two at once both hold', async () => {
    await Promise.all([lock(0), lock(1)]);
    expect(await remoteOutcome(0)).toBe('refused locked');
    expect(await remoteOutcome(1)).toBe('refused locked');
  });
});

describe('a locks.json that cannot be used', () => {
  test.each([
    ['is torn', '{"bootId":"boot-1","locks":[{"numOut'],
    ['says something else', '{"locks":{}}'],
  ])('because it %s locks all outputs until somebody unlocks them (I14)', async (_name, text) => {
    device.stopAgent();
    device.files.texts.set(LOCKS_PATH, text);
    await device.startAgent();
    await device.passed(200);
    for (const numOutput of [0, 1, 2, 3]) expect(await remoteOutcome(numOutput)).toBe('refused locked');
    expect(device.server.of('report').at(-1)?.faults[0]).toContain('all outputs are locked');
    expect(device.files.texts.get(`${LOCKS_PATH}.corrupt-1`)).toBe(text);
    await unlock(0);
    expect(await remoteOutcome(0)).toBe('executed');
    device.stopAgent();
    await device.startAgent();
    await device.passed(200);
    expect(await remoteOutcome(0)).toBe('executed');
    expect(await remoteOutcome(1)).toBe('refused locked');
  });
});
