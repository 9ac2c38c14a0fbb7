/** What the agent says of inputs that mean something: in its status, to its server and in the history. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { AgentInMemory, HISTORY_PATH } from '../../../support/device/agent-in-memory';
import { JOURNAL } from '../../../support/device/guard-in-memory';

const INPUTS = [
  { kind: 'contact', numInput: 0, name: 'Gate closed' },
  { kind: 'button', numInput: 2, name: 'Exit', output: 2, action: 'pulse' },
];

let device: AgentInMemory;

const statusOf = async () => (await device.status()).inputs;
const presses = async () => (await device.historyEntries({ limit: 100 })).filter(({ kind }) => kind === 'button');
async function press(): Promise<void> {
  device.board.turn(2, 'low');
  await device.passed(100);
  device.board.turn(2, 'high');
  await device.passed(1_000);
}

beforeEach(async () => {
  device = new AgentInMemory();
  device.board.inputLevel = () => 'high';
  device.editSettings({ inputs: INPUTS });
  await device.start();
});

describe('inputs that mean something', () => {
  test('stand in the status, with how long they have been so', async () => {
    device.board.turn(0, 'low');
    await device.passed(5_000);
    expect(await statusOf()).toEqual([
      {
        numInput: 0,
        name: 'Gate closed',
        kind: 'contact',
        state: 'closed',
        level: 'low',
        hasChanged: true,
        forMs: 5_000,
      },
      {
        numInput: 2,
        name: 'Exit',
        kind: 'button',
        state: 'released',
        level: 'high',
        hasChanged: false,
        forMs: expect.any(Number),
      },
    ]);
  });

  test('are not known without a guard (I11)', async () => {
    device.killGuard();
    await device.passed(100);
    expect(await statusOf()).toEqual([
      { numInput: 0, name: 'Gate closed', kind: 'contact', state: null },
      { numInput: 2, name: 'Exit', kind: 'button', state: null },
    ]);
  });
});

describe('a press of a button', () => {
  test('stands in the history, with its button, what became of it, and its time', async () => {
    const atMs = device.clock.nowMs();
    await press();
    const [entry, ...others] = await presses();
    expect(entry).toMatchObject({ actor: 'button Exit', numOutput: 2, outcome: 'executed' });
    expect(entry?.bootMs).toBeLessThan(atMs + 100);
    expect(others).toEqual([]);
  });

  test('stands there beside another one that was through in the same millisecond', async () => {
    const finish = device.board.hold();
    for (const level of ['low', 'high', 'low'] as const) {
      device.board.turn(2, level);
      await device.passed(130);
    }
    finish();
    await device.passed(1_000);
    expect(await presses()).toMatchObject([{ outcome: 'executed' }, { outcome: 'executed' }]);
  });

  describe('while no agent runs', () => {
    const KEPT = 256;
    const all = () => device.records?.history.newest(1_000, Number.POSITIVE_INFINITY) ?? [];
    const entered = () => all().filter(({ kind }) => kind === 'button');
    const ofButton = () => entered().filter(({ actor }) => actor === 'button Exit');
    const ofAgent = () => entered().filter(({ actor }) => actor !== 'button Exit');
    const readJournal = (): string => device.files.texts.get(JOURNAL) ?? '';
    /** The guard has died before it wrote what the agent has entered. */
    function forgetEntered(journal = readJournal()): void {
      device.files.texts.set(JOURNAL, journal.replaceAll(/.*"enteredPress":.*\n/g, ''));
    }

    async function pressOften(count: number): Promise<void> {
      for (let n = 0; n < count; n += 1) {
        await press();
        await device.passed(1_100);
      }
    }
    async function pressWithoutAgent(count: number): Promise<void> {
      device.stopAgent();
      await device.passed(100);
      await pressOften(count);
      await device.startAgent(1_000);
    }

    test('is counted in the history where the guard has forgotten it, once, also by a guard that was restarted', async () => {
      await press();
      await pressWithoutAgent(KEPT + 44);
      device.killGuard();
      await device.startGuard();
      await device.restartAgent(5_000);
      await press();
      expect(ofButton()).toHaveLength(1 + KEPT + 1);
      expect(ofAgent()).toMatchObject([{ actor: 'relaygate-agent', outcome: 'unknown', reason: 'presses-missing-44' }]);
      await pressWithoutAgent(KEPT + 3);
      expect(all().filter(({ actor }) => actor === 'relaygate-agent')).toMatchObject([
        { reason: 'presses-missing-44' },
        { reason: 'presses-missing-3' },
      ]);
    });

    test('is entered once although the card takes no writes for a while', async () => {
      device.files.failing.set(HISTORY_PATH, 'EROFS: read-only file system');
      await pressWithoutAgent(40);
      await press();
      device.files.failing.clear();
      await device.passed(120_000);
      await press();
      expect(entered()).toHaveLength(40 + 2);
    });

    test('is entered once the journal takes it, for the next guard gives the number of what it does not know to another', async () => {
      device.files.failing.set(JOURNAL, 'ENOSPC');
      await press();
      device.killGuard();
      device.files.failing.clear();
      await device.startGuard(1_000);
      await press();
      const outcomes = async () => (await presses()).map(({ outcome, reason }) => reason ?? outcome);
      expect(await outcomes()).toEqual(['executed']);
      device.files.failing.set(JOURNAL, 'ENOSPC');
      await press();
      device.files.failing.clear();
      await device.passed(61_000);
      expect(await outcomes()).toEqual(['executed', 'journal-failed']);
    });

    test('is counted once, also where the agent died before the card had all, and the guard before it knew', async () => {
      device.stopAgent();
      await device.passed(100);
      await pressOften(KEPT + 44);
      await device.startAgent(1);
      while (!all().some(({ pressSeq }) => pressSeq !== undefined)) await device.passed(1);
      device.stopAgent();
      device.killGuard();
      forgetEntered();
      const [head, missing, first] = (device.files.texts.get(HISTORY_PATH) ?? '').split('\n');
      device.files.texts.set(HISTORY_PATH, `${head}\n${missing}\n${first}\n`);
      await device.startGuard();
      await device.startAgent(10_000);
      const entries = entered();
      expect(entries.filter(({ actor }) => actor === 'relaygate-agent')).toMatchObject([
        { reason: 'presses-missing-44' },
      ]);
      expect(entries).toHaveLength(1 + KEPT);
      expect(entries.every(({ pressSeq = 0 }, n) => n === 0 || pressSeq === (entries[n - 1]?.pressSeq ?? 0) + 1)).toBe(
        true,
      );
    });

    test('is known to the guard as entered once the card takes writes again, without another press', async () => {
      device.killGuard();
      const guard = await device.startGuard(1_000);
      device.files.failing.set(HISTORY_PATH, 'EROFS: read-only file system');
      await pressWithoutAgent(3);
      device.files.failing.clear();
      await device.passed(130_000);
      const { presses, entered, upTo } = await guard.presses({ entered: 0 });
      expect([presses, entered]).toEqual([[], upTo]);
    });

    test('is entered once, also where guard and agent end before the guard has written what is entered', async () => {
      await pressWithoutAgent(150);
      device.stopAgent();
      const journal = readJournal();
      device.killGuard();
      forgetEntered(journal);
      await device.startGuard();
      await device.startAgent(1_000);
      await press();
      expect(entered()).toHaveLength(151);
    });

    test('is entered once, also where the guard that heard so ended before it was written, and the agent was new', async () => {
      await pressWithoutAgent(3);
      const journal = readJournal();
      await device.restartAgent(1_000);
      device.killGuard();
      forgetEntered(journal);
      await device.startGuard(5_000);
      expect(entered()).toHaveLength(3);
    });
  });
});
