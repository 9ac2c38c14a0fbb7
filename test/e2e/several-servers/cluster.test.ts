/** Three servers with one database, as `npm run cluster` starts them: which one an application or a device uses is all the same. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { monotonicNowMs } from '@relaygate/shared/system';
import { missingPackages } from '../../cluster/missing-packages';
import { describeWhere } from '../../support/processes/needs';
import { RunningCluster } from '../../support/processes/running-cluster';
import { type Answer, call, type Generation } from '../../support/server/api-client';
import { eventually, pause } from '../../support/time/waiting';
import {
  areServedSince,
  crowdAt,
  expectFewRefused,
  expectSure,
  OUTPUT,
  switchedBy,
  type Told,
  toggledWhile,
} from './toggles';

/** Until the next one restarts. */
const RESTART_MS = 6_000;
const TEST_LIMIT_MS = 120_000;
/** Of T25, one after the other: an application does it at each server once. */
const REVOCATIONS = 3;
/** How many toggles of a product are confirmed before it is revoked. */
const CROWD_SERVED = 20;
/** I13: what was under way may still move. */
const REVOKED_WITHIN_MS = 1_000;
/** In which it is toggled as before. */
const BEHIND_MS = 1_000;
/** A write's second, on a busy machine. */
const REFUSED_WITHIN_MS = 2_500;
/** It is away for most of that time. */
const BROKER_KILLS = 6;
const BROKER_KILL_EVERY_MS = 400;
/** Issue: a killed server's devices are back with the others, and the broker has been found again. */
const HEALED_WITHIN_MS = 20_000;

type Product = RunningCluster['facts']['products'][number];

describeWhere(missingPackages())('three servers', () => {
  let cluster: RunningCluster;
  let token: string;

  beforeAll(async () => {
    cluster = await RunningCluster.start();
  }, 200_000);
  afterAll(() => cluster?.stop(), 60_000);
  beforeEach(async () => {
    await eventually(() => isWell(), HEALED_WITHIN_MS);
  }, 60_000);

  const logIn = async (server: Generation): Promise<{ accessToken: string; refreshToken: string }> => {
    const { json } = await server.login(cluster.facts.clientKey);
    return json as { accessToken: string; refreshToken: string };
  };

  /** Every device answers through every server. */
  async function isWell(): Promise<boolean> {
    try {
      token = (await logIn(cluster.balancer)).accessToken;
      for (const server of cluster.servers) {
        const answers = await Promise.all(cluster.logins.map((login) => server.set(login, OUTPUT, 0, { token })));
        if (answers.some(({ status }) => status !== 200)) return false;
      }
      return true;
    } catch {
      return false;
    }
  }

  const edgesOf = (login: string): number => switchedBy(cluster, login).length;

  /** `none`: it has no record. */
  async function outcomeOf(commandId: string): Promise<string> {
    const { json } = await call('GET', `${cluster.facts.baseUrl}/v1/commands/${commandId}`, undefined, { token });
    return (json as { outcome?: string }).outcome ?? 'none';
  }

  const serverAt = (n: number): Generation => cluster.servers[n % cluster.servers.length] ?? cluster.balancer;

  /** Answered so. A database that a busy machine holds up for a second is a 500, and another command of the product a 409: asked again. */
  async function surely(ask: () => Promise<Answer>, status: number): Promise<void> {
    let answer = await ask();
    for (let again = 0; [500, 409].includes(answer.status) && again < 20; again += 1) answer = await ask();
    expect(answer).toMatchObject({ status });
  }

  test(
    'each device obeys through each server, and each relay moves once a command',
    async () => {
      for (const server of cluster.servers)
        for (const login of cluster.logins) {
          const before = edgesOf(login);
          // A database that a busy machine holds up for a second is answered so; then nothing has moved.
          let answer = await server.toggle(login, OUTPUT, { token });
          for (let again = 0; answer.status === 500 && again < 3; again += 1) {
            expect(edgesOf(login)).toBe(before);
            answer = await server.toggle(login, OUTPUT, { token });
          }
          expect(answer).toMatchObject({ status: 200, text: 'OK' });
          expect(edgesOf(login)).toBe(before + 1);
        }
    },
    TEST_LIMIT_MS,
  );

  test(
    'a toggle with a key, asked of all servers at once and of each again, moves each relay once',
    async () => {
      for (const login of cluster.logins) {
        const before = edgesOf(login);
        const options = { token, headers: { 'Idempotency-Key': randomUUID() } };
        const ask = (server: Generation) => server.toggle(login, OUTPUT, options);
        const answers = await Promise.all(cluster.servers.map(ask));
        for (const server of cluster.servers) answers.push(await ask(server));
        // A database that a busy machine holds up for a second is answered so.
        const told = answers.filter(({ status }) => status !== 500);
        expect(told.map(({ status, text }) => ({ status, text }))).toEqual(
          told.map(() => ({ status: 200, text: 'OK' })),
        );
        expect(new Set(told.map(({ headers }) => headers.get('command-id'))).size).toBe(1);
        expect(edgesOf(login)).toBe(before + 1);
      }
    },
    TEST_LIMIT_MS,
  );

  test('a login of one server is refreshed at another; an old token at the third ends it on all', async () => {
    const [first, second, third] = cluster.servers as [Generation, Generation, Generation];
    const refreshedAt = async (server: Generation, token: string): Promise<string> =>
      ((await server.refresh(token)).json as { refreshToken: string }).refreshToken;
    const { refreshToken } = await logIn(first);
    const last = await refreshedAt(third, await refreshedAt(second, refreshToken));
    expect((await second.refresh(refreshToken)).status).toBe(401);
    for (const server of cluster.servers) expect((await server.refresh(last)).status).toBe(401);
  });

  /** How a client loses its right to a product, and gets it back. `server`: where, if an application does it. */
  type Revocation = (server: Generation, product: Product) => Promise<() => Promise<unknown>>;
  const revocations: [string, Revocation][] = [
    [
      'a product that the client gives up',
      async (server, { productLogin, productKey }) => {
        await surely(() => server.deleteProduct(productLogin, { token }), 204);
        return () => surely(() => server.addProduct(productLogin, productKey, { token }), 201);
      },
    ],
    [
      'an output that the operator takes away',
      async (_server, { productLogin }) => {
        await cluster.operator('output', 'deactivate', productLogin, String(OUTPUT));
        return () => cluster.operator('output', 'activate', productLogin, String(OUTPUT));
      },
    ],
    [
      'a product that the operator takes away',
      async (_server, { productLogin }) => {
        await cluster.operator('product', 'deactivate', productLogin);
        return () => cluster.operator('product', 'activate', productLogin);
      },
    ],
  ];
  test.each(revocations)(
    'T25: %s, under load: all servers refuse it from then on, and nothing moves 1 s later',
    async (_what, revoke) => {
      const told = await toggledWhile({ cluster, token }, cluster.servers, async () => {
        for (const [n, product] of cluster.facts.products.slice(0, REVOCATIONS).entries()) {
          const { productLogin } = product;
          // Its load goes to another one.
          const server = serverAt(n + 1);
          const crowd = crowdAt(token, serverAt(n), productLogin);
          try {
            await eventually(() => crowd.served > CROWD_SERVED);
            const giveBack = await revoke(server, product);
            const revokedMs = monotonicNowMs();
            try {
              for (const one of cluster.servers) await surely(() => one.toggle(productLogin, OUTPUT, { token }), 403);
              await pause(REVOKED_WITHIN_MS + BEHIND_MS);
              const late = cluster.edges(productLogin).filter(({ atMs }) => atMs > revokedMs + REVOKED_WITHIN_MS);
              expect(late).toEqual([]);
            } finally {
              await giveBack();
            }
          } finally {
            await crowd.leaves();
          }
        }
      });
      expectFewRefused(told.slice(REVOCATIONS));
      expectSure(told.slice(REVOCATIONS));
    },
    TEST_LIMIT_MS,
  );

  describe('what is sure while something ends', () => {
    test(
      'a killed server: the others serve its devices soon, and no relay moves twice',
      async () => {
        const [, ...others] = cluster.servers;
        const told = await toggledWhile({ cluster, token }, others, async (soFar) => {
          process.kill(cluster.pid('node-1'), 'SIGKILL');
          const killedMs = monotonicNowMs();
          await eventually(() => areServedSince(soFar, killedMs), HEALED_WITHIN_MS);
        });
        expectSure(told);
        expectFewRefused(told);
      },
      TEST_LIMIT_MS,
    );

    test(
      'one server after the other restarts: no command is lost or unknown',
      async () => {
        const restarts = (): number => cluster.unlinked().filter((why) => why.includes('the server restarts')).length;
        const [allBefore, restartsBefore] = [cluster.unlinked().length, restarts()];
        const told = await toggledWhile({ cluster, token }, [cluster.balancer], async () => {
          for (const { name, baseUrl } of cluster.facts.nodes) {
            process.kill(cluster.pid(name), 'SIGTERM');
            await pause(RESTART_MS);
            await eventually(async () => (await call('GET', `${new URL(baseUrl).origin}/readyz`)).status === 200);
          }
        });
        expectSure(told);
        expectFewRefused(told);
        // Nobody but its server ends a link: it knows which has a command at work.
        expect(restarts() - restartsBefore).toBeGreaterThanOrEqual(cluster.logins.length);
        expect(cluster.unlinked().length - allBefore).toBe(restarts() - restartsBefore);
        // Each device is back long before a command for it has waited for its 4.5 s.
        const sumOf = (count: (one: Told) => number): number => told.reduce((sum, one) => sum + count(one), 0);
        expect(sumOf(({ maybe }) => maybe)).toBeLessThan(sumOf(({ done }) => done) / 100);
        for (const { maybe, unanswered } of told) {
          expect(unanswered).toHaveLength(maybe);
          for (const commandId of unanswered.filter((id) => id !== null)) {
            // Without a record, it was taken by nobody.
            expect(['none', 'executed', 'expired', 'confirmed-late']).toContain(await outcomeOf(commandId));
          }
        }
      },
      TEST_LIMIT_MS,
    );

    test(
      'T11: the broker killed: a device at its own server is never refused; elsewhere at once, and it heals',
      async () => {
        const nodes = await cluster.linkNodes();
        const names = cluster.facts.nodes.map(({ name }) => name);
        // Every other device is asked where it is linked.
        const servers = cluster.logins.map((login, n) => {
          const own = nodes.get(login) ?? 'none';
          expect(names).toContain(own);
          return serverAt(names.indexOf(own) + (n % 2));
        });
        const told = await toggledWhile({ cluster, token }, servers, async (soFar) => {
          // It is started again each time.
          for (let time = 0; time < BROKER_KILLS; time += 1) {
            process.kill(cluster.pid('nats'), 'SIGKILL');
            await pause(BROKER_KILL_EVERY_MS);
          }
          const killedMs = monotonicNowMs();
          await eventually(() => areServedSince(soFar, killedMs), HEALED_WITHIN_MS / 2);
        });
        expectSure(told);
        const refusedTo = (elsewhere: number): number[] =>
          told.filter((_, n) => n % 2 === elsewhere).flatMap(({ refused }) => refused.map(({ status }) => status));
        expect(refusedTo(0).filter((status) => status !== 409)).toEqual([]);
        expect(refusedTo(1)).toContain(500);
        expect(refusedTo(1).filter((status) => status !== 409 && status !== 500)).toEqual([]);
        expect(Math.max(...told.map(({ refusedMs }) => refusedMs))).toBeLessThan(REFUSED_WITHIN_MS);
        await eventually(isWell, HEALED_WITHIN_MS);
      },
      TEST_LIMIT_MS,
    );

    test(
      'T12: the database killed: 500 in time from each server, nothing that was confirmed is lost, and it heals',
      async () => {
        const told = await toggledWhile({ cluster, token }, cluster.servers, async () => {
          process.kill(cluster.pid('postgres'), 'SIGKILL');
          await pause(HEALED_WITHIN_MS / 2);
        });
        expectSure(told);
        // It is back so soon that perhaps nobody was refused.
        const statuses = told.flatMap((one) => one.refused).map(({ status }) => status);
        expect(statuses.filter((status) => status !== 409 && status !== 500)).toEqual([]);
        expect(Math.max(...told.map(({ refusedMs }) => refusedMs))).toBeLessThan(REFUSED_WITHIN_MS);
        await eventually(isWell, HEALED_WITHIN_MS);
        for (const commandId of told.flatMap(({ confirmed }) => confirmed))
          await eventually(async () => (await outcomeOf(commandId)) === 'executed');
      },
      TEST_LIMIT_MS,
    );
  });

  test('Ctrl-C ends every program and takes the folder away', async () => {
    expect(await cluster.stop()).toEqual({ pids: [], hasFolder: false });
  }, 60_000);
});
