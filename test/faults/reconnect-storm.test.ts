/** T16: the server is killed, and all devices come back at once, while commands go on (I6, I15). */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { monotonicNowMs } from '@relaygate/shared/system';
import { Fault, MANY_PAIRS, PLAY_LIMIT_MS } from '../support/faults/fault';
import { AWAY_MS, Fleet, STEADY_MS } from '../support/faults/fleet';
import { Site } from '../support/faults/site';
import { expectWithin } from '../support/time/timed';
import { pause } from '../support/time/waiting';

const DEVICES = 2_000;
/**
 * From the kill on. The server is away for about 2 s; then the back-off has had a try of each device after 8 s at most, and 2,000
 * links at once take the server some seconds.
 */
const BACK_WITHIN_MS = 20_000;
const GIVEN_UP_AFTER_MS = 120_000;
const COMMAND_EVERY_MS = 100;
const FIRST_LINKS_MS = 120_000;

const T16 = new Fault('T16', `${DEVICES.toLocaleString('en-US')} devices reconnect after a server kill`, 'all back');

let site: Site;
let fleet: Fleet;
beforeAll(async () => {
  site = await Site.start({ pairs: MANY_PAIRS });
  fleet = await Fleet.start({ ports: [site.port], products: await site.createProducts(DEVICES) });
  await fleet.allLinked(FIRST_LINKS_MS);
}, 240_000);
afterAll(async () => {
  await fleet?.stop();
  await site?.stop();
}, 60_000);

test(
  'T16: all are back in time, and whoever is back is served meanwhile',
  () =>
    T16.playOnAll(site, { few: MANY_PAIRS, full: 5 * MANY_PAIRS }, async () => {
      await pause(STEADY_MS);
      await site.killServer();
      const killedMs = monotonicNowMs();
      await pause(AWAY_MS);
      await site.startServer();
      let isOver = false;
      // From its first link on each is switched again and again.
      const commands = site.pairs.map(async (pair) => {
        await pair.untilConnected();
        return pair.toggleUntil(() => isOver, 0, COMMAND_EVERY_MS);
      });
      const backMs = await fleet.allLinked(GIVEN_UP_AFTER_MS).finally(() => {
        isOver = true;
      });
      const calls = (await Promise.all(commands)).flat();
      expect(calls.length).toBeGreaterThan(0);
      expect(calls.filter(({ status }) => status !== 200)).toEqual([]);
      const tookMs = backMs - killedMs;
      expectWithin({ sentMs: killedMs, answeredMs: backMs, tookMs }, BACK_WITHIN_MS, [site.server.pid]);
      return tookMs;
    }),
  PLAY_LIMIT_MS,
);
