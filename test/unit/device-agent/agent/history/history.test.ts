/** What people do at a device, and what of it stands in its history. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { type HistoryEntry, KEPT_HISTORY_ENTRIES, SAVE_PATIENCE_MS } from '@relaygate/shared';
import { AgentInMemory, HISTORY_PATH, PIN_PATH, SETTINGS_PATH } from '../../../../support/device/agent-in-memory';
import { errorWith } from '../../../../support/device/error-with';
import { writtenHistory } from '../../../../support/device/written-history';
import { fulfilled } from '../../../../support/time/fulfilled';

let device: AgentInMemory;
beforeEach(async () => {
  device = await AgentInMemory.started();
});

const change = (numOutput: number, wish: object, force = false): Promise<unknown> =>
  device.changeOutput(numOutput, wish, force);
const entries = (more: object = {}): Promise<HistoryEntry[]> => device.historyEntries({ limit: 100, ...more });
const told = async (): Promise<string[]> =>
  (await entries()).map(({ kind, reason }) => [kind, reason ?? ''].join(' ').trim());
const faults = async (): Promise<string> => JSON.stringify(await device.status());

describe('a change', () => {
  test('is entered with who, what, from and to', async () => {
    await change(2, { pulseMs: 750, name: 'Gate' });
    const [entry, ...more] = await entries();
    expect(more).toEqual([]);
    expect(entry).toEqual({
      seq: 1,
      actor: 'a test',
      kind: 'output',
      numOutput: 2,
      changes: [
        { member: 'outputs.2.name', from: 'Output 2', to: 'Gate' },
        { member: 'outputs.2.pulseMs', from: 500, to: 750 },
      ],
      atMs: expect.any(Number),
      bootId: 'boot-1',
      bootMs: expect.any(Number),
    });
  });

  test('is entered before it is made', async () => {
    device.files.log.length = 0;
    await change(2, { pulseMs: 750 });
    expect(device.files.log.filter((line) => !line.includes('/run/'))).toEqual([
      `append ${HISTORY_PATH}`,
      `replace ${SETTINGS_PATH}`,
    ]);
  });

  test('to what is so already is no entry, and writes nothing', async () => {
    device.files.log.length = 0;
    await change(2, { pulseMs: 500 });
    expect(await entries()).toEqual([]);
    expect(device.files.log).toEqual([]);
  });

  test('whose entry cannot be written is refused, and told later as not done', async () => {
    device.files.failing.set(HISTORY_PATH, 'ENOSPC: no space left on device');
    await expect(change(2, { pulseMs: 750 })).rejects.toMatchObject(errorWith('refused', 'ENOSPC'));
    expect(device.onDisk().outputs[2].pulseMs).toBe(500);
    expect(await faults()).toContain('ENOSPC');
    device.files.failing.clear();
    await device.passed(60_000);
    expect(await faults()).not.toContain('ENOSPC');
    expect(await told()).toEqual(['output', 'not-done history-not-written']);
    await device.restartAgent(300);
    expect(await told()).toEqual(['output', 'not-done history-not-written']);
  });

  test('that a slow disk takes behind its refusal is taken back as soon as it does, and not with the next try', async () => {
    const release = device.files.hold(HISTORY_PATH);
    const refused = expect(change(2, { pulseMs: 750 })).rejects.toMatchObject({ code: 'refused' });
    await device.passed(SAVE_PATIENCE_MS);
    await refused;
    release();
    await device.passed(10);
    expect(device.files.texts.get(HISTORY_PATH)).toContain('"kind":"not-done"');
    expect(await faults()).not.toContain('does not answer');
  });

  test('that the guard refuses is told as not done', async () => {
    await device.localRequest('set', { numOutput: 0, state: 1 });
    await expect(change(0, { mode: 'impulse' })).rejects.toMatchObject({ code: 'output-active' });
    expect(await told()).toEqual(['set-on', 'output', 'not-done output-active']);
  });
});

describe('a local command', () => {
  test('is entered with its outcome before the answer', async () => {
    await device.localRequest('set', { numOutput: 0, state: 1 });
    await device.localRequest('set', { numOutput: 0, state: 1 });
    await expect(device.localRequest('pulse', { numOutput: 1 })).rejects.toBeDefined();
    expect(await entries()).toMatchObject([
      { kind: 'set-on', numOutput: 0, actor: 'a test', outcome: 'executed', changes: [] },
      { kind: 'set-on', numOutput: 0, outcome: 'already-set' },
      { kind: 'pulse', numOutput: 1, outcome: 'refused', reason: 'not-an-impulse-output' },
    ]);
  });

  test('without a guard is entered as refused', async () => {
    device.killGuard();
    await device.passed(10);
    await expect(device.localRequest('set', { numOutput: 0, state: 1 })).rejects.toMatchObject({
      code: 'guard-unreachable',
    });
    expect(await entries()).toMatchObject([{ kind: 'set-on', outcome: 'refused', reason: 'guard-unreachable' }]);
  });

  test('is done with a disk that fails, and entered once it works', async () => {
    device.files.failing.set(HISTORY_PATH, 'EROFS: read-only file system');
    await device.localRequest('set', { numOutput: 0, state: 1 });
    expect(device.board.levels[0]).toBe('high');
    expect(await faults()).toContain('EROFS');
    expect(device.files.texts.get(HISTORY_PATH)).not.toContain('set-on');
    device.files.failing.clear();
    await device.localRequest('set', { numOutput: 0, state: 0 });
    await device.restartAgent(300);
    expect(await told()).toEqual(['set-on', 'set-off']);
  });
});

describe('the history', () => {
  /** The agent has a PIN of the agent before it, which the disk does not make durable. */
  async function refusedWithoutPin(): Promise<void> {
    await device.localRequest('new-pin', {});
    device.files.failing.set(PIN_PATH, 'EIO');
    await device.restartAgent(300);
    await expect(change(2, { name: 'Gate' })).rejects.toMatchObject({ code: 'refused' });
    device.files.synced.length = 0;
  }

  /** The agent dies as it writes its last line. */
  function cutLastLine(): void {
    device.stopAgent();
    device.files.texts.set(HISTORY_PATH, `${device.files.texts.get(HISTORY_PATH)}{"entries":[{"seq":2,"act`);
  }

  test('notices at the start what a hand has edited', async () => {
    const outputs = device
      .onDisk()
      .outputs.map((output: object, n: number) => (n < 2 ? output : { ...output, pulseMs: 900 }));
    device.stopAgent();
    device.editSettings({ outputs });
    await device.restartBoth(300);
    expect(await entries()).toMatchObject([
      { actor: 'by hand', kind: 'by-hand', numOutput: 2, changes: [{ from: 500, to: 900 }] },
      { actor: 'by hand', kind: 'by-hand', numOutput: 3, changes: [{ from: 500, to: 900 }] },
    ]);
    await device.restartAgent(300);
    expect(await entries()).toHaveLength(2);
  });

  test('syncs the settings that it goes by: the agent before may have died before they were durable', async () => {
    device.files.synced.length = 0;
    await device.restartAgent(300);
    expect(device.files.synced).toContain(SETTINGS_PATH);
  });

  test('refuses changes until the PIN that it goes by is durable: one that a power cut takes back would look like a hand', async () => {
    await refusedWithoutPin();
    expect(await told()).toEqual(['pin', 'output', 'not-done history-not-written']);
    device.files.failing.clear();
    await change(2, { name: 'Gate' });
    expect(device.files.synced).toContain(PIN_PATH);
    expect(device.onDisk().outputs[2].name).toBe('Gate');
  });

  test('makes the PIN durable before its own entry that takes a change back', async () => {
    await refusedWithoutPin();
    device.files.failing.clear();
    await device.localRequest('set', { numOutput: 0, state: 1 });
    expect(device.files.synced).toContain(PIN_PATH);
  });

  test('writes nothing at a start at which nothing is new', async () => {
    await change(2, { pulseMs: 750 });
    device.files.log.length = 0;
    await device.restartAgent(300);
    expect(device.files.log.filter((line) => line.includes(HISTORY_PATH))).toEqual([]);
  });

  test('has once in its file what is entered while a last line that was cut waits to be written over', async () => {
    await change(2, { pulseMs: 750 });
    cutLastLine();
    const synced = device.files.hold(HISTORY_PATH);
    await device.startAgent();
    const { history } = device.records ?? {};
    // The start itself writes first, and waits for the disk.
    const one = history?.enterAction({ actor: 'Ada', kind: 'set-on', numOutput: 0, outcome: 'executed' });
    await device.passed(1);
    const other = history?.enterAction({ actor: 'Bo', kind: 'set-off', numOutput: 0, outcome: 'executed' });
    device.files.slow.delete(HISTORY_PATH);
    synced();
    await Promise.all([one, other]);
    const file = writtenHistory(device.files.texts.get(HISTORY_PATH) ?? '');
    expect(file?.entries.map(({ seq, actor }) => [seq, actor])).toEqual([
      [1, 'a test'],
      [2, 'Ada'],
      [3, 'Bo'],
    ]);
  });

  test.each(['', 'nonsense', '{"historyId":"short","facts":{}}\n'])(
    'that is corrupt (%j) is kept aside, said, and begins anew',
    async (text) => {
      device.stopAgent();
      device.files.texts.set(HISTORY_PATH, text);
      await device.startAgent(100);
      expect(device.files.texts.get(`${HISTORY_PATH}.corrupt-1`)).toBe(text);
      expect(await faults()).toContain('is corrupt: kept aside as');
      await change(2, { pulseMs: 750 });
      await device.restartAgent(300);
      expect(await told()).toEqual(['output']);
      expect(await faults()).not.toContain('corrupt');
    },
  );

  test('keeps the newest entries, and knows the settings all the same', async () => {
    await change(3, { pulseMs: 700 });
    for (let turn = 0; turn < KEPT_HISTORY_ENTRIES + 300; turn += 1) {
      await device.records?.history.enterAction({ actor: 'a test', kind: 'pulse', numOutput: 2, outcome: 'executed' });
    }
    const kept = await device.historyEntries({ limit: KEPT_HISTORY_ENTRIES });
    expect(kept.at(-1)?.seq).toBe(KEPT_HISTORY_ENTRIES + 301);
    const lines = device.files.texts.get(HISTORY_PATH)?.split('\n').length ?? 0;
    expect(lines).toBeGreaterThan(KEPT_HISTORY_ENTRIES);
    expect(lines).toBeLessThan(KEPT_HISTORY_ENTRIES + 260);
    await device.restartAgent(300);
    expect((await entries()).at(-1)).toMatchObject({ kind: 'pulse' });
  });

  test('an orderly end waits for the very first write, too', async () => {
    const young = new AgentInMemory();
    const written = young.files.hold(HISTORY_PATH);
    await young.startGuard();
    await young.startAgent();
    const ended = young.records?.history.written() ?? Promise.reject();
    const hasEnded = fulfilled(ended);
    await young.passed(10);
    expect(hasEnded()).toBe(false);
    written();
    await ended;
    expect(young.files.texts.has(HISTORY_PATH)).toBe(true);
  });

  test('is read of one output, and page by page', async () => {
    for (const [n, numOutput] of [2, 3, 2, 3].entries()) await change(numOutput, { pulseMs: 600 + n });
    expect((await entries({ numOutput: 3 })).map(({ seq }) => seq)).toEqual([2, 4]);
    expect((await entries({ limit: 2 })).map(({ seq }) => seq)).toEqual([3, 4]);
    expect((await entries({ limit: 2, beforeSeq: 3 })).map(({ seq }) => seq)).toEqual([1, 2]);
  });
});
