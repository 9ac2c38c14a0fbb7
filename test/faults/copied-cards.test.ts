/** T10: two agents with one key, as when somebody copies a memory card. */
import { expect, test } from '@jest/globals';
import { REPLACED_WAIT_MS } from '@relaygate/shared';
import { monotonicNowMs } from '@relaygate/shared/system';
import { elapsedMs, Fault, judge, PLAY_LIMIT_MS } from '../support/faults/fault';
import type { Pair } from '../support/faults/pair';
import { siteForAll } from '../support/faults/site-for-all';
import { eventually } from '../support/time/waiting';

const T10 = new Fault('T10', 'two agents with one key', 'the newest linked and serves');

const site = siteForAll({ pairs: 2 });

/** Toggles output 0 again and again until told to stop. */
function underCommands(pair: Pair): () => Promise<void> {
  let isOver = false;
  const commanding = (async () => {
    while (!isOver) await pair.toggle(0);
  })();
  return () => {
    isOver = true;
    return commanding;
  };
}

test(
  'T10: the newest wins, the older is told so, says it and waits a minute; nothing is executed twice (I12, I1)',
  () =>
    T10.play(site.pairs, { few: 2, full: 100 }, async (pair) => {
      const copy = pair.copied();
      try {
        await copy.startGuard();
        const quiet = underCommands(pair);
        const startMs = monotonicNowMs();
        await copy.startAgent();
        await copy.untilLinked();
        await eventually(async () => copy.edges().length > 0);
        const servesMs = elapsedMs(startMs);
        const [, waitS] = await pair.agentSays(/another link with the key.*next try in ([\d.]+) s/);
        await quiet();
        expect(Number(waitS)).toBeGreaterThanOrEqual(REPLACED_WAIT_MS / 1000);
        const before = pair.edges().length;
        expect((await pair.toggle(1)).text).toBe('OK');
        expect(pair.edges()).toHaveLength(before);
        expect(JSON.stringify(await pair.relayctl('status'))).toMatch(/is the card a copy/);
        // The server says it once the older one comes back, a minute later: until then it looks like a restarted device.
        expect(await site.operator('product', 'show', pair.productLogin)).toMatchObject({ replacedAt: null });
        // What the older one executed as it was replaced it tells when it is the newest again.
        await copy.stopAgent();
        await pair.renewAgent();
        await judge([pair], [copy]);
        pair.begin();
        return servesMs;
      } finally {
        await copy.stop();
        if (!(await pair.isConnected())) await pair.renewAgent();
      }
    }),
  PLAY_LIMIT_MS,
);
