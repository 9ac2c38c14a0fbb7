/** The factory reset, asked of an agent over a guard in the same process. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { AgentInMemory, LOCKS_PATH, PROOF_PATH, SETTINGS_PATH } from '../../../support/device/agent-in-memory';
import { errorWith } from '../../../support/device/error-with';

const MARK = '/data/reset-begun.json';
const STATE_PATH = '/data/state.json';
let device: AgentInMemory;
beforeEach(async () => {
  device = new AgentInMemory();
  device.files.texts.set('/data/identity.json', 'the key');
  await device.start();
  await device.localRequest('set', { numOutput: 0, state: 1 });
  await device.localRequest('pulse', { numOutput: 2 });
  device.server.said.length = 0;
});

const reset = (productLogin = 'test-product'): Promise<unknown> =>
  device.localRequest('factory-reset', { productLogin });
const onLines = (): number[] => device.board.levels.flatMap((level, line) => (level === 'high' ? [line] : []));

test('switches everything off before anything is wiped, and lets nothing on again', async () => {
  expect(onLines()).toEqual([0, 2]);
  const linesAtMark: number[][] = [];
  const replace = device.files.replace.bind(device.files);
  device.files.replace = async (path, text) => {
    if (path === MARK) linesAtMark.push(onLines());
    await replace(path, text);
  };
  expect(await reset()).toEqual({ productLogin: 'test-product' });
  expect(linesAtMark).toEqual([[]]);
  device.server.command('c1', 1);
  await device.passed(5_000);
  expect(onLines()).toEqual([]);
  for (const path of [SETTINGS_PATH, '/data/identity.json', STATE_PATH, PROOF_PATH, MARK])
    expect(device.files.texts.has(path)).toBe(false);
});

test.each([0, 100])('is refused %i ms behind another one: it would wipe what is set up meanwhile', async (ms) => {
  const both = [reset(), ms > 0 ? device.passed(ms).then(() => reset()) : reset()];
  const [first, second] = await Promise.allSettled(both);
  expect(first).toMatchObject({ status: 'fulfilled', value: { productLogin: 'test-product' } });
  expect(second).toMatchObject({
    status: 'rejected',
    reason: errorWith('refused', 'A factory reset was begun'),
  });
  device.files.texts.set(SETTINGS_PATH, 'of the new device');
  await device.passed(5_000);
  expect(device.files.texts.has(MARK)).toBe(false);
  expect(device.files.texts.get(SETTINGS_PATH)).toBe('of the new device');
});

test('of another product is refused, and changes nothing', async () => {
  await expect(reset('gate-2')).rejects.toThrow('"test-product"');
  expect(onLines()).toEqual([0, 2]);
  expect(device.files.texts.get('/data/identity.json')).toBe('the key');
});

test('is refused while a relay cannot be switched off', async () => {
  device.board.answer = ({ line }) => (line === 0 ? { kind: 'failed', problem: 'stuck' } : null);
  const answer = reset().catch((error) => error);
  await device.passed(10_000);
  expect(await answer).toMatchObject(errorWith('refused', 'keeps output 0'));
  expect(device.files.texts.get('/data/identity.json')).toBe('the key');
  expect(device.files.texts.has(MARK)).toBe(false);
});

/** Until `release`, the disk has the mark in hand. */
function holdMark(): () => void {
  const release = device.files.hold(MARK);
  return () => release();
}

test('switches off what a guard has restored that was started while the disk wrote the mark', async () => {
  await device.changeOutput(0, { powerOn: 'restore' });
  const release = holdMark();
  const wiped = reset();
  await device.passed(100);
  device.killGuard();
  await device.startGuard(1_000);
  expect(onLines()).toEqual([0]);
  release();
  await wiped;
  await device.passed(5_000);
  expect(onLines()).toEqual([]);
  expect(device.files.texts.has(SETTINGS_PATH)).toBe(false);
});

test('is taken back where the guard has gone while the disk wrote the mark: the next one may be about to restore', async () => {
  const release = holdMark();
  const wiped = reset().catch((error) => error);
  await device.passed(100);
  device.killGuard();
  await device.passed(1_000);
  release();
  expect(await wiped).toMatchObject(errorWith('refused', 'nothing was wiped'));
  expect(device.files.texts.get('/data/identity.json')).toBe('the key');
  expect(device.files.texts.has(MARK)).toBe(false);
  await device.startGuard(1_000);
  expect(await device.localRequest('set', { numOutput: 0, state: 1 })).toMatchObject({ outcome: 'executed' });
});

test.each([
  ['does not take', 'failing'],
  ['takes, and fails behind it,', 'failingLate'],
] as const)('that the disk %s leaves no mark: the next agent would wipe the device', async (_what, how) => {
  device.files[how].set(MARK, 'EIO');
  await expect(reset()).rejects.toMatchObject(errorWith('refused', '(EIO)'));
  expect(device.files.texts.has(MARK)).toBe(false);
  expect(device.files.texts.get('/data/identity.json')).toBe('the key');
});

test('that the disk takes, and neither syncs nor takes back, says that the next agent wipes the device', async () => {
  device.files.breaking.set(MARK, 'EIO');
  const message = expect.stringContaining('next start of relaygate-agent wipes this device');
  await expect(reset()).rejects.toMatchObject({ code: 'refused', message });
  expect(device.files.texts.has(MARK)).toBe(true);
});

test('that the disk does not take back has the agent end: no guard starts beside the mark, and the next agent finishes it', async () => {
  device.files.breaking.set(MARK, 'EIO');
  await expect(reset()).rejects.toMatchObject({ code: 'refused' });
  expect(device.server.terminations).toBe(0);
  await device.passed(1_000);
  expect(device.server.terminations).toBe(1);
});

test('that the disk lets begin and not finish says who finishes it', async () => {
  device.files.failing.set('/data/identity.json', 'EIO');
  await expect(reset()).rejects.toThrow('next start of relaygate-agent');
  expect(device.files.texts.has(MARK)).toBe(true);
});

test('lets no change of settings bring the file back', async () => {
  const change = device.changeOutput(1, { pulseMs: 700 });
  const wiped = reset();
  const late = device.changeOutput(1, { pulseMs: 900 });
  await expect(late).rejects.toMatchObject({ code: 'refused' });
  await Promise.all([change, wiped]);
  expect(device.files.texts.has(SETTINGS_PATH)).toBe(false);
});

test('lets no lock bring its file back, neither one that ends meanwhile nor one that comes too late', async () => {
  await device.localRequest('lock', { numOutput: 0, forMs: 60_000 });
  await device.passed(59_900);
  expect(device.files.texts.has(LOCKS_PATH)).toBe(true);
  await reset();
  await expect(device.localRequest('lock', { numOutput: 1, forMs: 60_000 })).rejects.toMatchObject({ code: 'refused' });
  await expect(device.localRequest('unlock', { numOutput: 0 })).rejects.toMatchObject({ code: 'refused' });
  await device.passed(120_000);
  expect(device.files.texts.has(LOCKS_PATH)).toBe(false);
});

test('lets nobody switch the page on, which no history would record any more', async () => {
  await reset();
  const page = { forMs: 600_000, hotspot: false };
  await expect(device.localRequest('web-on', page)).rejects.toMatchObject({ code: 'refused' });
});

describe('what was on before is not remembered by a guard that', () => {
  beforeEach(async () => {
    await device.changeOutput(0, { powerOn: 'restore' });
    expect(JSON.parse(device.files.texts.get(STATE_PATH) ?? '')).toMatchObject({ active: { 0: true } });
  });

  test('has a write in hand, which the wiping waits for', async () => {
    const end = device.files.hold(STATE_PATH);
    void device.localRequest('set', { numOutput: 0, state: 0 }).catch(() => {});
    await device.passed(10);
    const wiped = reset();
    await device.passed(1_500);
    expect(device.files.texts.has(MARK)).toBe(false);
    device.files.slow.delete(STATE_PATH);
    end();
    await wiped;
    await device.passed(5_000);
    expect(device.files.texts.has(STATE_PATH)).toBe(false);
  });

  test('is to try a write again that the disk has refused', async () => {
    device.files.failing.set(STATE_PATH, 'ENOSPC');
    await device.localRequest('set', { numOutput: 0, state: 0 }).catch(() => {});
    device.files.failing.delete(STATE_PATH);
    await reset();
    await device.passed(5_000);
    expect(device.files.texts.has(STATE_PATH)).toBe(false);
  });
});
