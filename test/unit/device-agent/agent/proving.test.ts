/** The proof of the wiring, asked of an agent over a guard in the same process. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { DeviceStatus } from '@relaygate/device-agent/agent/local-messages/device';
import type { LogReply } from '@relaygate/device-agent/agent/local-messages/log';
import type { Guard } from '@relaygate/device-agent/guard/guard';
import { AgentInMemory, HISTORY_PATH, PROOF_PATH, SETTINGS_PATH } from '../../../support/device/agent-in-memory';

let device: AgentInMemory;
let guard: Guard;

async function start(change: object): Promise<void> {
  device = new AgentInMemory();
  device.files.texts.set(SETTINGS_PATH, JSON.stringify({ ...onDisk(), ...change }));
  guard = await device.startGuard();
  await device.startAgent();
  await device.passed(200);
  device.server.said.length = 0;
}

const onDisk = () => JSON.parse(device.files.texts.get(SETTINGS_PATH) ?? '');
const view = async () => (await device.localRequest('proof', {})) as Record<string, unknown>;
const off = (...relays: number[]) => relays.map((relay) => ({ relay, isOn: false }));
const say = async (answers: object[], more: object = {}) =>
  device.localRequest('prove', { by: 'Ada', wiring: (await view()).wiring, answers, ...more });

/** Lets the clock run until the request is answered. */
async function clicked(numOutput: number): Promise<unknown> {
  const answer = device.localRequest('click', { numOutput }).then(
    () => 'clicked',
    (error) => error,
  );
  await device.passed(5_000);
  return answer;
}

async function prove(answers: object[]): Promise<unknown> {
  for (const numOutput of answers.keys()) await clicked(numOutput);
  return say(answers);
}

async function remote(commandId: string, numOutput = 0): Promise<unknown> {
  device.server.command(commandId, numOutput);
  await device.passed(500);
  return device.server.of('result').findLast((result) => result.commandId === commandId);
}

describe('a device that needs a proof', () => {
  beforeEach(async () => {
    device = new AgentInMemory();
    await start({ requireProof: true });
  });

  test('refuses remote commands until it is proven, and moves nothing for them', async () => {
    expect(await remote('c1')).toMatchObject({ outcome: 'refused', reason: 'not-proven' });
    expect(device.board.edges).toEqual([]);
    await prove(off(1, 2, 3, 4));
    expect(await remote('c2')).toMatchObject({ outcome: 'executed' });
    // I2: what the server was told of it stays so.
    expect(await remote('c1')).toMatchObject({ outcome: 'refused', reason: 'not-proven' });
  });

  test('has clicks, proof and refusals in its log, with who clicked', async () => {
    await remote('c1');
    await clicked(0);
    await prove(off(1, 2, 3, 4));
    const { events } = (await device.localRequest('log', { limit: 100, waitMs: 0 })) as LogReply;
    expect(events.map(({ kind, text }) => `${kind}: ${text}`)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^command: toggle 0 by the server: refused \(not-proven\)/),
        'command: click 0 by a test: executed',
        'settings: the wiring is proven by Ada, said a test',
      ]),
    );
    expect(new Set(guard.view().lastCommands.map(({ by }) => by))).toEqual(new Set(['a test']));
  });

  test('lets a technician move outputs all the same', async () => {
    await device.localRequest('set', { numOutput: 0, state: 1 });
    expect(device.board.levels[0]).toBe('high');
  });

  test('says so in its faults, to the server too, until it is proven', async () => {
    const fault = { code: 'not-proven', text: expect.stringContaining('relayctl prove') };
    expect(await device.localRequest('status', {})).toMatchObject({ faults: expect.arrayContaining([fault]) });
    await prove(off(1, 2, 3, 4));
    await device.passed(100);
    expect(device.server.of('report').at(-1)?.faults).toEqual([]);
  });

  test('keeps its proof over restarts of agent and guard', async () => {
    await prove(off(1, 2, 3, 4));
    device.stopAgent();
    device.killGuard();
    await device.startGuard();
    await device.startAgent();
    await device.passed(200);
    expect(await remote('c1')).toMatchObject({ outcome: 'executed' });
  });

  test('needs a new one once the polarity is another', async () => {
    await prove(off(1, 2, 3, 4));
    await device.localRequest('output', { numOutput: 3, change: { activeLevel: 'low' }, force: false });
    await device.passed(100);
    expect(await view()).toMatchObject({ isProven: false });
    expect(await remote('c1')).toMatchObject({ outcome: 'refused', reason: 'not-proven' });
  });

  test('that cannot save it is not proven', async () => {
    device.files.failing.set(PROOF_PATH, 'ENOSPC');
    await expect(prove(off(1, 2, 3, 4))).rejects.toMatchObject({ message: expect.stringContaining('ENOSPC') });
    expect(await device.historyEntries({ limit: 2 })).toMatchObject([{ kind: 'proof' }, { kind: 'not-done' }]);
    expect(await remote('c1')).toMatchObject({ reason: 'not-proven' });
  });

  test('whose proof stands though it was not saved well is proven, and says what may become of it', async () => {
    device.files.failingLate.set(PROOF_PATH, 'EIO');
    await expect(prove(off(1, 2, 3, 4))).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringMatching(/EIO.*it stands, but may be gone after a power cut/),
    });
    expect(await view()).toMatchObject({ isProven: true, proof: { by: 'Ada' } });
    expect(await device.historyEntries({ limit: 2 })).toMatchObject([{ kind: 'proof' }, { kind: 'not-confirmed' }]);
    expect(await remote('c1')).toMatchObject({ outcome: 'executed' });
    device.stopAgent();
    await device.startAgent();
    await device.passed(200);
    expect(await view()).toMatchObject({ isProven: true });
  });

  test('whose proof is corrupt says so, and is not proven', async () => {
    device.stopAgent();
    device.files.texts.set(PROOF_PATH, '{"provenAt":');
    await device.startAgent();
    await device.passed(200);
    const { faults } = (await device.localRequest('status', {})) as DeviceStatus;
    expect(faults.map(({ text }) => text).join()).toMatch(
      /proof\.json was corrupt; kept aside as .*corrupt-1.*not proven/,
    );
  });

  test('answers a repeated frame with what became of its command, proven no more meanwhile (I3, T7)', async () => {
    await prove(off(1, 2, 3, 4));
    const clicks = device.board.edges.length;
    expect(await remote('c1', 2)).toMatchObject({ outcome: 'executed' });
    await device.passed(1_000);
    await device.localRequest('output', { numOutput: 3, change: { activeLevel: 'low' }, force: false });
    await device.passed(100);
    expect(await remote('c1', 2)).toMatchObject({ outcome: 'executed' });
    const own = device.board.edges.slice(clicks);
    expect(own.filter(({ line, level }) => line === 2 && level === 'high')).toHaveLength(1);
  });
});

describe('a device that needs none', () => {
  beforeEach(async () => {
    device = new AgentInMemory();
    await start({});
  });

  test('takes remote commands, and records a proof all the same', async () => {
    expect(await remote('c1')).toMatchObject({ outcome: 'executed', state: 1 });
    expect(await remote('c2')).toMatchObject({ outcome: 'executed', state: 0 });
    expect(await prove(off(1, 2, 3, 4))).toMatchObject({ result: 'proven', proof: { by: 'Ada' } });
    expect((await device.historyEntries({ limit: 1 })).at(-1)).toMatchObject({ kind: 'proof', outcome: 'proven' });
    expect(await view()).toMatchObject({ isProven: true, isRequired: false });
  });

  test('clicks an on-off output three times, by pulses that the guard ends, and sets it up as before', async () => {
    const before = guard.view().outputs[0]?.settings;
    expect(await clicked(0)).toBe('clicked');
    const own = device.board.edges.filter(({ line }) => line === 0);
    expect(own.map(({ level }) => level)).toEqual(['high', 'low', 'high', 'low', 'high', 'low']);
    for (const [n, edge] of own.entries())
      if (edge.level === 'low') expect(edge.atMs - (own[n - 1]?.atMs ?? 0)).toBeLessThan(320);
    expect(guard.view().outputs[0]?.settings).toEqual(before);
    expect(onDisk().outputs[0]).toEqual(before);
  });

  test('refuses remote commands while it clicks: "on" would be a short pulse, and be confirmed (I3)', async () => {
    const click = device.localRequest('click', { numOutput: 0 });
    await device.passed(100);
    expect(await remote('c1')).toMatchObject({ outcome: 'refused', reason: 'not-proven' });
    await device.passed(5_000);
    await click;
    expect(await remote('c2')).toMatchObject({ outcome: 'executed', state: 1 });
  });

  test.each([
    ['set', { numOutput: 0, state: 1 }],
    ['set', { numOutput: 1, state: 0 }],
    ['pulse', { numOutput: 0 }],
  ])('refuses a local %s of %j while it clicks, and enters that', async (type, body) => {
    const click = device.localRequest('click', { numOutput: 0 });
    await device.passed(100);
    await expect(device.localRequest(type, body)).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining('being proven'),
    });
    expect(await device.historyEntries({ limit: 1 })).toMatchObject([{ outcome: 'refused', reason: 'not-proven' }]);
    await device.passed(5_000);
    await click;
    expect(device.board.edges.filter(({ level }) => level === 'high')).toHaveLength(3);
    await device.localRequest('set', { numOutput: 0, state: 1 });
    expect(device.board.levels[0]).toBe('high');
  });

  test('records no proof of relays that have not clicked since the wiring is as it is', async () => {
    const error = (which: string) => ({ code: 'refused', message: expect.stringMatching(`^${which} not clicked`) });
    for (const numOutput of [0, 1, 3]) await clicked(numOutput);
    await expect(say(off(1, 2, 3, 4))).rejects.toMatchObject(error('Output 2 has'));
    device.board.answer = ({ line }) => (line === 2 ? { kind: 'failed', problem: 'gone' } : null);
    await clicked(2);
    await expect(say(off(1, 2, 3, 4))).rejects.toMatchObject(error('Output 2 has'));
    expect(await view()).toMatchObject({ isProven: false });
    device.board.answer = () => null;
    await device.passed(1_000);
    await clicked(2);
    await device.localRequest('output', { numOutput: 3, change: { activeLevel: 'low' }, force: false });
    await device.passed(100);
    await clicked(1);
    await expect(say(off(1, 2, 3, 4))).rejects.toMatchObject(error('Outputs 0, 2, 3 have'));
    for (const numOutput of [0, 2, 3]) await clicked(numOutput);
    expect(await say(off(1, 2, 3, 4))).toMatchObject({ result: 'proven' });
  });

  test('enters each click with what became of it', async () => {
    const last = async () => (await device.historyEntries({ limit: 1 })).at(-1);
    await clicked(0);
    expect(await last()).toMatchObject({ kind: 'click', actor: 'a test', numOutput: 0, outcome: 'executed' });
    let orders = 0;
    device.board.answer = ({ level }) => {
      if (level === 'high') orders += 1;
      return orders === 2 ? { kind: 'failed', problem: 'gone' } : null;
    };
    await clicked(1);
    expect(await last()).toMatchObject({ kind: 'click', numOutput: 1, outcome: 'unproven', reason: 'board-failed' });
    device.board.answer = () => null;
    await device.passed(1_000);
    await device.localRequest('set', { numOutput: 3, state: 1 });
    await device.passed(100);
    await clicked(0);
    expect(await last()).toMatchObject({ kind: 'click', outcome: 'refused', reason: 'output-active' });
    device.killGuard();
    await device.passed(100);
    await clicked(0);
    expect(await last()).toMatchObject({ kind: 'click', outcome: 'refused', reason: 'guard-unreachable' });
  });

  test.each([
    ['dies between two clicks as unproven', () => device.killGuard(), 'unproven'],
    ['takes one and does not answer as unknown', () => (device.isGuardHung = true), 'unknown'],
  ])('enters the clicks of a guard that %s: it may have moved', async (_what, happen, outcome) => {
    const answer = device.localRequest('click', { numOutput: 0 }).catch((error) => error);
    await device.passed(600);
    happen();
    await device.passed(15_000);
    expect(await answer).toMatchObject({ code: 'guard-unreachable' });
    expect((await device.historyEntries({ limit: 1 })).at(-1)).toMatchObject({ kind: 'click', outcome });
  });

  test('refuses a second click at once, which would come when nobody watches it', async () => {
    const click = device.localRequest('click', { numOutput: 0 });
    await device.passed(100);
    await expect(device.localRequest('click', { numOutput: 1 })).rejects.toMatchObject({ code: 'refused' });
    await device.passed(5_000);
    await click;
    expect(device.board.edges.filter(({ line }) => line === 1)).toEqual([]);
    expect(await clicked(1)).toBe('clicked');
  });

  test.each([
    ['click', { numOutput: 0 }],
    ['output', { numOutput: 0, change: { pulseMs: 700 }, force: false }],
  ])('does not begin what its asker has given up by its turn: %s', async (type, body) => {
    const before = onDisk().outputs[0];
    let release = (): void => {};
    device.files.slow.set(SETTINGS_PATH, new Promise((resolve) => (release = () => resolve(undefined))));
    const slow = device.localRequest('output', { numOutput: 3, change: { pulseMs: 600 }, force: false });
    await device.passed(100);
    const late = device.localRequest(type, body).catch((error) => error);
    await device.passed(10_000);
    release();
    await device.passed(5_000);
    await slow;
    expect(await late).toMatchObject({ code: 'refused', message: expect.stringContaining('not begun') });
    expect(device.board.edges).toEqual([]);
    expect(onDisk().outputs[0]).toEqual(before);
  });

  test('counts no click that was no edge of its own', async () => {
    const answer = device.localRequest('click', { numOutput: 0 }).catch((error) => error);
    await device.passed(600);
    const startBeforeMs = device.clock.nowMs() + 1_000;
    const pulse = { commandId: 'x', numOutput: 0, command: { action: 'pulse' }, startBeforeMs, epoch: null } as const;
    await guard.execute({ ...pulse, by: 'another agent' });
    await device.passed(5_000);
    expect(await answer).toMatchObject({ code: 'output-active' });
    expect(guard.view().outputs[0]?.settings.mode).toBe('on-off');
  });

  test('gives an output its settings back when the agent dies in the middle', async () => {
    const before = guard.view().outputs[0]?.settings;
    void device.localRequest('click', { numOutput: 0 }).catch(() => {});
    await device.passed(100);
    expect(guard.view().outputs[0]?.settings.mode).toBe('impulse');
    device.stopAgent();
    await device.passed(1_000);
    expect(device.board.levels[0]).toBe('low');
    await device.startAgent();
    await device.passed(1_000);
    expect(guard.view().outputs[0]?.settings).toEqual(before);
  });

  test('does not click while an output is on', async () => {
    await device.localRequest('set', { numOutput: 1, state: 1 });
    await device.passed(100);
    expect(await clicked(0)).toMatchObject({ code: 'output-active', message: expect.stringContaining('Output 1') });
    expect(device.board.edges.filter(({ line }) => line === 0)).toEqual([]);
  });

  test('says which relay does not click, and changes nothing', async () => {
    device.board.answer = ({ line }) => (line === 2 ? { kind: 'failed', problem: 'gone' } : null);
    expect(await clicked(2)).toMatchObject({ code: 'refused' });
    const before = onDisk();
    await expect(say(off(1, 2, 0, 4))).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining('no relay clicked for output 2'),
    });
    expect(onDisk()).toEqual(before);
    expect(device.files.texts.has(PROOF_PATH)).toBe(false);
  });

  test('corrects a polarity at once, and a second round proves it', async () => {
    expect(await prove(off(1, 2, 3, 4).with(1, { relay: 2, isOn: true }))).toEqual({
      result: 'corrected',
      corrections: [{ numOutput: 1, activeLevel: { from: 'high', to: 'low' } }],
      mustRestart: false,
    });
    await device.passed(100);
    expect(onDisk().outputs[1].activeLevel).toBe('low');
    expect(guard.view().outputs[1]?.settings.activeLevel).toBe('low');
    expect(device.files.texts.has(PROOF_PATH)).toBe(false);
    expect(await prove(off(1, 2, 3, 4))).toMatchObject({ result: 'proven' });
  });

  describe('of several wrong polarities', () => {
    const both = [1, 2, 3, 4].map((relay) => ({ relay, isOn: relay > 2 }));
    const levels = (): string[] => onDisk().outputs.map(({ activeLevel }: { activeLevel: string }) => activeLevel);
    const inForce = (): string[] => guard.view().outputs.map(({ settings }) => settings.activeLevel);

    beforeEach(async () => {
      for (const numOutput of both.keys()) await clicked(numOutput);
    });

    test('makes one change: one entry line, one write, both in force', async () => {
      device.files.log.length = 0;
      expect(await say(both)).toMatchObject({ result: 'corrected', mustRestart: false });
      expect(device.files.log.filter((line) => /settings|history/.test(line))).toEqual([
        `append ${HISTORY_PATH}`,
        `replace ${SETTINGS_PATH}`,
      ]);
      expect(levels()).toEqual(['high', 'high', 'low', 'low']);
      expect(inForce()).toEqual(levels());
      expect(await device.historyEntries({ limit: 2 })).toMatchObject([
        { kind: 'output', numOutput: 2 },
        { kind: 'output', numOutput: 3 },
      ]);
    });

    test.each([
      ['cannot be saved', () => device.files.failing.set(SETTINGS_PATH, 'EIO')],
      ['is shown and not durable', () => device.files.failingLate.set(SETTINGS_PATH, 'EIO')],
      ['is refused for one of them, which is on', () => device.localRequest('set', { numOutput: 1, state: 1 })],
    ])('makes none of it where the change %s', async (_what, hinder) => {
      await hinder();
      const wrong = both.with(1, { relay: 2, isOn: true });
      await expect(say(wrong)).rejects.toMatchObject({ code: expect.stringMatching(/^(refused|output-active)$/) });
      expect(levels()).toEqual(['high', 'high', 'high', 'high']);
      expect(inForce()).toEqual(levels());
    });

    test('makes none of it when the agent dies between the guard and the disk: the next one takes it back', async () => {
      device.files.slow.set(SETTINGS_PATH, new Promise(() => {}));
      void say(both).catch(() => {});
      await device.passed(50);
      expect(inForce()).toEqual(['high', 'high', 'low', 'low']);
      device.stopAgent();
      device.files.slow.clear();
      await device.startAgent();
      await device.passed(1_000);
      expect(levels()).toEqual(['high', 'high', 'high', 'high']);
      expect(inForce()).toEqual(levels());
    });
  });

  test('does not take answers about other settings than those in use', async () => {
    const { wiring } = await view();
    await device.localRequest('output', { numOutput: 3, change: { activeLevel: 'low' }, force: false });
    await device.passed(100);
    await expect(say(off(1, 2, 3, 4), { wiring })).rejects.toMatchObject({
      message: expect.stringContaining('begin the proof again'),
    });
  });
});

describe('a board with lines', () => {
  beforeEach(async () => {
    device = new AgentInMemory();
    await start({ board: { kind: 'gpio', lines: [5, 6, 7, 8] }, requireProof: true });
  });

  test('has lines and polarities corrected by one write', async () => {
    device.files.log.length = 0;
    const answers = off(2, 1, 3, 4).with(3, { relay: 4, isOn: true });
    expect(await prove(answers)).toMatchObject({ result: 'corrected', mustRestart: true });
    expect(device.files.log.filter((line) => line.includes(SETTINGS_PATH))).toEqual([`replace ${SETTINGS_PATH}`]);
    const outputs = [{}, {}, {}, { activeLevel: 'low' }];
    expect(onDisk()).toMatchObject({ board: { lines: [6, 5, 7, 8] }, outputs });
  });

  test('has them exchanged for the next start, which moves nothing and proves nothing', async () => {
    for (const numOutput of [0, 1, 2, 3]) await clicked(numOutput);
    const before = device.board.edges.length;
    expect(await say(off(2, 1, 3, 4))).toMatchObject({ result: 'corrected', mustRestart: true });
    expect(onDisk()).toMatchObject({ board: { kind: 'gpio', lines: [6, 5, 7, 8] }, requireProof: true });
    expect(device.board.edges).toHaveLength(before);
    expect(await remote('c1')).toMatchObject({ reason: 'not-proven' });
    expect(await clicked(0)).toMatchObject({ message: expect.stringContaining('restart') });
    device.stopAgent();
    device.killGuard();
    await device.startGuard();
    await device.startAgent();
    await device.passed(200);
    expect(await prove(off(1, 2, 3, 4))).toMatchObject({ result: 'proven' });
    expect(await remote('c2')).toMatchObject({ outcome: 'executed' });
  });

  test('that is chosen anew needs a proof of its own', async () => {
    await prove(off(1, 2, 3, 4));
    const board = { kind: 'gpio', lines: [5, 6, 8, 7] };
    await device.localRequest('board', { board, relays: ['A', 'B', 'C', 'D'], activeLevel: 'high' });
    device.stopAgent();
    device.killGuard();
    await device.startGuard();
    await device.startAgent();
    await device.passed(200);
    expect(await remote('c1')).toMatchObject({ reason: 'not-proven' });
  });
});
