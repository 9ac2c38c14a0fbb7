/** Commands of the device itself whose answer is lost: what its history and its log say in the end. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { AgentInMemory } from '../../../../support/device/agent-in-memory';

/** By then whoever waits for a guard that says nothing has given up. */
const GIVEN_UP_MS = 15_000;
let device: AgentInMemory;
beforeEach(async () => {
  device = await AgentInMemory.started();
});

async function told(): Promise<{ history: object[]; log: string[] }> {
  const entries = await device.historyEntries({ limit: 20 });
  return {
    history: entries.map(({ seq, kind, outcome, about }) => ({ seq, kind, outcome, about })),
    log: await device.logged('command'),
  };
}

/** The guard hears it, and whoever asked hears nothing. */
async function unanswered(type: string, body: object): Promise<void> {
  device.isGuardHung = true;
  const reply = device.localRequest(type, body).catch((error) => error);
  await device.passed(GIVEN_UP_MS);
  expect(await reply).toMatchObject({ code: 'outcome-unknown' });
}

async function guardIsBack(): Promise<void> {
  device.isGuardHung = false;
  await device.passed(3_000);
}

describe('a command whose answer was lost', () => {
  test('is unknown, and executed once the guard says so: in the history and in the log', async () => {
    await unanswered('set', { numOutput: 0, state: 1 });
    const unknown = { seq: 1, kind: 'set-on', outcome: 'unknown', about: undefined };
    expect(await told()).toEqual({ history: [unknown], log: ['set 0 on by a test: unknown'] });
    await guardIsBack();
    const known = { seq: 2, kind: 'known-later', outcome: 'executed', about: 1 };
    expect(await told()).toEqual({
      history: [unknown, known],
      log: ['set 0 on by a test: unknown', 'set 0 on by a test: executed'],
    });
    // It is said once.
    await device.localRequest('set', { numOutput: 1, state: 1 });
    await device.passed(5_000);
    expect((await told()).history).toHaveLength(3);
  });

  test('is refused with its reason where the guard refused it', async () => {
    device.board.answer = () => ({ kind: 'failed', problem: 'no supply' });
    await unanswered('pulse', { numOutput: 2 });
    await guardIsBack();
    const refused = { kind: 'known-later', outcome: 'refused', reason: 'board-failed' };
    expect(await device.lastEntry()).toMatchObject(refused);
  });

  test('is too late where it never reached the guard, and not before its deadline is over', async () => {
    device.isGuardDeaf = true;
    const reply = device.localRequest('set', { numOutput: 0, state: 1 }).catch((error) => error);
    await device.passed(100);
    device.cutGuard();
    await device.passed(100);
    expect(await reply).toMatchObject({ code: 'outcome-unknown' });
    device.isGuardDeaf = false;
    await device.passed(2_000);
    expect((await told()).history).toMatchObject([{ outcome: 'unknown' }]);
    await device.passed(3_000);
    expect((await told()).history).toMatchObject([{ outcome: 'unknown' }, { kind: 'known-later', outcome: 'expired' }]);
  });

  test('stays unknown where the guard was killed in between', async () => {
    device.board.answer = () => new Promise(() => {});
    const reply = device.localRequest('set', { numOutput: 0, state: 1 }).catch((error) => error);
    await device.passed(10);
    device.killGuard();
    await device.passed(100);
    await reply;
    device.renewBoard();
    await device.startGuard(20_000);
    expect((await told()).history).toEqual([{ seq: 1, kind: 'set-on', outcome: 'unknown', about: undefined }]);
  });

  test('is unproven where it was the first click of a proof', async () => {
    const finish = device.board.hold('high');
    const reply = device.localRequest('click', { numOutput: 0 }).catch((error) => error);
    await device.passed(10);
    device.isGuardHung = true;
    finish();
    await device.passed(GIVEN_UP_MS);
    await reply;
    await guardIsBack();
    expect((await told()).history).toEqual([
      { seq: 1, kind: 'click', outcome: 'unknown', about: undefined },
      { seq: 2, kind: 'known-later', outcome: 'unproven', about: 1 },
    ]);
  });
});

test('a remote command that runs on while its guard was out of reach is told to the server and the log in the end (I10)', async () => {
  const finish = device.board.hold('high');
  device.server.command('c1', 0, { by: 'Kiosk' });
  await device.passed(10);
  device.cutGuard();
  // Asked again, the guard has no outcome yet.
  await device.passed(300);
  expect((await told()).log).toEqual(['toggle 0 by Kiosk: unknown']);
  finish();
  await device.passed(1_000);
  expect(device.server.of('result')).toMatchObject([{ commandId: 'c1', outcome: 'executed' }]);
  expect((await told()).log).toEqual(['toggle 0 by Kiosk: unknown', 'toggle 0 by Kiosk: executed']);
});
