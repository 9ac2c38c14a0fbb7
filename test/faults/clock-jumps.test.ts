/** T14: the wall clock of server or device jumps while it runs; process.hrtime and all timers go on as they were. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Environment } from '../support/faults/device-programs';
import { Fault, PLAY_LIMIT_MS } from '../support/faults/fault';
import { type Pair, PULSED } from '../support/faults/pair';
import { Site } from '../support/faults/site';
import { describeWhere } from '../support/processes/needs';
import { call } from '../support/server/api-client';
import { FakeWallClock, fakeClockMissing } from '../support/time/fake-wall-clock';
import { eventually, pause } from '../support/time/waiting';

const T14 = new Fault('T14', 'wall clock jumps, server or device', 'timeout');
/** libfaketime reads its file at each look at the clock, which costs more than all the rest. */
const PAIRS = process.env.RELAYGATE_FULL ? 5 : 2;
const ON_ALL = { few: 1, full: PAIRS };
const JUMPS = [['+1h'], ['-1h'], ['@1970-01-01 00:00:10']] as const;

const describeIfFaked = describeWhere(fakeClockMissing());

let clock: FakeWallClock;
let site: Site;

/** `part`: whose clock is the fake one. */
function withFakeClock(part: 'serverEnv' | 'deviceEnv'): void {
  beforeAll(async () => {
    clock = new FakeWallClock();
    const env: Environment = clock.env;
    site = await Site.start({ pairs: PAIRS, [part]: env });
  }, 120_000);
  afterAll(async () => {
    await site?.stop();
    clock?.remove();
  }, 60_000);
}

/** Plays it on all devices at once, for they share the clock; begins and ends at the right time. */
async function playJump(body: () => Promise<number | undefined>): Promise<void> {
  clock.set('+0');
  await site.logIn();
  await T14.playOnAll(site, ON_ALL, async () => {
    try {
      return await body();
    } finally {
      clock.set('+0');
      await site.logIn();
    }
  });
}

const onAll = <T>(body: (pair: Pair) => Promise<T>): Promise<T[]> => Promise.all(site.pairs.map(body));

/** A command that waits as the clock jumps: 504 at 5.0 to 5.1 s, and not executed when it is delivered (I2). */
async function timeoutOver(jump: () => void): Promise<number> {
  const answering = onAll((pair) => {
    pair.relay.hold('to-device');
    return pair.set(0, 1);
  });
  await pause(1_000);
  jump();
  const answers = await answering;
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 504));
  // The token may have expired in the jump.
  await site.logIn();
  await onAll(async (pair) => {
    pair.relay.heal();
    await eventually(() => pair.commands().every(({ outcome }) => ['refused', 'expired'].includes(outcome)));
    expect(pair.edges()).toEqual([]);
  });
  return Math.max(...answers.map(({ tookMs }) => tookMs));
}

describeIfFaked('T14: the server’s wall clock jumps', () => {
  withFakeClock('serverEnv');

  test.each(JUMPS)(
    'to %s: commands, deadlines and the link are as before; records carry the new time',
    (time) =>
      playJump(async () => {
        const links = site.pairs.map(({ linkCount }) => linkCount);
        const worstMs = await timeoutOver(() => clock.set(time));
        await onAll(async (pair) => {
          const { text, tookMs, commandId } = await pair.set(0, 1);
          expect(text).toBe('OK');
          expect(tookMs).toBeLessThan(4_000);
          const { token, url } = site;
          const { json } = await call('GET', `${url}/api/v1/commands/${commandId}`, undefined, { token });
          const acceptedMs = Date.parse((json as { acceptedAt: string }).acceptedAt);
          expect(Math.abs(acceptedMs - Date.now())).toBeGreaterThan(3_500_000);
          // I11: seen just now, in the server's own time.
          expect(Math.abs(Date.parse((await pair.state()).lastSeenAt ?? '') - acceptedMs)).toBeLessThan(60_000);
        });
        expect(site.pairs.map(({ linkCount }) => linkCount)).toEqual(links);
        return worstMs;
      }),
    PLAY_LIMIT_MS,
  );

  test(
    'forward: an access token of before is expired, and its refresh token still gives a new pair',
    () =>
      playJump(async () => {
        clock.set('+1h');
        const answers = await onAll((pair) => pair.set(0, 1));
        expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 401));
        const { refreshToken } = site;
        const refreshed = await call('POST', `${site.url}/api/v1/auth/refresh`, { refreshToken });
        expect(refreshed.status).toBe(200);
        site.token = (refreshed.json as { accessToken: string }).accessToken;
        expect((await onAll((pair) => pair.set(0, 1))).every(({ text }) => text === 'OK')).toBe(true);
        return undefined;
      }),
    PLAY_LIMIT_MS,
  );

  test.each([['-1h'], ['@1970-01-01 00:00:10']])(
    'back to %s: a token of before works, and one made meanwhile is expired when the clock is right again',
    (time) =>
      playJump(async () => {
        clock.set(time);
        expect((await onAll((pair) => pair.set(0, 1))).every(({ text }) => text === 'OK')).toBe(true);
        await site.logIn();
        expect((await onAll((pair) => pair.set(0, 0))).every(({ text }) => text === 'OK')).toBe(true);
        clock.set('+0');
        expect((await onAll((pair) => pair.set(0, 1))).every(({ status }) => status === 401)).toBe(true);
        return undefined;
      }),
    PLAY_LIMIT_MS,
  );

  test(
    'a server that starts in 1970 serves',
    () =>
      playJump(async () => {
        clock.set('@1970-01-01 00:00:10');
        await site.server.stop();
        await site.startServer();
        await site.logIn();
        await onAll((pair) => pair.untilConnected());
        expect((await onAll((pair) => pair.set(0, 1))).every(({ text }) => text === 'OK')).toBe(true);
        return undefined;
      }),
    PLAY_LIMIT_MS,
  );
});

describeIfFaked('T14: the device’s wall clock jumps', () => {
  withFakeClock('deviceEnv');

  test.each(JUMPS)(
    'to %s: commands and deadlines are as before, on the same link',
    (time) =>
      playJump(async () => {
        const links = site.pairs.map(({ linkCount }) => linkCount);
        const worstMs = await timeoutOver(() => clock.set(time));
        expect((await onAll((pair) => pair.set(0, 1))).every(({ text }) => text === 'OK')).toBe(true);
        expect(site.pairs.map(({ linkCount }) => linkCount)).toEqual(links);
        return worstMs;
      }),
    PLAY_LIMIT_MS,
  );

  test.each(JUMPS)(
    'to %s in a pulse: the pulse keeps its length (I4)',
    (time) =>
      playJump(async () => {
        expect((await onAll((pair) => pair.set(PULSED, 1))).every(({ text }) => text === 'OK')).toBe(true);
        clock.set(time);
        await onAll((pair) => pair.untilEdges(2));
        return undefined;
      }),
    PLAY_LIMIT_MS,
  );

  test.each(JUMPS)(
    'to %s before its agent starts: the link comes up and commands work',
    (time) =>
      playJump(async () => {
        clock.set(time);
        await site.renewAgents();
        expect((await onAll((pair) => pair.set(0, 1))).every(({ text }) => text === 'OK')).toBe(true);
        return undefined;
      }),
    PLAY_LIMIT_MS,
  );
});
