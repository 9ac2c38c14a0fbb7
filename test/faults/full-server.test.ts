/** T29: a server all of whose places are taken, by real connections from many addresses (I15). */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { afterEach, expect, test } from '@jest/globals';
import { clientAddresses, peersBeside } from '@relaygate/server/http/client-address';
import { httpServer, listen } from '@relaygate/server/http/http-server';
import { RefusalLog } from '@relaygate/server/log/refusal-log';
import { MAX_CONNECTIONS } from '@relaygate/shared';
import { systemClock } from '@relaygate/shared/system';
import express from 'express';
import { Crowd } from '../support/faults/crowd';
import { heldConnections } from '../support/faults/network-namespace';
import { Site } from '../support/faults/site';
import { describeWhere } from '../support/processes/needs';
import { collectingLog } from '../support/server/collecting-log';
import { RawHttp } from '../support/server/raw-http';
import { eventually } from '../support/time/waiting';

const HOST = '127.0.0.1';
/** None of them has more than an address may. */
const FROM = Array.from({ length: 40 }, (_, n) => `127.0.2.${n + 1}`);
const MORE = 500;
/** Those that were told to go, and what a process has open beside. */
const SPARE = 64;
const LIMIT_MS = 120_000;
const HEALTH = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';

const leaving: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const leave of leaving.splice(0).reverse()) await leave();
}, LIMIT_MS);

async function crowdAt(port: number, count: number): Promise<Crowd> {
  const crowd = await Crowd.comes({ host: HOST, port, count, from: FROM, text: HEALTH });
  leaving.push(() => crowd.leaves());
  return crowd;
}

describeWhere(descriptorsMissing(MAX_CONNECTIONS + MORE + SPARE))('a server that is full', () => {
  test(
    'T29: unauthenticated connections evict each other; authenticated clients are served',
    async () => {
      const site = await Site.start({ pairs: 1 });
      leaving.push(() => site.stop());
      await site.settle();
      const [pair] = site.pairs;
      const before = heldConnections(site.port, HOST);
      const crowd = await crowdAt(site.port, MAX_CONNECTIONS + MORE);
      await eventually(() => heldConnections(site.port, HOST) >= MAX_CONNECTIONS - SPARE);
      for (let n = 0; n < 20; n += 1) {
        expect((await pair?.toggle(0))?.text).toBe('OK');
        await site.logIn();
      }
      expect(heldConnections(site.port, HOST)).toBeLessThanOrEqual(MAX_CONNECTIONS + SPARE);
      await crowd.leaves();
      await eventually(() => heldConnections(site.port, HOST) <= before + SPARE);
      expect((await pair?.toggle(0))?.text).toBe('OK');
    },
    LIMIT_MS,
  );

  test(
    'T29: where a request is under way at every place newcomers are refused, until one is answered',
    async () => {
      const waiting: ServerResponse[] = [];
      const app = express().use((_, response) => void waiting.push(response));
      const { server, connections } = httpServer({
        ...{ app, tls: undefined, state: { leaving: false, stopping: false }, clock: systemClock },
        ...{ addressOf: clientAddresses([]), peers: peersBeside([]) },
        refusals: new RefusalLog(collectingLog(), systemClock, 'request'),
      });
      const port = await listen(server, { host: HOST, port: 0 });
      leaving.push(async () => {
        const closed = once(server.close(), 'close');
        connections.cutAll();
        await closed;
      });
      const url = `http://${HOST}:${port}`;
      await crowdAt(port, MAX_CONNECTIONS);
      await eventually(() => waiting.length === MAX_CONNECTIONS);
      for (let n = 0; n < 20; n += 1) {
        const newcomer = new RawHttp(url);
        newcomer.send(HEALTH);
        expect(await newcomer.closed()).toBe('');
      }
      // Its connection is idle now, and gives way.
      waiting.shift()?.end();
      const served = new RawHttp(url);
      served.send(HEALTH);
      await eventually(() => waiting.length === MAX_CONNECTIONS);
      waiting.at(-1)?.end();
      await served.match(/^HTTP\/1\.1 200/);
    },
    LIMIT_MS,
  );
});

/** What keeps a process from holding so many, in words. */
function descriptorsMissing(needed: number): string | undefined {
  const [, allowed = '0'] =
    /^Max open files +\d+ +(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  if (allowed === 'unlimited' || Number(allowed) >= needed) return undefined;
  return `${needed} file descriptors a process (ulimit -Hn gives ${allowed}), for a full server (T29)`;
}
