import { beforeEach, describe, expect, test } from '@jest/globals';
import { scryptPin } from '@relaygate/device-agent/system/scrypt-pin';
import { AgentInMemory, HISTORY_PATH, PIN_PATH } from '../../../../support/device/agent-in-memory';

let device: AgentInMemory;
beforeEach(async () => {
  device = new AgentInMemory();
  await device.startAgent();
});

const pinGate = () => {
  const gate = device.records?.pin;
  if (!gate) throw new Error('no agent');
  return gate;
};
const newPin = async (): Promise<string> => {
  const reply = (await device.localRequest('new-pin', {})) as { pin: string };
  return reply.pin;
};
const wrongTimes = async (times: number): Promise<unknown> => {
  let verdict: unknown;
  for (let turn = 0; turn < times; turn += 1) verdict = await pinGate().check('00000000', 'page');
  return verdict;
};
const restart = async (): Promise<void> => {
  device.stopAgent();
  await device.startAgent();
};
const WRONG = { ok: false, problem: 'wrong', waitS: 0 };

test('a device without a PIN lets nobody in, and says that there is none', async () => {
  expect(await pinGate().check('12345678', 'page')).toEqual({ ok: false, problem: 'no-pin' });
});

test('a new PIN has 8 digits, opens, and replaces the one before, also after a restart', async () => {
  const [first, second] = [await newPin(), await newPin()];
  expect([first, second]).toEqual([expect.stringMatching(/^\d{8}$/), expect.stringMatching(/^\d{8}$/)]);
  expect(second).not.toBe(first);
  expect(await pinGate().check(first, 'page')).toEqual(WRONG);
  expect(await pinGate().check(second, 'page')).toEqual({ ok: true });
  await restart();
  expect(await pinGate().check(first, 'page')).toEqual(WRONG);
  expect(await pinGate().check(second, 'page')).toEqual({ ok: true });
});

test('a new PIN is in the history, and the PIN itself is in no file', async () => {
  device.files.log.length = 0;
  const pin = await newPin();
  expect(device.files.log).toEqual([`append ${HISTORY_PATH}`, `replace ${PIN_PATH}`]);
  expect(await device.historyEntries({ limit: 10 })).toMatchObject([{ kind: 'pin', actor: 'a test' }]);
  expect(device.files.texts.get(HISTORY_PATH)).not.toContain(pin);
  expect(JSON.parse(device.files.texts.get(PIN_PATH) ?? '')).not.toHaveProperty('pin');
});

test('a PIN that cannot be saved is not in force, and is told as not done', async () => {
  const pin = await newPin();
  device.files.failing.set(PIN_PATH, 'EROFS');
  await expect(newPin()).rejects.toMatchObject({ code: 'refused', message: expect.stringContaining('EROFS') });
  expect(await pinGate().check(pin, 'page')).toEqual({ ok: true });
  expect((await device.historyEntries({ limit: 10 })).map(({ kind }) => kind)).toEqual(['pin', 'pin', 'not-done']);
});

test('each door counts its own wrong PINs, also over a restart: the network does not close the console', async () => {
  const pin = await newPin();
  await wrongTimes(5);
  expect(await pinGate().check(pin, 'page')).toMatchObject({ problem: 'wait' });
  for (let turn = 0; turn < 4; turn += 1) expect(await pinGate().check('00000000', 'console')).toEqual(WRONG);
  expect(await pinGate().check(pin, 'console')).toEqual({ ok: true });
  expect(await pinGate().check(pin, 'page')).toMatchObject({ problem: 'wait' });
  for (let turn = 0; turn < 5; turn += 1) await pinGate().check('00000000', 'console');
  expect(await pinGate().check(pin, 'console')).toEqual({ ok: false, problem: 'wait', waitS: 60 });
  await device.clock.advance(59_000);
  await restart();
  expect(await pinGate().check(pin, 'console')).toEqual({ ok: false, problem: 'wait', waitS: 60 });
  expect(await pinGate().check(pin, 'page')).toEqual({ ok: false, problem: 'wait', waitS: 60 });
});

test('checks of the page that wait for their turn leave the console its own', async () => {
  const pin = await newPin();
  const page = Array.from({ length: 20 }, () => pinGate().check('00000000', 'page'));
  expect(await pinGate().check(pin, 'console')).toEqual({ ok: true });
  await Promise.all(page);
});

describe('wrong PINs', () => {
  test('may be four; the fifth costs a minute, and each further one twice the time, to an hour', async () => {
    const pin = await newPin();
    expect(await wrongTimes(4)).toEqual(WRONG);
    const waits: number[] = [];
    for (let turn = 0; turn < 8; turn += 1) {
      const verdict = await pinGate().check('00000000', 'page');
      const waitS = verdict.ok || verdict.problem === 'no-pin' ? 0 : verdict.waitS;
      waits.push(waitS);
      await device.clock.advance(waitS * 1000 - 1);
      // Also the right one, unseen.
      expect(await pinGate().check(pin, 'page')).toEqual({ ok: false, problem: 'wait', waitS: 1 });
      await device.clock.advance(1);
    }
    expect(waits).toEqual([60, 120, 240, 480, 960, 1_920, 3_600, 3_600]);
    expect(await pinGate().check(pin, 'page')).toEqual({ ok: true });
    expect(await wrongTimes(4)).toEqual(WRONG);
  });

  test('are forgotten after a right one', async () => {
    const pin = await newPin();
    await wrongTimes(4);
    expect(await pinGate().check(pin, 'page')).toEqual({ ok: true });
    expect(await wrongTimes(4)).toEqual(WRONG);
  });

  test('are counted on the card from the fifth on, and the wait begins anew after a restart', async () => {
    const pin = await newPin();
    device.files.log.length = 0;
    await wrongTimes(4);
    expect(device.files.log).toEqual([]);
    await wrongTimes(1);
    expect(device.files.log).toEqual([`replace ${PIN_PATH}`]);
    await device.clock.advance(50_000);
    await restart();
    expect(await pinGate().check(pin, 'page')).toEqual({ ok: false, problem: 'wait', waitS: 60 });
    await device.clock.advance(60_000);
    expect(await pinGate().check('00000000', 'page')).toMatchObject({ waitS: 120 });
    await device.clock.advance(120_000);
    expect(await pinGate().check(pin, 'page')).toEqual({ ok: true });
    await restart();
    expect(await pinGate().check(pin, 'page')).toEqual({ ok: true });
  });

  test('that come at once are looked at one after the other', async () => {
    await newPin();
    const verdicts = await Promise.all(Array.from({ length: 20 }, () => pinGate().check('00000000', 'page')));
    expect(verdicts.slice(0, 4)).toEqual([WRONG, WRONG, WRONG, WRONG]);
    expect(verdicts.slice(4)).toEqual(Array(16).fill({ ok: false, problem: 'wait', waitS: 1 }));
  });
});

test('a corrupt pin.json is kept aside, and a new PIN can be made', async () => {
  await newPin();
  device.files.texts.set(PIN_PATH, '{"pin":"1234"}');
  await restart();
  expect(await pinGate().check('1234', 'page')).toEqual({ ok: false, problem: 'no-pin' });
  expect(device.files.texts.get(`${PIN_PATH}.corrupt-1`)).toBe('{"pin":"1234"}');
  expect((await device.historyEntries({ limit: 1 }))[0]).toMatchObject({ kind: 'not-in-file' });
  expect(await pinGate().check(await newPin(), 'page')).toEqual({ ok: true });
});

test('the hash is that of the PIN and the salt, and does not hold up the event loop', async () => {
  const salt = new Uint8Array(16).fill(3);
  let turns = 0;
  const count = setInterval(() => (turns += 1), 1);
  const [one, same, other] = await Promise.all(['12345678', '12345678', '12345679'].map((pin) => scryptPin(pin, salt)));
  clearInterval(count);
  expect(one).toHaveLength(32);
  expect(same).toEqual(one);
  expect(other).not.toEqual(one);
  expect(turns).toBeGreaterThan(2);
});
