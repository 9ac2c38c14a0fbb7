/** What the agent knows of its wall clock, and what it keeps of it. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { AgentInMemory, LAST_GOOD_TIME_PATH } from '../../../../support/device/agent-in-memory';
import { NO_SERVER } from '../../../../support/device/device';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

let device: AgentInMemory;
beforeEach(() => {
  device = new AgentInMemory();
});

describe('a clock that nobody has set', () => {
  test('is a fault two minutes after the start, and no longer once somebody has set it', async () => {
    device.isClockSet = false;
    await device.start();
    await device.passed(MINUTE_MS);
    expect(await device.faultCodes()).toEqual([]);
    await device.passed(2 * MINUTE_MS);
    expect(await device.faultCodes()).toEqual(['clock-not-set']);
    expect(device.server.of('report').at(-1)?.faults).toEqual([expect.stringMatching(/^No time server has set/)]);
    device.isClockSet = true;
    await device.passed(MINUTE_MS);
    expect(await device.faultCodes()).toEqual([]);
  });

  test('gives no time to what is logged and entered, although it shows one', async () => {
    device.isClockSet = false;
    await device.start();
    await device.localRequest('lock', { numOutput: 0, forMs: HOUR_MS });
    expect(await device.historyEntries({ limit: 1 })).toMatchObject([{ kind: 'lock', atMs: null }]);
    const events = await device.loggedEvents();
    expect(new Set(events.map(({ at }) => at))).toEqual(new Set([null]));
  });
});

describe('the last good time', () => {
  const kept = (): number | null => JSON.parse(device.files.texts.get(LAST_GOOD_TIME_PATH) ?? '{}').epochMs ?? null;
  const writes = (): number => device.files.log.filter((line) => line === `replace ${LAST_GOOD_TIME_PATH}`).length;
  const nowMs = (): number => device.wallClock.epochMs();
  const withServer = (serverUrl: string): void => {
    device.editSettings({ link: { ...NO_SERVER, serverUrl } });
  };
  beforeEach(() => withServer('wss://gate.example.com'));

  test('is not kept before the server has proven itself and taken the link', async () => {
    device.server.answersTime = false;
    await device.start();
    await device.passed(MINUTE_MS);
    expect(writes()).toBe(0);
  });

  test('is not that of a link without a certificate', async () => {
    withServer('ws://127.0.0.1:9');
    await device.start();
    expect(writes()).toBe(0);
  });

  test('never is what a false time server says while the link is up', async () => {
    await device.start();
    const before = kept() ?? 0;
    device.wallMs += 3_650 * DAY_MS;
    await device.passed(7 * HOUR_MS);
    expect(writes()).toBe(2);
    expect((kept() ?? 0) - before).toBeLessThan(7 * HOUR_MS);
  });

  test('nor what it says while the server’s certificate is being checked', async () => {
    const { dial } = device.server;
    const trueMs = device.wallMs;
    device.server.dial = (events) => {
      device.wallMs += 3_650 * DAY_MS;
      return dial(events);
    };
    await device.start();
    expect((kept() ?? 0) - trueMs).toBeLessThan(DAY_MS);
  });

  test('is put right by the next link', async () => {
    device.wallMs += 30 * DAY_MS;
    await device.start();
    device.wallMs -= 30 * DAY_MS;
    device.server.close(null);
    await device.passed(HOUR_MS);
    expect(Math.abs(nowMs() - (kept() ?? 0))).toBeLessThan(HOUR_MS);
  });

  test('does not wear the card where a link flaps, nor where the disk refuses', async () => {
    await device.start();
    for (let n = 0; n < 60; n += 1) {
      device.server.close(null);
      await device.passed(MINUTE_MS);
    }
    expect(writes()).toBeLessThanOrEqual(7);
    device.files.failing.set(LAST_GOOD_TIME_PATH, 'EROFS');
    await device.passed(DAY_MS);
    device.files.failing.clear();
    await device.passed(6 * HOUR_MS);
    expect(nowMs() - (kept() ?? 0)).toBeLessThan(6 * HOUR_MS);
  });
});
