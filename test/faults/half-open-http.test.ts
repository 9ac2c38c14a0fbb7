/**
 * T29 by the kernel: peers of the HTTP port that vanish without a word, each kind in a network of its own. Their connections
 * are released in the server's time-outs and keep no stop up, and whoever is there is served meanwhile (I15).
 */
import { afterEach, expect, test } from '@jest/globals';
import {
  ANSWER_TAKEN_MS,
  MAX_FAMILIES_PER_CLIENT,
  MAX_PIPELINED_REQUESTS,
  RELEASE_MS,
  REQUEST_HEADERS_MS,
  TLS_HANDSHAKE_MS,
  WHOLE_REQUEST_MS,
} from '@relaygate/shared';
import { monotonicNowMs } from '@relaygate/shared/system';
import { Crowd } from '../support/faults/crowd';
import type { CrowdOrders } from '../support/faults/crowd-process';
import { elapsedMs } from '../support/faults/fault';
import { heldConnections, NetworkNamespace, namespacesMissing } from '../support/faults/network-namespace';
import { Site, type SiteOptions } from '../support/faults/site';
import { missingProgram } from '../support/processes/missing-program';
import { describeWhere } from '../support/processes/needs';
import { eventually } from '../support/time/waiting';

/** The server looks once a second, and the machine is busy. */
const SEEN_LATE_MS = 3_000;
const PEERS = 20;
const LIMIT_MS = 120_000;
/** From other networks, without TLS of its own: only a proxy may have that. */
const REACHABLE = { RELAYGATE_LISTEN: '0.0.0.0:0', RELAYGATE_TRUSTED_PROXIES: '192.0.2.1' };
const lines = (...all: string[]): string => all.join('\r\n');
const HALF_A_HEADER = lines('GET /healthz HTTP/1.1', 'Host: x', 'X-Slow: ');
const UPLOAD = ['POST /api/login HTTP/1.1', 'Content-Type: application/json', 'Content-Length: 50'];

interface Kind {
  readonly name: string;
  readonly releasedMs: number;
  readonly orders: Pick<CrowdOrders, 'count' | 'text' | 'isTls' | 'isDeaf'>;
}
const PLAIN: readonly Kind[] = [
  { name: 'silent', releasedMs: REQUEST_HEADERS_MS, orders: { count: PEERS, text: '' } },
  { name: 'half a header', releasedMs: REQUEST_HEADERS_MS, orders: { count: PEERS, text: HALF_A_HEADER } },
  { name: 'half a body', releasedMs: WHOLE_REQUEST_MS, orders: { count: PEERS, text: lines(...UPLOAD, '', '{') } },
  {
    name: 'answers that nobody takes',
    releasedMs: ANSWER_TAKEN_MS,
    // More than the kernels' buffers take.
    orders: {
      count: PEERS,
      text: lines('GET /openapi.json HTTP/1.1', 'Host: x', '', '').repeat(MAX_PIPELINED_REQUESTS),
      isDeaf: true,
    },
  },
];
const TLS: readonly Kind[] = [
  { name: 'silent before TLS', releasedMs: TLS_HANDSHAKE_MS, orders: { count: PEERS, text: '' } },
  {
    name: 'half a header in TLS',
    releasedMs: REQUEST_HEADERS_MS,
    orders: { count: PEERS, text: HALF_A_HEADER, isTls: true },
  },
];

describeWhere(missingProgram('openssl', 'openssl') ?? namespacesMissing())('peers that vanish', () => {
  const leaving: (() => unknown)[] = [];
  afterEach(async () => {
    for (const leave of leaving.splice(0).reverse()) await leave();
  }, LIMIT_MS);

  function newNetwork(): NetworkNamespace {
    const network = new NetworkNamespace();
    leaving.push(() => network.remove());
    return network;
  }

  async function siteWith(options: SiteOptions): Promise<Site> {
    const site = await Site.start(options);
    leaving.push(() => site.stop());
    await site.settle();
    return site;
  }

  const plainSite = (): Promise<Site> => siteWith({ pairs: 1, serverEnv: REACHABLE });
  const tlsSite = (networks: readonly NetworkNamespace[]): Promise<Site> => siteWith({ pairs: 1, networks });

  /** They are there, the server holds them, and from now on nothing comes of them. */
  async function vanish(site: Site, kind: Kind, network: NetworkNamespace): Promise<void> {
    const orders = { host: network.hostAddress, port: site.port, ...kind.orders };
    const crowd = await Crowd.comes(orders, network.through);
    leaving.push(() => crowd.leaves());
    await eventually(() => heldBy(site, network) === kind.orders.count);
    network.blackhole();
  }

  async function siteFor(kinds: readonly Kind[]): Promise<{ networks: NetworkNamespace[]; site: Site }> {
    const networks = kinds.map(newNetwork);
    return { networks, site: await (kinds === TLS ? tlsSite([newNetwork(), ...networks]) : plainSite()) };
  }

  async function expectServedUntil(site: Site, done: () => boolean): Promise<void> {
    for (let round = 1; !done(); round += 1) {
      for (const pair of site.pairs) expect((await pair.toggle(0)).text).toBe('OK');
      // More would end the login that the commands use.
      if (round < MAX_FAMILIES_PER_CLIENT / 2) await site.logIn();
    }
  }

  test.each([
    ['plain', PLAIN],
    ['TLS', TLS],
  ])(
    'T29: %s: their connections are released in time, and others are served',
    async (_name, kinds) => {
      const { networks, site } = await siteFor(kinds);
      let released = 0;
      const releasing = kinds.map(async (kind, n) => {
        const network = networks[n] as NetworkNamespace;
        const sinceMs = monotonicNowMs();
        await vanish(site, kind, network);
        await eventually(() => heldBy(site, network) === 0, kind.releasedMs + RELEASE_MS + SEEN_LATE_MS);
        const tookMs = elapsedMs(sinceMs);
        released += 1;
        return { name: kind.name, tookMs, early: tookMs < kind.releasedMs - SEEN_LATE_MS };
      });
      const all = Promise.all(releasing);
      await Promise.race([expectServedUntil(site, () => released === kinds.length), all.then(() => {})]);
      expect((await all).filter(({ early }) => early)).toEqual([]);
    },
    LIMIT_MS,
  );

  test.each([
    ['plain', PLAIN],
    ['TLS', TLS],
  ])(
    'T29: %s: a stop ends in its time',
    async (_name, kinds) => {
      const { networks, site } = await siteFor(kinds);
      await Promise.all(kinds.map((kind, n) => vanish(site, kind, networks[n] as NetworkNamespace)));
      // Killed where it takes longer than it may.
      expect(await site.server.stop()).toEqual({ code: 0, signal: null });
    },
    LIMIT_MS,
  );
});

/** Connections at its end of this network. */
function heldBy(site: Site, network: NetworkNamespace): number {
  return heldConnections(site.port, network.hostAddress);
}
