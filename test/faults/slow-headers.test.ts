/** T19: 2,000 clients send a header a byte at a time and never come to its end, while others give commands (I15). */
import { expect, test } from '@jest/globals';
import { REQUEST_HEADERS_MS } from '@relaygate/shared';
import { monotonicNowMs } from '@relaygate/shared/system';
import type { Call } from '../support/faults/call';
import { Crowd } from '../support/faults/crowd';
import { elapsedMs, Fault, MANY_PAIRS, PLAY_LIMIT_MS } from '../support/faults/fault';
import { heldConnections } from '../support/faults/network-namespace';
import { siteForAll } from '../support/faults/site-for-all';
import { expectMostWithin } from '../support/time/timed';
import { eventually } from '../support/time/waiting';

const HOST = '127.0.0.1';
const SLOW_CLIENTS = 2_000;
/** None of them has more than an address may. */
const FROM = Array.from({ length: 40 }, (_, n) => `127.0.2.${n + 1}`);
const HEADER = 'GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ';
const COMMAND_EVERY_MS = 50;
const P99_MS = 100;
const RELEASED_WITHIN_MS = 1_000;
/** Node looks for time-outs once a second, and the machine is busy. */
const SEEN_LATE_MS = 3_000;

const T19 = new Fault('T19', `slowloris, ${SLOW_CLIENTS.toLocaleString('en-US')} sockets`, 'all released');

const site = siteForAll({ pairs: MANY_PAIRS });

/** 99 of 100 of them, within the time of an undisturbed server. */
function expectServed(calls: readonly Call[]): void {
  expect(calls.filter(({ status }) => status !== 200)).toEqual([]);
  const pids = site.pairs.flatMap(({ agent, guard }) => [agent.pid, guard.pid]);
  expectMostWithin(calls, P99_MS, [site.server.pid, ...pids]);
}

test(
  'T19: they are cut off in their time, and commands are answered as ever',
  () =>
    T19.playOnAll(site, { few: MANY_PAIRS, full: 5 * MANY_PAIRS }, async () => {
      const before = heldConnections(site.port, HOST);
      let isOver = false;
      const commands = site.pairs.map((pair) => pair.toggleUntil(() => isOver, 0, COMMAND_EVERY_MS));
      const drip = { text: 'x', everyMs: 500 };
      const crowd = await Crowd.comes({
        ...{ host: HOST, port: site.port, count: SLOW_CLIENTS, from: FROM, text: HEADER, drip },
      });
      try {
        const thereMs = monotonicNowMs();
        expect(heldConnections(site.port, HOST)).toBeGreaterThan(before + SLOW_CLIENTS / 2);
        await eventually(() => heldConnections(site.port, HOST) <= before + site.pairs.length, REQUEST_HEADERS_MS * 3);
        const releasedMs = elapsedMs(thereMs);
        expect(releasedMs).toBeLessThan(REQUEST_HEADERS_MS + RELEASED_WITHIN_MS + SEEN_LATE_MS);
        return releasedMs;
      } finally {
        isOver = true;
        await crowd.leaves();
        expectServed((await Promise.all(commands)).flat());
      }
    }),
  PLAY_LIMIT_MS,
);
