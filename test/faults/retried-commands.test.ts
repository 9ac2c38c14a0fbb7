/** T31: the server killed at any moment of a toggle under a key, which its application asks for again until it is answered. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { IDEMPOTENCY_ANEW_MS } from '@relaygate/shared';
import { monotonicNowMs } from '@relaygate/shared/system';
import type { Call } from '../support/faults/call';
import { elapsedMs, Fault, FEW_PAIRS, PLAY_LIMIT_MS } from '../support/faults/fault';
import type { Pair } from '../support/faults/pair';
import { siteForAll } from '../support/faults/site-for-all';
import { eventually, pause } from '../support/time/waiting';

/** A command is sent, executed and confirmed within this. */
const COMMAND_MS = 12;
/** Between two tries of the application. */
const AGAIN_MS = 20;

const site = siteForAll({ pairs: FEW_PAIRS });

/** Asks until the server answers something about this command. */
async function untilAnswered(pair: Pair, key: string): Promise<Call> {
  for (;;) {
    const call = await pair.toggle(0, key);
    if (call.status === 200 || call.status === 504) return call;
    await pause(AGAIN_MS);
  }
}

describe('T31: the server is killed in a toggle that has a key', () => {
  const T31 = new Fault('T31', 'server killed in a toggle with a key, asked for again', 'answered at last');

  test(
    'at any moment of it, asked for again by two at once: one edge, and in the end the answer of it',
    () =>
      T31.playAlone({ few: 4, full: 60 }, 1, async (chance) => {
        await site.settle();
        const keys = new Map(site.pairs.map((pair) => [pair, randomUUID()]));
        const beganMs = monotonicNowMs();
        const asking = site.pairs.map(async (pair) => {
          await pause(chance.between(0, 2 * COMMAND_MS));
          const ask = () => untilAnswered(pair, keys.get(pair) ?? '');
          return Promise.all([ask(), ask()]);
        });
        await pause(chance.between(0, 3 * COMMAND_MS));
        await site.killServer();
        await site.startServer();
        await eventually(() => site.isReady());
        await Promise.all(asking);
        await Promise.all(
          site.pairs.map(async (pair) => {
            await pair.untilConnected();
            await pair.untilResolved();
            const last = await untilAnswered(pair, keys.get(pair) ?? '');
            const moved = pair.edges().filter(({ output }) => output === 0).length;
            // What moved nothing runs anew; later than that it stays undone.
            const isLate = elapsedMs(beganMs) > IDEMPOTENCY_ANEW_MS;
            expect([last.status, moved]).toEqual(isLate && moved === 0 ? [504, 0] : [200, 1]);
            // The outcome is written behind the answer.
            await pair.untilResolved();
            const done = pair.commands().filter(({ outcome }) => ['executed', 'confirmed-late'].includes(outcome));
            expect(done.map(({ commandId }) => commandId)).toEqual(moved === 1 ? [last.commandId] : []);
          }),
        );
        return elapsedMs(beganMs);
      }),
    PLAY_LIMIT_MS,
  );
});
