/**
 * T9, and T5 and T8 once more, by the kernel: each device has a network of its own, and TCP itself loses, holds and
 * repeats what is on the way.
 */
import { readdirSync, readlinkSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { DEAD_LINK_MS } from '@relaygate/shared';
import { monotonicNowMs } from '@relaygate/shared/system';
import { elapsedMs, Fault, LONG, MANY_PAIRS, PLAY_LIMIT_MS } from '../support/faults/fault';
import { heldConnections, NetworkNamespace, namespacesMissing } from '../support/faults/network-namespace';
import type { Pair } from '../support/faults/pair';
import { Site } from '../support/faults/site';
import { missingProgram } from '../support/processes/missing-program';
import { describeWhere } from '../support/processes/needs';
import { expectInTime } from '../support/time/timed';
import { eventually, pause } from '../support/time/waiting';
import { lostAround } from '../support/time/windows';

/** The server looks when the silence is over, the agent's timer fires then. */
const NOTICED_WITHIN_MS = DEAD_LINK_MS + 250;

describeWhere(missingProgram('openssl', 'openssl') ?? namespacesMissing())('over a network of its own', () => {
  let networks: NetworkNamespace[] = [];
  let site: Site;
  beforeAll(async () => {
    networks = Array.from({ length: MANY_PAIRS }, () => new NetworkNamespace());
    site = await Site.start({ pairs: MANY_PAIRS, networks });
  }, 120_000);
  afterAll(async () => {
    await site?.stop();
    for (const network of networks) network.remove();
  }, 60_000);

  function networkOf(pair: Pair): NetworkNamespace {
    const network = networks[site.pairs.indexOf(pair)];
    if (!network) throw new Error('no network');
    return network;
  }

  /** On its end at the server. */
  const linksHeld = (pair: Pair): number => heldConnections(site.port, networkOf(pair).hostAddress);

  test(
    'T9: a link that goes silent both ways is noticed by both sides within 15 s, and nothing of it is kept (I15)',
    () =>
      new Fault('T9', 'half-open link', 'noticed by both sides').play(site.pairs, LONG, async (pair) => {
        const network = networkOf(pair);
        // Both sides have heard each other just now.
        expect((await pair.toggle(0)).text).toBe('OK');
        expect(linksHeld(pair)).toBe(1);
        const sockets = socketsOf(pair.agent.pid);
        network.blackhole();
        site.lateness.watch(pair.agent.pid);
        const startMs = monotonicNowMs();
        try {
          await Promise.all([pair.agentSays(/nothing heard for 15 s/), pair.untilConnected(false)]);
          const noticedMs = elapsedMs(startMs);
          const times = { sentMs: startMs, answeredMs: startMs + noticedMs };
          const lostMs = (): number =>
            lostAround(site.lateness, times, DEAD_LINK_MS, [site.server.pid, pair.agent.pid]);
          expectInTime('answer', noticedMs - NOTICED_WITHIN_MS, lostMs, `noticed after ${noticedMs.toFixed(0)} ms`);
          // The kernel goes on repeating to nobody, but no process holds the connection any more.
          await eventually(() => linksHeld(pair) === 0);
          // Its next try may be under way.
          expect(socketsOf(pair.agent.pid)).toBeLessThanOrEqual(sockets);
          return noticedMs;
        } finally {
          network.heal();
          await pair.renewAgent();
        }
      }),
    PLAY_LIMIT_MS,
  );

  test(
    'T5: a command that the kernel delivers after its 504 is not executed, on the same link',
    () =>
      new Fault('T5', 'partition before the execution', 'answer').play(site.pairs, LONG, async (pair, chance) => {
        const network = networkOf(pair);
        expect((await pair.toggle(1)).text).toBe('OK');
        const links = pair.linkCount;
        network.blackhole();
        const startMs = monotonicNowMs();
        // The kernel's repetitions come 0.2, 0.4, 0.8, 1.6, 3.2 s apart; the next after these is at about 6.3 s.
        const answering = pair.set(0, 1);
        await pause(chance.between(5_050, 5_900) - elapsedMs(startMs));
        network.heal();
        const answer = await answering;
        expect(answer.status).toBe(504);
        await eventually(async () => (await pair.outcomeOf(answer)) === 'expired');
        expect(pair.linkCount).toBe(links);
        return answer.tookMs;
      }),
    PLAY_LIMIT_MS,
  );

  test(
    'T8: a command that the kernel delivers late but in time is executed, on the same link',
    () =>
      new Fault('T8', 'delivery to the device delayed', 'answer').play(site.pairs, LONG, async (pair, chance) => {
        const network = networkOf(pair);
        expect((await pair.toggle(1)).text).toBe('OK');
        network.blackhole();
        const startMs = monotonicNowMs();
        const answering = pair.set(0, 1);
        // In time for the repetition after 1.4 s, and on a slow machine for that after 3 s.
        await pause(chance.between(100, 1_200) - elapsedMs(startMs));
        const healedMs = elapsedMs(startMs);
        network.heal();
        const { text, tookMs } = await answering;
        expect(text).toBe('OK');
        expect(tookMs).toBeGreaterThan(healedMs);
        return tookMs;
      }),
    PLAY_LIMIT_MS,
  );
});

/** How many sockets a process holds. */
function socketsOf(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).filter((fd) => {
    try {
      return readlinkSync(`${folder}/${fd}`).startsWith('socket:');
    } catch {
      return false;
    }
  }).length;
}
