/** The agent over a guard in the same process, a scripted server and a virtual clock: only the ports are other ones. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { CLOSE } from '@relaygate/shared';
import { AgentInMemory, CODE_PATH } from '../../../support/device/agent-in-memory';
import { JOURNAL } from '../../../support/device/guard-in-memory';
import { enrolmentCode } from '../../../support/server/codes';

let device: AgentInMemory;
beforeEach(() => {
  device = new AgentInMemory();
});

describe('a new link', () => {
  test('keeps a code that was read for the link before it', async () => {
    device.files.texts.set(CODE_PATH, enrolmentCode(1));
    const read = device.files.read.bind(device.files);
    let answer = (): void => {};
    const hangs = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let codeReads = 0;
    device.files.read = async (path) => {
      if (path === CODE_PATH) codeReads += 1;
      if (path === CODE_PATH && codeReads === 1) await hangs;
      const text = await read(path);
      if (path === CODE_PATH && codeReads === 2) {
        device.files.texts.set(CODE_PATH, enrolmentCode(2));
        answer();
      }
      return text;
    };
    await device.startAgent();
    await device.passed(100);
    device.server.close(null);
    await device.passed(3_000);
    expect(device.server.of('proof').map(({ enrolmentCode: sent }) => sent)).toEqual([enrolmentCode(1)]);
    expect(device.files.texts.get(CODE_PATH)).toBe(enrolmentCode(2));
  });

  test('comes up without a guard, with states unknown and the fault reported', async () => {
    device.server.unresolved = ['c'];
    await device.startAgent(3_000);
    expect(device.server.of('report')[0]).toMatchObject({
      outputs: [{ state: null }, { state: null }, { state: null }, { state: null }],
      faults: ['The guard is away: it does not run.'],
    });
    expect(device.server.of('resume')[0]).toEqual({ type: 'resume', outcomes: [], notStarted: [] });
  });
});

describe('a guard that hangs', () => {
  test('is shown and reported as away, its states as unknown, until it answers again (I11)', async () => {
    await device.startGuard();
    await device.startAgent();
    device.isGuardHung = true;
    await device.passed(4_500);
    const hung = {
      guard: { isReachable: false, problem: 'it does not answer' },
      outputs: [{ state: null }, {}, {}, {}],
    };
    expect(await device.status()).toMatchObject(hung);
    expect(device.server.of('report').at(-1)?.faults).toEqual(['The guard is away: it does not answer.']);
    expect(device.server.of('report').at(-1)?.outputs[0]?.state).toBeNull();
    await device.passed(10_000);
    expect(await device.status()).toMatchObject(hung);
    device.isGuardHung = false;
    await device.passed(3_000);
    expect(await device.status()).toMatchObject({
      guard: { isReachable: true },
      outputs: [{ state: 0 }, {}, {}, {}],
    });
  });
});

describe('an enrolment-code file that is of no use', () => {
  test.each([
    ['cannot be read', 'EACCES', enrolmentCode(), 'cannot be read (EACCES)'],
    ['holds something else', '', 'the code is: ABCD', 'holds no enrolment code'],
    ['holds a mistyped one', '', enrolmentCode().replace('4', '5'), 'holds no enrolment code, or a mistyped one'],
    ['is too long', '', 'A'.repeat(65), 'holds no enrolment code'],
  ])(
    'because it %s is not sent, named as a fault, and keeps no enrolled device out',
    async (_name, problem, text, words) => {
      device.files.texts.set(CODE_PATH, text);
      device.files.unreadable.set(CODE_PATH, problem);
      await device.startGuard();
      await device.startAgent();
      expect(device.server.of('proof')[0]).not.toHaveProperty('enrolmentCode');
      expect(device.server.of('report')[0]?.faults).toEqual([expect.stringContaining(`${CODE_PATH} ${words}`)]);
      expect(device.files.texts.get(CODE_PATH)).toBe(text);
    },
  );
});

describe('a link that breaks', () => {
  beforeEach(async () => {
    await device.start();
  });

  test('stays for hours while the server answers the heartbeat', async () => {
    await device.passed(2 * 3_600_000);
    expect(device.server.terminations).toBe(0);
    expect(device.server.of('hello')).toHaveLength(1);
    expect(device.clock.pendingTimers).toBeLessThan(10);
  });

  test('by a takeover waits a minute, and the takeover is reported afterwards', async () => {
    device.server.close(CLOSE.replaced);
    await device.passed(59_000);
    expect(device.server.of('hello')).toHaveLength(1);
    await device.passed(2_000);
    expect(device.server.of('report').at(-1)?.faults[0]).toContain('Another device');
    const status = await device.status();
    expect(status).toMatchObject({ link: { isUp: true }, faults: [{ code: 'key-elsewhere' }] });
  });
});

describe('the guard', () => {
  const ON_0 = { numOutput: 0, state: 1 };

  beforeEach(async () => {
    await device.start();
  });

  test.each([
    ['a C1 control', 'a\u0085b'],
    ['an override', 'a\u202eb'],
    ['an isolate', 'a\u2066b'],
    ['a line separator', 'a\u2028b'],
    ['an Arabic letter mark', 'a\u061cb'],
    ['a space of no width', 'a\u200bb'],
    ['half a surrogate pair', 'a\ud800b'],
  ])('takes no name with %s, which would read as another one', async (_what, name) => {
    await expect(device.changeOutput(0, { name })).rejects.toMatchObject({
      code: 'out-of-range',
      message:
        'name must be without control characters, invisible signs and signs that turn the writing around: it would read as another one.',
    });
    await device.changeOutput(0, { name: 'Portail علي 😀' });
    expect(await device.status()).toMatchObject({
      outputs: [{ name: 'Portail علي 😀' }, {}, {}, {}],
    });
  });

  test('starts with a name from before that would be refused now', async () => {
    device.stopAgent();
    const [first, ...others] = device.onDisk().outputs;
    device.editSettings({ outputs: [{ ...first, name: 'a\u202eb' }, ...others] });
    await device.startAgent();
    await device.changeOutput(0, { pulseMs: 700 });
    expect(await device.status()).toMatchObject({
      outputs: [{ name: 'a\u202eb', pulseMs: 700 }, {}, {}, {}],
    });
  });

  test('hears of the link while its journal is slow to take a new epoch, and counts no loss before there is one', async () => {
    device.killGuard();
    const before = await device.startGuard(1_000);
    await device.changeOutput(0, { powerOn: 'restore', onLinkLoss: 'off', linkLossMs: 6_000 });
    await device.localRequest('set', ON_0);
    await device.passed(2_000);
    await before.stop();
    device.killGuard();
    device.server.close(null);
    await device.passed(5_000);
    await device.startGuard();
    device.files.slow.set(JOURNAL, new Promise(() => {}));
    await device.passed(4_500);
    device.server.answersTime = false;
    device.server.close(null);
    await device.passed(5_900);
    expect(device.board.levels[0]).toBe('high');
    await device.passed(100);
    expect(device.board.levels[0]).toBe('low');
  });

  test('hears that the agent lives, and holds an output for agentLossMs without', async () => {
    await device.changeOutput(0, { onAgentLoss: 'off', agentLossMs: 5_000 });
    await device.localRequest('set', ON_0);
    await device.passed(60_000);
    expect(device.board.levels[0]).toBe('high');
    device.stopAgent();
    await device.passed(2_900);
    expect(device.board.levels[0]).toBe('high');
    await device.passed(2_100);
    expect(device.board.levels[0]).toBe('low');
  });
});
