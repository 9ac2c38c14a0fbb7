/** T17: the server is stopped in order and started again, again and again, under 50 commands a second. */
import { expect, test } from '@jest/globals';
import { monotonicNowMs } from '@relaygate/shared/system';
import type { Call } from '../support/faults/call';
import { elapsedMs, Fault, MANY_PAIRS, PLAY_LIMIT_MS } from '../support/faults/fault';
import { siteForAll } from '../support/faults/site-for-all';
import { pause } from '../support/time/waiting';

const COMMAND_EVERY_MS = 20;
/** A link that held for 5 s counts as good, so the device comes back within a second. */
const BEFORE_RESTART_MS = 5_500;
const AFTER_RESTART_MS = 500;

const T17 = new Fault('T17', 'rolling restart under 50 commands/s', 'all devices served again');

const site = siteForAll({ pairs: MANY_PAIRS });

/** Toggles output 0 of one device after the other, every 20 ms, waiting for nobody. */
async function underLoad(body: () => Promise<void>): Promise<Call[]> {
  const calls: Promise<Call>[] = [];
  let turn = 0;
  const load = setInterval(() => {
    const pair = site.pairs[turn % site.pairs.length];
    if (pair) calls.push(pair.toggle(0));
    turn += 1;
  }, COMMAND_EVERY_MS);
  try {
    await body();
  } finally {
    clearInterval(load);
  }
  return Promise.all(calls);
}

test(
  'T17: no command is lost or unknown; each 200 has its edge and each edge its 200',
  () =>
    T17.playOnAll(site, { few: 2 * MANY_PAIRS, full: 100 }, async () => {
      let servedMs = 0;
      const calls = await underLoad(async () => {
        await pause(BEFORE_RESTART_MS);
        const startMs = monotonicNowMs();
        // Exit code 0: drained, nothing cut.
        expect(await site.server.stop(10_000)).toEqual({ code: 0, signal: null });
        await site.startServer();
        await Promise.all(site.pairs.map((pair) => pair.untilConnected()));
        servedMs = elapsedMs(startMs);
        await pause(AFTER_RESTART_MS);
      });
      const done = calls.filter(({ status }) => status === 200);
      expect(site.pairs.flatMap((pair) => pair.edges())).toHaveLength(done.length);
      // Served under load all the time, as far as a busy machine does.
      expect(done.length).toBeGreaterThan(BEFORE_RESTART_MS / COMMAND_EVERY_MS / 4);
      // 409 while one is under way, 504 for one that could not be sent in time, null for a server that was down.
      expect(calls.filter(({ status }) => ![200, 409, 504, null].includes(status))).toEqual([]);
      // A request without an answer was refused before it became a command: every command on record was answered.
      const answered = new Set(calls.map(({ commandId }) => commandId));
      const onRecord = site.pairs.flatMap((pair) => pair.commands());
      expect(onRecord.filter(({ commandId }) => !answered.has(commandId))).toEqual([]);
      return servedMs;
    }),
  PLAY_LIMIT_MS,
);
