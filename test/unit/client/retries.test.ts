import { getEventListeners } from 'node:events';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { CommandResult, Output } from '@relaygate/client';
import { json, OK, REPLAYED, type Reply, refused, ScriptedApi } from '../../support/client/scripted-api';

let api: ScriptedApi;
let gate: Output;
beforeEach(() => {
  api = new ScriptedApi();
  gate = api.client().product('gate').output(0);
});

const HTML = (status: number): Reply => ({ status, text: '<html></html>' });
const REFUSED = new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) });
/** The first answer, and what follows it. */
const first = (...replies: Reply[]) => {
  api.reply = (_call, nth) => replies[nth] ?? REPLAYED;
};

describe('a command is tried again with the same key', () => {
  test.each([
    ['a lost connection', 'lost'],
    ['no connection', REFUSED],
    ['500', refused(500, 'unknown')],
    ['a 502 of a proxy', HTML(502)],
    ['a 503 of a proxy', HTML(503)],
    ['a 504 of a proxy', HTML(504)],
    ['the 504 of a device', refused(504, 'device-timeout', { 'command-id': 'c0' })],
    ['another command in flight', refused(409, 'request-already-pending')],
    ['too many requests', refused(429, 'too-many-requests', { 'retry-after': '3' })],
    ['too many requests, of a proxy', HTML(429)],
    ['408', HTML(408)],
  ] as [string, Reply][])('after %s', async (_what, reply) => {
    first(reply);
    expect(await api.end(gate.toggle())).toEqual({ outcome: 'done', commandId: 'c1', replayed: true });
    const keys = api.requests.map(({ headers }) => headers['Idempotency-Key']);
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
  });

  test('after 7 s without an answer, longer than the server takes for one', async () => {
    first('silent');
    expect(await api.end(gate.toggle())).toMatchObject({ replayed: true });
    const [, second = 0] = api.timesMs;
    expect(second).toBeGreaterThanOrEqual(7_050);
    expect(second).toBeLessThanOrEqual(7_100);
  });

  test('after the seconds that the server names', async () => {
    first(refused(429, 'too-many-requests', { 'retry-after': '3' }));
    await api.end(gate.toggle());
    expect(api.timesMs).toEqual([0, 3_000]);
  });

  test('after waits that grow to 1 s, each shortened by chance', async () => {
    api.reply = () => 'lost';
    await api.error(gate.toggle());
    const waits = api.timesMs.slice(1).map((atMs, n) => atMs - (api.timesMs[n] ?? 0));
    waits.forEach((waitMs, n) => {
      const most = Math.min(100 * 2 ** n, 1_000);
      expect(waitMs).toBeGreaterThanOrEqual(most / 2);
      expect(waitMs).toBeLessThanOrEqual(most);
    });
    expect(new Set(waits).size).toBeGreaterThan(waits.length / 2);
  });
});

describe('no try begins after the time of the call', () => {
  const REPLIES: [string, Reply][] = [
    ['lost', 'lost'],
    ['silent', 'silent'],
    ['504', refused(504, 'device-timeout')],
    ['409', refused(409, 'request-already-pending')],
  ];
  test.each(REPLIES)('10 s if nothing else is said: %s', async (_what, reply) => {
    api.reply = () => reply;
    await api.error(gate.toggle());
    expect(api.timesMs.length).toBeGreaterThan(1);
    expect(Math.max(...api.timesMs)).toBeLessThanOrEqual(10_000);
    expect(Math.max(...api.timesMs)).toBeGreaterThan(7_000);
  });

  test('or as the client, or the call says', async () => {
    api.reply = () => 'lost';
    await api.error(api.client({ retryForMs: 500 }).product('gate').output(0).toggle());
    expect(Math.max(...api.timesMs)).toBeLessThanOrEqual(500);
    api.calls.length = 0;
    await api.error(gate.toggle({ retryForMs: 0 }));
    expect(api.requests).toHaveLength(1);
  });

  test('a wait that would end later fails the call at once, and says when to ask again', async () => {
    api.reply = () => refused(429, 'too-many-requests', { 'retry-after': '11' });
    const call = gate.toggle();
    await expect(Promise.all([call, api.clock.advance(0)])).rejects.toMatchObject({
      code: 'too-many-requests',
      retryAfterMs: 11_000,
      mayHaveMoved: false,
    });
  });

  test('a login that takes too long does not make the command later', async () => {
    api.tokens = () => 'silent';
    expect(await api.error(gate.toggle())).toMatchObject({ code: 'timed-out', mayHaveMoved: false });
    expect(api.requests).toEqual([]);
    expect(Math.max(...api.calls.map(({ atMs }) => atMs - api.startMs))).toBeLessThanOrEqual(10_000);
  });

  test('nor does a renewal of the token after a lost try', async () => {
    let renewing = false;
    const answers: ((token: string) => void)[] = [];
    const getAccessToken = () => (renewing ? new Promise<string>((answer) => answers.push(answer)) : 'a');
    api.reply = (_call, nth) => {
      renewing = true;
      return nth === 0 ? 'lost' : OK;
    };
    const call = api.error(api.client({ getAccessToken }).product('gate').output(0).toggle());
    expect(await call).toMatchObject({ code: 'timed-out', mayHaveMoved: true });
    for (const answer of answers) answer('late');
    await api.clock.advance(10_000);
    expect(api.requests).toHaveLength(1);
  });

  test('a machine that slept meanwhile tries no more', async () => {
    api.reply = () => 'lost';
    const call = gate.toggle().catch((error: unknown) => error);
    await api.clock.advance(0);
    api.clock.holdUp(8 * 3_600_000);
    await api.clock.advance(1_000);
    expect(await call).toMatchObject({ code: 'network' });
    // The one whose wait was over when it woke is refused before it is sent.
    expect(api.timesMs.filter((atMs) => atMs > 10_000)).toEqual([]);
  });
});

test('the time of a machine’s sleep counts, where its monotonic clock stands still', async () => {
  const { now } = Date;
  api.reply = () => {
    Date.now = () => now() + 8 * 3_600_000;
    return 'lost';
  };
  try {
    const call = api.client({ clock: undefined }).product('gate').output(0).toggle();
    await expect(call).rejects.toMatchObject({ code: 'network', mayHaveMoved: true });
  } finally {
    Date.now = now;
  }
  expect(api.requests).toHaveLength(1);
});

describe('an error says whether something may have moved', () => {
  test.each([
    ['the connection was lost', 'lost', 'network', true],
    ['no connection came about', REFUSED, 'network', false],
    ['no answer came', 'silent', 'timed-out', true],
    ['a proxy gave up', HTML(504), 'network', true],
    ['the device did not confirm', refused(504, 'device-timeout', { 'command-id': 'c9' }), 'device-timeout', true],
    ['the server failed before it sent it', refused(500, 'unknown'), 'unknown', false],
    ['a newer server failed in its own way', refused(503, 'of-a-newer-server'), 'of-a-newer-server', true],
    ['another command was in flight', refused(409, 'request-already-pending'), 'request-already-pending', false],
  ] as [string, Reply, string, boolean][])('%s', async (_what, reply, code, mayHaveMoved) => {
    api.reply = () => reply;
    expect(await api.error(gate.toggle())).toMatchObject({ code, mayHaveMoved });
  });

  test('which a later answer does not take back', async () => {
    api.reply = (_call, nth) => (nth === 0 ? 'lost' : refused(403, 'user-not-allowed'));
    expect(await api.error(gate.toggle())).toMatchObject({ code: 'user-not-allowed', mayHaveMoved: true });
  });

  test('and names the command', async () => {
    api.reply = () => refused(504, 'device-timeout', { 'command-id': 'c9' });
    expect(await api.error(gate.toggle())).toMatchObject({ status: 504, commandId: 'c9' });
  });

  test('but a read moves nothing', async () => {
    api.reply = () => 'lost';
    expect(await api.error(gate.state())).toMatchObject({ code: 'network', mayHaveMoved: false });
  });
});

describe('an AbortSignal', () => {
  const aborted = async (call: Promise<CommandResult>, gone: AbortController, afterMs: number) => {
    const ended = call.catch((error: unknown) => error);
    await api.clock.advance(afterMs);
    gone.abort('enough');
    await api.clock.advance(0);
    expect(getEventListeners(gone.signal, 'abort')).toEqual([]);
    expect(api.clock.pendingTimers).toBe(0);
    return ended;
  };

  test('ends a call that waits for its answer, which may have moved', async () => {
    api.reply = () => 'silent';
    const gone = new AbortController();
    const error = await aborted(gate.toggle({ signal: gone.signal }), gone, 10);
    expect(error).toMatchObject({ code: 'aborted', cause: 'enough', mayHaveMoved: true });
  });

  test('ends a call that waits before its next try, and tells what became of the last', async () => {
    api.reply = () => refused(409, 'request-already-pending');
    const gone = new AbortController();
    const error = await aborted(gate.toggle({ signal: gone.signal }), gone, 20);
    expect(error).toMatchObject({ code: 'aborted', mayHaveMoved: false });
    expect(api.requests).toHaveLength(1);
  });

  test('that has fired already lets nothing out, the client’s as well', async () => {
    const signal = AbortSignal.abort('before');
    expect(await api.error(gate.toggle({ signal }))).toMatchObject({ code: 'aborted', cause: 'before' });
    const client = api.client({ signal });
    expect(await api.error(client.product('gate').output(0).toggle())).toMatchObject({ mayHaveMoved: false });
    expect(api.calls).toEqual([]);
  });

  test('that fires while a call goes on from one step to its next ends it as well', async () => {
    for (let steps = 0; steps < 20; steps += 1) {
      const gone = new AbortController();
      const ended = gate.toggle({ signal: gone.signal }).catch((error: unknown) => error);
      for (let n = 0; n < steps; n += 1) await Promise.resolve();
      const sent = api.requests.length;
      gone.abort();
      await api.clock.advance(0);
      if (api.requests.length > sent) throw new Error(`it was sent after an abort, ${steps} steps after the call`);
      await ended;
    }
  });

  test('is left as it was when the call is over', async () => {
    const gone = new AbortController();
    const client = api.client({ signal: gone.signal });
    for (let n = 0; n < 3; n += 1) await api.end(client.product('gate').output(0).set(1, { signal: gone.signal }));
    expect(getEventListeners(gone.signal, 'abort')).toEqual([]);
    expect(api.clock.pendingTimers).toBe(0);
  });
});

test.each([-1, Number.NaN, 3_600_001, '5' as never])('retryForMs %p is refused', async (retryForMs) => {
  expect(() => api.client({ retryForMs })).toThrow(TypeError);
  await expect(gate.toggle({ retryForMs })).rejects.toThrow(TypeError);
});

test('a read is tried again as well', async () => {
  api.reply = (_call, nth) => (nth === 0 ? 'lost' : json(200, { outputs: [] }));
  expect(await api.end(gate.state())).toBeUndefined();
  expect(api.requests).toHaveLength(2);
});
