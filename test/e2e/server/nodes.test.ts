/** Servers as processes that share a PostgreSQL database and NATS: what users see when one of these dies, hangs or stops. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { CLOSE, LEAVE_MS } from '@relaygate/shared';
import { monotonicNowMs } from '@relaygate/shared/system';
import { describeWhere } from '../../support/processes/needs';
import { Program } from '../../support/processes/program';
import { call, GENERATIONS, v1 } from '../../support/server/api-client';
import { missingNats, NatsServer } from '../../support/server/nats-server';
import { NodeProcesses } from '../../support/server/node-process';
import { missingPostgres, PostgresServer } from '../../support/server/postgres-server';
import type { DeviceIdentity, ScriptedDevice } from '../../support/server/scripted-device';
import type { TestProduct } from '../../support/server/test-server';
import { timed } from '../../support/time/timed';
import { eventually, pause } from '../../support/time/waiting';

const PASSWORD = 'a-very-secret-word';
/** What takes no wait takes less, on a busy machine too. */
const AT_ONCE_MS = 1_500;

describeWhere(missingPostgres() ?? missingNats())('three nodes', () => {
  let postgres: PostgresServer;
  let nats: NatsServer;
  let nodes: NodeProcesses;
  let gate: TestProduct;
  let identity: DeviceIdentity;
  beforeAll(async () => {
    postgres = await PostgresServer.start();
    nats = await NatsServer.start('--user', 'relaygate', '--pass', PASSWORD);
    const databaseUrl = (await postgres.newDatabase()).replace('@', `:${PASSWORD}@`);
    nodes = new NodeProcesses(databaseUrl, nats.url.replace('//', `//relaygate:${PASSWORD}@`));
    await nodes.startThree();
    await nodes.newProducts('a', 16);
  }, 120_000);
  afterAll(async () => {
    await nodes?.stop();
    await nats?.end();
    await postgres?.remove();
  }, 60_000);
  beforeEach(() => {
    gate = nodes.nextProduct();
    identity = nodes.identityOf(gate);
  });

  const set = (name: string, state: 0 | 1 = 1) =>
    v1(nodes.url(name)).set(gate.productLogin, 0, state, { token: nodes.token });
  const edges = (device: ScriptedDevice) => device.commands.map(({ state }) => state);

  test.each(GENERATIONS.map((generation) => [generation('').name, generation] as const))(
    '%s: set, toggle and state work through each node, wherever the device is',
    async (_name, generation) => {
      const device = await nodes.link('b', identity);
      for (const name of ['a', 'b', 'c']) {
        const api = generation(nodes.url(name));
        const options = { token: nodes.token };
        expect((await api.set(gate.productLogin, 0, 1, options)).text).toBe('OK');
        expect((await api.set(gate.productLogin, 0, 1, options)).json).toEqual({ already_set: true });
        const toggled = await api.toggle(gate.productLogin, 0, options);
        expect(toggled.text).toBe('OK');
        expect((await api.set(gate.productLogin, 4, 1, options)).status).toBe(422);
        await eventually(async () => {
          const { json } = await call(
            'GET',
            `${nodes.url('c')}/api/v1/commands/${toggled.headers.get('command-id')}`,
            undefined,
            options,
          );
          return (json as { outcome: string }).outcome === 'executed';
        });
        expect((await api.state(gate.productLogin, options)).json).toMatchObject({ connected: true });
      }
      expect(device.commands).toHaveLength(9);
    },
  );

  test('a product without a device answers 504 at once through each node', async () => {
    await pause(5_000);
    for (const name of ['a', 'b', 'c']) {
      const { answer, tookMs } = await timed(set(name));
      expect([answer.status, tookMs < AT_ONCE_MS]).toEqual([504, true]);
    }
  });

  test('a second command gets 409 through each node while one runs (I6)', async () => {
    const device = await nodes.link('b', identity);
    device.react = () => {};
    const first = set('a');
    const command = await device.commanded();
    expect(await Promise.all(['a', 'b', 'c'].map(async (name) => (await set(name)).status))).toEqual([409, 409, 409]);
    device.obey(command);
    expect((await first).status).toBe(200);
  });

  test('a device that comes back to another node gets the command that waited for it', async () => {
    (await nodes.link('b', identity)).close();
    await eventually(async () => !(await nodes.isConnected('b', gate)));
    const waiting = set('a');
    await pause(300);
    const device = await nodes.link('c', identity);
    expect((await waiting).status).toBe(200);
    expect(edges(device)).toEqual([1]);
  });

  test('a node that is to stop still serves for 2 s, and says it: a balancer has sent everybody elsewhere by then', async () => {
    await nodes.start('i');
    const device = await nodes.link('i', identity);
    const [node, url] = [nodes.program('i'), nodes.url('i')];
    node.kill('SIGTERM');
    const leaving = timed(device.closing());
    await eventually(async () => (await call('GET', `${url}/readyz`)).status === 503);
    expect((await call('GET', `${url}/readyz`)).json).toMatchObject({ codes: ['stopping'] });
    const { status, headers } = await set('i');
    expect([status, headers.get('connection')]).toEqual([200, 'close']);
    expect(edges(device)).toEqual([1]);
    const { answer, tookMs } = await leaving;
    expect(answer).toBe(CLOSE.serverRestarting);
    expect(tookMs).toBeGreaterThan(LEAVE_MS - 200);
    expect((await node.ended).code).toBe(0);
  });

  test('a node that is stopped beside a device that hangs hands all others over as soon as it does not serve any more', async () => {
    const hung = nodes.nextProduct();
    await nodes.start('h');
    const device = await nodes.link('h', identity);
    const silent = await nodes.link('h', nodes.identityOf(hung));
    silent.react = () => {};
    const unanswered = v1(nodes.url('b')).toggle(hung.productLogin, 0, { token: nodes.token });
    await silent.commanded();
    const node = nodes.program('h');
    node.kill('SIGTERM');
    const { tookMs } = await timed(device.closing());
    expect(tookMs).toBeLessThan(LEAVE_MS + AT_ONCE_MS);
    const waiting = set('a');
    await nodes.link('b', identity);
    expect((await waiting).status).toBe(200);
    expect((await unanswered).status).toBe(504);
    expect((await node.ended).code).toBe(0);
  }, 30_000);

  test('a node is killed: a command waits for its device at another node, and the devices that stay away are gone in 15 s', async () => {
    const other = nodes.nextProduct();
    await nodes.start('e');
    await nodes.link('e', identity);
    await nodes.link('e', nodes.identityOf(other));
    nodes.program('e').kill('SIGKILL');
    const killedMs = monotonicNowMs();
    const waiting = set('a');
    await pause(300);
    const moved = await nodes.link('b', identity);
    expect((await waiting).status).toBe(200);
    expect(edges(moved)).toEqual([1]);
    await eventually(async () => !(await nodes.isConnected('c', other)), 20_000);
    expect(monotonicNowMs() - killedMs).toBeLessThan(15_000);
    expect(await nodes.isConnected('c', gate)).toBe(true);
  }, 60_000);

  test('a node that is frozen past its lease, and goes on, moves nothing (T34)', async () => {
    const older = await nodes.link('c', identity);
    // One command is under way when the node is frozen, and one lies in its socket from then on.
    const under = set('c', 1).catch(() => undefined);
    nodes.program('c').kill('SIGSTOP');
    const late = set('c', 1).catch(() => undefined);
    await eventually(async () => !(await nodes.isConnected('a', gate)), 20_000);
    const newer = await nodes.link('a', identity);
    expect((await set('b', 1)).status).toBe(200);
    expect((await set('b', 0)).status).toBe(200);
    const before = edges(older);
    nodes.program('c').kill('SIGCONT');
    await older.closing();
    expect(before.length).toBeLessThanOrEqual(1);
    await Promise.all([under, late]);
    expect(edges(older)).toEqual(before);
    // It is a whole node again: it may have asked whose the product is by now.
    await eventually(async () => (await set('c', 0)).status === 200, 20_000);
    expect(edges(newer).slice(0, 2)).toEqual([1, 0]);
  }, 60_000);

  describe('NATS', () => {
    test('is frozen: the caller is told 504, and nothing comes late', async () => {
      const device = await nodes.link('b', identity);
      expect((await set('a')).status).toBe(200);
      await nats.freeze();
      const told = await set('a', 0).finally(() => nats.thaw());
      expect(told.status).toBe(504);
      await eventually(async () => (await set('a', 1)).status === 200, 20_000);
      expect(edges(device)).toEqual([1, 1]);
    }, 60_000);
  });

  test('a node of other secrets, or without NATS is refused, one that cannot listen leaves no lease, and nobody shows a password', async () => {
    const run = async (env: Record<string, string>): Promise<string> => {
      const lines: string[] = [];
      const listen = { RELAYGATE_LISTEN: new URL(nodes.url('a')).host };
      const launch = {
        name: 'other',
        file: 'server/bin/relaygate-server.js',
        args: ['start'],
        env: { ...env, ...listen },
      };
      const program = await Program.start({ ...launch, onLine: (line) => lines.push(line) });
      await program.ended;
      nodes.lines.push(...lines);
      return lines.join('\n');
    };
    const { RELAYGATE_NATS_URL: natsUrl = '', ...alone } = nodes.envOf('f');
    expect(await run({ ...alone, RELAYGATE_NATS_URL: natsUrl })).toMatch(
      /secrets\.json.*is missing.*\(secrets-unusable\)/,
    );
    expect(await run(alone)).toContain('(already-running)');
    await (await nodes.start('g')).stop();
    expect(await run(nodes.envOf('g'))).toContain('(port-in-use)');
    // It has given its lease back.
    await nodes.start('g');
    expect(nodes.lines.join('\n')).not.toContain(PASSWORD);
    expect(nodes.lines.join('\n')).toContain('connected to NATS');
  });
});
