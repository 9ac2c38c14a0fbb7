/** T14: the wall clock of server or device jumps while it runs; process.hrtime and all timers go on as they were. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { FakeWallClock, fakeClockMissing } from '../support/fake-wall-clock';
import { eventually, Installation, timed } from '../support/installation';
import { describeWhere } from '../support/needs';
import { pause } from '../support/running-demo';
import { call } from '../support/server/api-client';

const JUMPS = [['+1h'], ['-1h'], ['@1970-01-01 00:00:10']] as const;
const PULSED = 2;

const describeIfFaked = describeWhere(fakeClockMissing());

async function expectUsualTimeout(site: Installation, jump: () => void): Promise<void> {
  site.relay.hold('to-device');
  const pending = timed(site.set(0, 1));
  await pause(1_000);
  jump();
  const { answer, tookMs } = await pending;
  expect(answer.status).toBe(504);
  expect(tookMs).toBeGreaterThanOrEqual(4_999);
  expect(tookMs).toBeLessThan(5_100);
  site.relay.heal();
  // The token may have expired in the jump.
  await site.logIn();
  // Delivered after its deadline: not executed (I2).
  const commandId = answer.headers.get('command-id');
  await eventually(async () => ['refused', 'expired'].includes(await site.outcomeOf(commandId)));
  expect(site.newEdges()).toEqual([]);
}

describeIfFaked('the server’s wall clock jumps', () => {
  let clock: FakeWallClock;
  let site: Installation;
  beforeAll(async () => {
    clock = new FakeWallClock();
    site = await Installation.start({ serverEnv: clock.env });
  }, 60_000);
  afterAll(async () => {
    await site?.stop();
    clock?.remove();
  });
  beforeEach(async () => {
    clock.set('+0');
    await site.logIn();
    await site.settle();
  }, 40_000);

  test.each(JUMPS)(
    'to %s: commands, deadlines and the link are as before; records carry the new time',
    async (time) => {
      const before = site.relay.frames.filter(({ type }) => type === 'hello').length;
      await expectUsualTimeout(site, () => clock.set(time));
      const { answer, tookMs } = await timed(site.set(0, 1));
      expect(answer.text).toBe('OK');
      expect(tookMs).toBeLessThan(1_000);
      expect(site.newEdges()).toHaveLength(1);
      const url = `${site.url}/api/v1/commands/${answer.headers.get('command-id')}`;
      const { acceptedAt } = (await call('GET', url, undefined, { token: site.token })).json as { acceptedAt: string };
      expect(Math.abs(Date.parse(acceptedAt) - Date.now())).toBeGreaterThan(3_500_000);
      expect(site.relay.frames.filter(({ type }) => type === 'hello')).toHaveLength(before);
      // I11: seen just now, in the server's own time.
      expect(Math.abs(Date.parse((await site.state()).lastSeenAt ?? '') - Date.parse(acceptedAt))).toBeLessThan(60_000);
    },
    30_000,
  );

  test('forward: an access token of before is expired, and its refresh token still gives a new pair', async () => {
    clock.set('+1h');
    expect(await site.set(0, 1)).toMatchObject({ status: 401, json: { error: 'bad-token' } });
    const refreshed = await call('POST', `${site.url}/api/v1/auth/refresh`, { refreshToken: site.refreshToken });
    expect(refreshed.status).toBe(200);
    site.token = (refreshed.json as { accessToken: string }).accessToken;
    expect((await site.set(0, 1)).text).toBe('OK');
  });

  test.each([['-1h'], ['@1970-01-01 00:00:10']])(
    'back to %s: a token of before works, and one made meanwhile is expired when the clock is right again',
    async (time) => {
      clock.set(time);
      expect((await site.set(0, 1)).text).toBe('OK');
      await site.logIn();
      expect((await site.set(0, 0)).text).toBe('OK');
      clock.set('+0');
      expect((await site.set(0, 1)).status).toBe(401);
      expect(site.newEdges()).toHaveLength(2);
    },
  );

  test('a server that starts in 1970 serves', async () => {
    clock.set('@1970-01-01 00:00:10');
    await site.server.stop();
    await site.startServer();
    await site.logIn();
    await site.untilConnected();
    expect((await site.set(0, 1)).text).toBe('OK');
    expect(site.newEdges()).toHaveLength(1);
  }, 30_000);
});

describeIfFaked('the device’s wall clock jumps', () => {
  let clock: FakeWallClock;
  let site: Installation;
  beforeAll(async () => {
    clock = new FakeWallClock();
    site = await Installation.start({ deviceEnv: clock.env });
  }, 60_000);
  afterAll(async () => {
    await site?.stop();
    clock?.remove();
  });
  beforeEach(async () => {
    clock.set('+0');
    await site.settle();
  }, 40_000);

  test.each(JUMPS)(
    'to %s: commands and deadlines are as before, on the same link',
    async (time) => {
      const before = site.relay.frames.filter(({ type }) => type === 'hello').length;
      await expectUsualTimeout(site, () => clock.set(time));
      expect((await site.set(0, 1)).text).toBe('OK');
      expect(site.newEdges()).toHaveLength(1);
      expect(site.relay.frames.filter(({ type }) => type === 'hello')).toHaveLength(before);
    },
    30_000,
  );

  test.each(JUMPS)('to %s in a pulse: the pulse keeps its length (I4)', async (time) => {
    expect((await site.set(PULSED, 1)).text).toBe('OK');
    clock.set(time);
    const [on, off] = await site.nextEdges(2);
    const lengthMs = (off?.atMs ?? 0) - (on?.atMs ?? 0);
    expect(lengthMs).toBeGreaterThanOrEqual(499);
    expect(lengthMs).toBeLessThanOrEqual(550);
  });

  test.each(JUMPS)(
    'to %s before its agent starts: the link comes up and commands work',
    async (time) => {
      clock.set(time);
      await site.agent.stop();
      await site.startAgent();
      await site.untilConnected();
      expect((await site.set(0, 1)).text).toBe('OK');
    },
    30_000,
  );
});
