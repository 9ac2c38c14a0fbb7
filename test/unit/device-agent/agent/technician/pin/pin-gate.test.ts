import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Visitor } from '@relaygate/device-agent/agent/technician/pin/page-tries';
import type { PinVerdict } from '@relaygate/device-agent/agent/technician/pin/pin-gate';
import { scryptPin } from '@relaygate/device-agent/platform/scrypt-pin';
import { AgentInMemory, EVENTS_PATH, HISTORY_PATH, PIN_PATH } from '../../../../../support/device/agent-in-memory';
import { errorWith } from '../../../../../support/device/error-with';
import { SAVE_PATIENCE_MS } from '../../../../../support/time/promised-times';

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
const newPin = (): Promise<string> => device.newPin();
const wrongTimes = async (times: number): Promise<unknown> => {
  let verdict: unknown;
  for (let turn = 0; turn < times; turn += 1) verdict = await pinGate().check('00000000', PHONE);
  return verdict;
};
const restart = async (): Promise<void> => {
  device.stopAgent();
  await device.startAgent();
};
/** Of the documentation's own networks. */
const at = (host: string, browserToken: string | null | undefined = null): Visitor => ({
  host,
  browserToken: browserToken ?? null,
});
const PHONE = at('192.0.2.7');
const WRONG = { ok: false, problem: 'wrong', waitS: 0 };

test('a new PIN has 8 digits, opens, and replaces the one before, also after a restart', async () => {
  const [first, second] = [await newPin(), await newPin()];
  expect([first, second]).toEqual([expect.stringMatching(/^\d{8}$/), expect.stringMatching(/^\d{8}$/)]);
  expect(second).not.toBe(first);
  expect(await pinGate().check(first, PHONE)).toEqual(WRONG);
  expect(await pinGate().check(second, PHONE)).toMatchObject({ ok: true });
  await restart();
  expect(await pinGate().check(first, PHONE)).toEqual(WRONG);
  expect(await pinGate().check(second, PHONE)).toMatchObject({ ok: true });
});

test('a new PIN whose asker goes while it waits for its turn is not made', async () => {
  const pin = await newPin();
  const answer = device.files.hold(PIN_PATH);
  const checked = pinGate().check('00000000', PHONE);
  const asker = new AbortController();
  const history = device.records?.history;
  if (!history) throw new Error('no agent');
  const life = { notAfterMs: Number.POSITIVE_INFINITY, givenUp: asker.signal };
  const renewed = pinGate().renew('a test', history, life);
  asker.abort();
  answer();
  await expect(renewed).rejects.toMatchObject({ code: 'refused' });
  expect(await checked).toEqual(WRONG);
  expect(await pinGate().check(pin, PHONE)).toMatchObject({ ok: true });
});

test('a new PIN is in the history, and the PIN itself is in no file', async () => {
  device.files.log.length = 0;
  const pin = await newPin();
  const onCard = device.files.log.filter((line) => !line.includes('/run/'));
  expect(onCard).toEqual([`append ${HISTORY_PATH}`, `replace ${PIN_PATH}`]);
  expect(device.files.texts.get(EVENTS_PATH)).not.toContain(pin);
  expect(await device.historyEntries({ limit: 10 })).toMatchObject([{ kind: 'pin', actor: 'a test' }]);
  expect(device.files.texts.get(HISTORY_PATH)).not.toContain(pin);
  expect(JSON.parse(device.files.texts.get(PIN_PATH) ?? '')).not.toHaveProperty('pin');
});

test('a PIN that cannot be saved is not in force, and is told as not done', async () => {
  const pin = await newPin();
  device.files.failing.set(PIN_PATH, 'EROFS');
  await expect(newPin()).rejects.toMatchObject(errorWith('refused', 'EROFS'));
  expect(await pinGate().check(pin, PHONE)).toMatchObject({ ok: true });
  expect((await device.historyEntries({ limit: 10 })).map(({ kind }) => kind)).toEqual(['pin', 'pin', 'not-done']);
});

test('the console counts its own wrong PINs, also over a restart: the network does not close it', async () => {
  const pin = await newPin();
  await wrongTimes(5);
  expect(await pinGate().check(pin, PHONE)).toMatchObject({ problem: 'wait' });
  for (let turn = 0; turn < 4; turn += 1) expect(await pinGate().check('00000000', 'console')).toEqual(WRONG);
  expect(await pinGate().check(pin, 'console')).toEqual({ ok: true });
  expect(await pinGate().check(pin, PHONE)).toMatchObject({ problem: 'wait' });
  for (let turn = 0; turn < 5; turn += 1) await pinGate().check('00000000', 'console');
  expect(await pinGate().check(pin, 'console')).toEqual({ ok: false, problem: 'wait', waitS: 60 });
  await device.clock.advance(59_000);
  await restart();
  expect(await pinGate().check(pin, 'console')).toEqual({ ok: false, problem: 'wait', waitS: 60 });
  expect(await pinGate().check(pin, PHONE)).toMatchObject({ ok: true });
});

test('checks of the page that wait for their turn leave the console its own', async () => {
  const pin = await newPin();
  const page = Array.from({ length: 20 }, () => pinGate().check('00000000', PHONE));
  expect(await pinGate().check(pin, 'console')).toEqual({ ok: true });
  await Promise.all(page);
});

describe('wrong PINs', () => {
  test('may be four; the fifth costs a minute, and each further one twice the time, to an hour', async () => {
    const pin = await newPin();
    expect(await wrongTimes(4)).toEqual(WRONG);
    const waits: number[] = [];
    for (let turn = 0; turn < 8; turn += 1) {
      const verdict = await pinGate().check('00000000', PHONE);
      const waitS = verdict.ok || verdict.problem === 'no-pin' ? 0 : verdict.waitS;
      waits.push(waitS);
      await device.clock.advance(waitS * 1000 - 1);
      // Also the right one, unseen.
      expect(await pinGate().check(pin, PHONE)).toEqual({ ok: false, problem: 'wait', waitS: 1 });
      await device.clock.advance(1);
    }
    expect(waits).toEqual([60, 120, 240, 480, 960, 1_920, 3_600, 3_600]);
    expect(await pinGate().check(pin, PHONE)).toMatchObject({ ok: true });
    expect(await wrongTimes(4)).toEqual(WRONG);
  });

  test('are forgotten after a right one', async () => {
    const pin = await newPin();
    await wrongTimes(4);
    expect(await pinGate().check(pin, PHONE)).toMatchObject({ ok: true });
    expect(await wrongTimes(4)).toEqual(WRONG);
  });

  test('at the console are on the card before they are answered, and the wait begins anew after a restart', async () => {
    const pin = await newPin();
    const wrong = () => pinGate().check('00000000', 'console');
    device.files.log.length = 0;
    for (let turn = 0; turn < 4; turn += 1) {
      await wrong();
      await restart();
    }
    expect(device.files.log.filter((entry) => entry === `replace ${PIN_PATH}`)).toHaveLength(4);
    expect(await wrong()).toEqual({ ok: false, problem: 'wrong', waitS: 60 });
    await device.clock.advance(50_000);
    await restart();
    expect(await pinGate().check(pin, 'console')).toEqual({ ok: false, problem: 'wait', waitS: 60 });
    await device.clock.advance(60_000);
    expect(await wrong()).toMatchObject({ waitS: 120 });
    await device.clock.advance(120_000);
    expect(await pinGate().check(pin, 'console')).toEqual({ ok: true });
    await restart();
    expect(await pinGate().check(pin, 'console')).toEqual({ ok: true });
  });

  test('that come at once are looked at one after the other', async () => {
    await newPin();
    const verdicts = await Promise.all(Array.from({ length: 20 }, () => pinGate().check('00000000', PHONE)));
    expect(verdicts.slice(0, 4)).toEqual([WRONG, WRONG, WRONG, WRONG]);
    expect(verdicts.slice(4)).toEqual(Array(16).fill({ ok: false, problem: 'wait', waitS: 1 }));
  });
});

describe('at the page', () => {
  const stranger = (n: number): Visitor => at(`198.51.100.${n}`);
  /** As many as all may have within an hour, four of each address. */
  const useUp = async (): Promise<void> => {
    for (let n = 0; n < 60; n += 1) expect(await pinGate().check('00000000', stranger(n >> 2))).toMatchObject(WRONG_AT);
  };
  const WRONG_AT = { problem: 'wrong' };
  const BY_OTHERS = { ok: false, problem: 'wait', byOthers: true };
  const tokenOf = (verdict: PinVerdict): string => (verdict.ok ? (verdict.browserToken ?? '') : '');

  test('the wrong PINs of one address do not close it for another, nor take its turn', async () => {
    const pin = await newPin();
    await wrongTimes(5);
    const flood = Array.from({ length: 50 }, () => pinGate().check('00000000', PHONE));
    expect(await pinGate().check(pin, at('192.0.2.8'))).toMatchObject({ ok: true });
    await Promise.all(flood);
  });

  test('after sixty wrong ones of all within an hour, addresses wait that were never let in', async () => {
    const pin = await newPin();
    const known = at('192.0.2.8');
    expect(await pinGate().check(pin, known)).toMatchObject({ ok: true });
    await device.clock.advance(1_000);
    await useUp();
    expect(await pinGate().check(pin, PHONE)).toEqual({ ...BY_OTHERS, waitS: 3_600 });
    expect(await pinGate().check(pin, known)).toMatchObject({ ok: true });
    expect(await pinGate().check(pin, 'console')).toEqual({ ok: true });
    await device.clock.advance(3_599_000);
    expect(await pinGate().check(pin, PHONE)).toEqual({ ...BY_OTHERS, waitS: 1 });
    await device.clock.advance(1_000);
    expect(await pinGate().check(pin, PHONE)).toMatchObject({ ok: true });
  });

  test('a restart gives no new tries, and a browser that was let in is known after it, from any address', async () => {
    const pin = await newPin();
    const token = tokenOf(await pinGate().check(pin, PHONE));
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(device.files.texts.get(PIN_PATH)).not.toContain(token);
    for (let n = 0; n < 60; n += 1) {
      await pinGate().check('00000000', stranger(n));
      if (n % 20 === 0) await restart();
    }
    await restart();
    expect(await pinGate().check(pin, stranger(99))).toMatchObject(BY_OTHERS);
    expect(await pinGate().check(pin, PHONE)).toMatchObject(BY_OTHERS);
    expect(await pinGate().check(pin, at('203.0.113.5', 'x'.repeat(43)))).toMatchObject(BY_OTHERS);
    expect(await pinGate().check(pin, at('203.0.113.5', token))).toEqual({ ok: true, browserToken: token });
  });

  test('a browser that is known counts for itself', async () => {
    const pin = await newPin();
    const token = tokenOf(await pinGate().check(pin, PHONE));
    for (let n = 0; n < 5; n += 1) await pinGate().check('00000000', at('192.0.2.7', token));
    expect(await pinGate().check(pin, at('192.0.2.9', token))).toEqual({ ok: false, problem: 'wait', waitS: 60 });
    expect(await pinGate().check(pin, PHONE)).toMatchObject({ ok: true });
  });

  test('a new PIN makes every browser and address a stranger', async () => {
    const token = tokenOf(await pinGate().check(await newPin(), PHONE));
    const pin = await newPin();
    await useUp();
    expect(await pinGate().check(pin, at('192.0.2.7', token))).toMatchObject(BY_OTHERS);
  });

  test('sixteen browsers are known, those let in last', async () => {
    const pin = await newPin();
    const tokens: string[] = [];
    for (let n = 0; n < 17; n += 1) tokens.push(tokenOf(await pinGate().check(pin, at(`192.0.2.${n}`))));
    await useUp();
    const answers = await Promise.all([0, 1, 16].map((n) => pinGate().check(pin, at('203.0.113.5', tokens[n]))));
    expect(answers.map(({ ok }) => ok)).toEqual([false, true, true]);
  });

  test('eight addresses are known, those let in last', async () => {
    const pin = await newPin();
    for (let n = 0; n < 9; n += 1) await pinGate().check(pin, at(`192.0.2.${n}`));
    await useUp();
    expect(await pinGate().check(pin, at('192.0.2.0'))).toMatchObject(BY_OTHERS);
    expect(await pinGate().check(pin, at('192.0.2.1'))).toMatchObject({ ok: true });
  });

  test('a file of an older version is read, and its wrong ones in a row count as those of an hour', async () => {
    const pin = await newPin();
    const record = JSON.parse(device.files.texts.get(PIN_PATH) ?? '');
    device.files.texts.set(PIN_PATH, JSON.stringify({ ...record, wrong: 99, wrongAtConsole: 6 }));
    await restart();
    expect(await pinGate().check(pin, PHONE)).toEqual({ ...BY_OTHERS, waitS: 3_600 });
    expect(await pinGate().check(pin, 'console')).toEqual({ ok: false, problem: 'wait', waitS: 120 });
    await device.clock.advance(3_600_000);
    expect(await pinGate().check(pin, PHONE)).toMatchObject({ ok: true });
    expect(JSON.parse(device.files.texts.get(PIN_PATH) ?? '')).not.toHaveProperty('wrong');
  });

  test('a card that refuses lets in who knows the PIN, and is tried again with the next one', async () => {
    const pin = await newPin();
    device.files.failing.set(PIN_PATH, 'EROFS');
    const token = tokenOf(await pinGate().check(pin, PHONE));
    expect(device.files.texts.get(PIN_PATH)).not.toContain('browsers');
    device.files.failing.delete(PIN_PATH);
    expect(await pinGate().check(pin, at('192.0.2.7', token))).toEqual({ ok: true, browserToken: token });
    expect(device.files.texts.get(PIN_PATH)).toContain('browsers');
  });
});

describe('a card that hangs', () => {
  /** Ends the hanging. */
  const released = async (release: () => void): Promise<void> => {
    device.files.slow.delete(PIN_PATH);
    release();
    await device.passed();
  };
  const inFile = () => JSON.parse(device.files.texts.get(PIN_PATH) ?? '');
  /** As the first check is answered since the card hangs; later ones need no time. */
  const afterPatience = async <T>(answer: Promise<T>): Promise<T> => {
    await device.passed(SAVE_PATIENCE_MS);
    return await answer;
  };

  test('keeps nobody waiting for longer than a second, at the page or the console', async () => {
    const pin = await newPin();
    const release = device.files.hold(PIN_PATH);
    expect(await afterPatience(pinGate().check(pin, PHONE))).toMatchObject({ ok: true });
    expect(await pinGate().check('00000000', 'console')).toEqual(WRONG);
    expect(await pinGate().check(pin, 'console')).toEqual({ ok: true });
    expect(await pinGate().check(pin, PHONE)).toMatchObject({ ok: true });
    await released(release);
  });

  test('gives no more tries: wrong ones count, and are on the card once it answers', async () => {
    const pin = await newPin();
    const release = device.files.hold(PIN_PATH);
    expect(await afterPatience(pinGate().check('00000000', 'console'))).toEqual(WRONG);
    for (let turn = 0; turn < 3; turn += 1) expect(await pinGate().check('00000000', 'console')).toEqual(WRONG);
    expect(await pinGate().check('00000000', 'console')).toMatchObject({ waitS: 60 });
    expect(await pinGate().check(pin, 'console')).toEqual({ ok: false, problem: 'wait', waitS: 60 });
    expect(inFile()).not.toHaveProperty('wrongAtConsole');
    await released(release);
    expect(inFile()).toMatchObject({ wrongAtConsole: 5 });
    await restart();
    expect(await pinGate().check(pin, 'console')).toEqual({ ok: false, problem: 'wait', waitS: 60 });
  });

  test('puts no former PIN in the place of a new one, however late it writes', async () => {
    await newPin();
    const release = device.files.hold(PIN_PATH);
    await afterPatience(pinGate().check('00000000', 'console'));
    const refused = expect(newPin()).rejects.toMatchObject(errorWith('refused', 'the disk does not answer'));
    await device.passed();
    await refused;
    await released(release);
    const pin = await newPin();
    const { id } = inFile();
    await device.passed(SAVE_PATIENCE_MS);
    expect(inFile()).toMatchObject({ id });
    expect(inFile()).not.toHaveProperty('wrongAtConsole');
    await restart();
    expect(await pinGate().check(pin, 'console')).toEqual({ ok: true });
  });

  test('leaves no first PIN that nobody was told, once it answers', async () => {
    const release = device.files.hold(PIN_PATH);
    const refused = expect(newPin()).rejects.toMatchObject(errorWith('refused', 'nothing was changed'));
    await device.passed(SAVE_PATIENCE_MS);
    await refused;
    await released(release);
    expect(device.files.texts.has(PIN_PATH)).toBe(false);
    const pin = await newPin();
    await restart();
    expect(await pinGate().check(pin, 'console')).toEqual({ ok: true });
  });

  test('refuses a new PIN within a second, and the one of before stays in force and on the card', async () => {
    const pin = await newPin();
    const { id } = inFile();
    const release = device.files.hold(PIN_PATH);
    const refused = expect(newPin()).rejects.toMatchObject(errorWith('refused', 'nothing was changed'));
    await device.passed(SAVE_PATIENCE_MS);
    await refused;
    expect(await pinGate().check(pin, 'console')).toEqual({ ok: true });
    await released(release);
    expect(inFile()).toMatchObject({ id });
    await restart();
    expect(await pinGate().check(pin, 'console')).toEqual({ ok: true });
  });
});

test('a corrupt pin.json is kept aside, and a new PIN can be made', async () => {
  await newPin();
  device.files.texts.set(PIN_PATH, '{"pin":"1234"}');
  await restart();
  expect(await pinGate().check('1234', PHONE)).toEqual({ ok: false, problem: 'no-pin' });
  expect(device.files.texts.get(`${PIN_PATH}.corrupt-1`)).toBe('{"pin":"1234"}');
  expect(await device.lastEntry()).toMatchObject({ kind: 'not-in-file' });
  expect(await pinGate().check(await newPin(), PHONE)).toMatchObject({ ok: true });
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
