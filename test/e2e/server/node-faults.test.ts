/** Three nodes as processes: a broker that is slow or out of reach, rights that are revoked under load, a copied card (T10, T11, T25). */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { CLOSE, EXECUTION_DEADLINE_MS, REPLACED_WAIT_MS, RESPONSE_DEADLINE_MS } from '@relaygate/shared';
import { monotonicNowMs } from '@relaygate/shared/system';
import { writeDeviceSettings, writeEnrolmentCode } from '../../support/device/device';
import { DevicePrograms } from '../../support/faults/device-programs';
import { describeWhere } from '../../support/processes/needs';
import { type Answer, call, v1 } from '../../support/server/api-client';
import { CuttingProxy } from '../../support/server/cutting-proxy';
import { missingNats, NatsServer } from '../../support/server/nats-server';
import { NodeProcesses } from '../../support/server/node-process';
import { missingPostgres, PostgresServer } from '../../support/server/postgres-server';
import type { DeviceIdentity, ScriptedDevice } from '../../support/server/scripted-device';
import type { TestProduct } from '../../support/server/test-server';
import { timed } from '../../support/time/timed';
import { eventually, pause } from '../../support/time/waiting';

/** What takes no wait takes less, on a busy machine too. */
const AT_ONCE_MS = 1_500;
/** From the node to the broker, and as much back. */
const SLOW_MS = 200;
/** Until a node knows that its broker is out of reach. */
const NOTICED_WITHIN_MS = 10_000;
/** I13: what was under way may still move. */
const REVOKED_WITHIN_MS = 1_000;
const LOAD_MS = 1_000;
/** Far fewer than the client's budget for a product allows. */
const BETWEEN_MS = 20;
const NODES = ['a', 'b', 'c'];

describeWhere(missingPostgres() ?? missingNats())('three nodes', () => {
  let postgres: PostgresServer;
  let nats: NatsServer;
  /** Between node a and the broker. */
  let proxy: CuttingProxy;
  let nodes: NodeProcesses;
  let gate: TestProduct;
  let identity: DeviceIdentity;
  beforeAll(async () => {
    postgres = await PostgresServer.start();
    nats = await NatsServer.start();
    proxy = await CuttingProxy.start(nats.port);
    nodes = new NodeProcesses(await postgres.newDatabase(), nats.url);
    await nodes.startThree({ RELAYGATE_NATS_URL: proxy.through(nats.url) });
    await nodes.newProducts('a', 9);
  }, 120_000);
  afterAll(async () => {
    await nodes?.stop();
    await proxy?.stop();
    await nats?.end();
    await postgres?.remove();
  }, 60_000);
  beforeEach(() => {
    gate = nodes.nextProduct();
    identity = nodes.identityOf(gate);
  });

  const api = (name: string) => v1(nodes.url(name));
  const set = (name: string, state: 0 | 1 = 1) => api(name).set(gate.productLogin, 0, state, { token: nodes.token });
  const toggle = (name: string, login = gate.productLogin, token = nodes.token): Promise<Answer> =>
    api(name).toggle(login, 0, { token });
  const states = (device: ScriptedDevice) => device.commands.map(({ state }) => state);

  async function outcomeOf({ headers }: Answer): Promise<string> {
    const url = `${nodes.url('c')}/api/v1/commands/${headers.get('command-id')}`;
    return ((await call('GET', url, undefined, { token: nodes.token })).json as { outcome: string }).outcome;
  }

  describe('T11: the connection of one node to the broker', () => {
    const only = (text: string, delayMs: number) => (data: Buffer) => (data.includes(text) ? delayMs : 0);
    const late = (): number => nodes.lines.filter((line) => line.includes('command-late')).length;

    afterEach(async () => {
      proxy.delayMs = () => 0;
      proxy.isClosed = false;
      proxy.cutAll();
      const device = await nodes.link('b', identity);
      await eventually(async () => (await set('a', 0)).status === 200, 20_000);
      expect(await nodes.warnings('a')).toEqual(['no-synchronous-standby']);
      device.close();
    }, 60_000);

    test('is slow: commands through it are confirmed, a little later', async () => {
      const device = await nodes.link('b', identity);
      expect((await set('a', 1)).status).toBe(200);
      proxy.delayMs = () => SLOW_MS;
      const { answer, tookMs } = await timed(set('a', 0));
      expect(answer.status).toBe(200);
      expect(tookMs).toBeGreaterThanOrEqual(2 * SLOW_MS);
      expect((await set('b', 1)).status).toBe(200);
      expect(states(device)).toEqual([1, 0, 1]);
    });

    test('brings the answer too late: 504, moved once, and its record says so', async () => {
      const device = await nodes.link('b', identity);
      expect((await set('a', 1)).status).toBe(200);
      proxy.delayMs = only('MSG relaygate.v1.answer.', RESPONSE_DEADLINE_MS + 200);
      const { answer, tookMs } = await timed(set('a', 0));
      expect(answer.status).toBe(504);
      expect(tookMs).toBeLessThan(RESPONSE_DEADLINE_MS + AT_ONCE_MS);
      expect(await outcomeOf(answer)).toBe('executed');
      expect(states(device)).toEqual([1, 0]);
    }, 30_000);

    test('brings the command too late: 504, its owner refuses it, and nothing moves', async () => {
      const device = await nodes.link('b', identity);
      expect((await set('a', 1)).status).toBe(200);
      const lateBefore = late();
      proxy.delayMs = only('PUB relaygate.v1.command.', EXECUTION_DEADLINE_MS + 100);
      expect((await set('a', 0)).status).toBe(504);
      await eventually(() => late() === lateBefore + 1);
      expect(states(device)).toEqual([1]);
      expect(await nodes.warnings('a')).not.toContain('broker-away');
    }, 30_000);

    test('carries nothing any more: its own devices are unaffected, others are refused at once as soon as it is noticed', async () => {
      const device = await nodes.link('b', identity);
      const own = nodes.nextProduct();
      const ofOwn = await nodes.link('a', nodes.identityOf(own));
      expect((await set('a', 1)).status).toBe(200);
      const cutMs = monotonicNowMs();
      proxy.isClosed = true;
      proxy.delayMs = () => Number.POSITIVE_INFINITY;
      const unnoticed = timed(set('a', 0));
      expect((await toggle('a', own.productLogin)).status).toBe(200);
      // The owner has the command or not; nobody told its caller.
      expect((await unnoticed).answer.status).toBe(504);
      await eventually(async () => (await nodes.warnings('a')).includes('broker-away'), NOTICED_WITHIN_MS);
      expect(monotonicNowMs() - cutMs).toBeLessThan(NOTICED_WITHIN_MS);
      const { answer, tookMs } = await timed(set('a', 0));
      expect([answer.status, answer.headers.get('command-id'), tookMs < AT_ONCE_MS]).toEqual([500, null, true]);
      expect((await toggle('a', own.productLogin)).status).toBe(200);
      expect((await toggle('c')).status).toBe(200);
      expect(device.commands.map(({ action }) => action)).toEqual(['set', 'toggle']);
      expect(ofOwn.commands).toHaveLength(2);
    }, 60_000);
  });

  describe('T25: a right is taken away while one node after the other is asked', () => {
    interface Asked {
      readonly status: number;
      readonly sentMs: number;
    }

    /** Of one node after the other, each after the answer of the one before: a product has one command at a time. */
    async function underLoad(
      ask: (name: string) => Promise<Answer>,
      body: (asked: readonly Asked[]) => Promise<void>,
    ): Promise<Asked[]> {
      let isOver = false;
      const asked: Asked[] = [];
      const load = (async () => {
        for (let n = 0; !isOver; n += 1) {
          const { answer, sentMs } = await timed(ask(NODES[n % NODES.length] ?? ''));
          asked.push({ status: answer.status, sentMs });
          await pause(BETWEEN_MS);
        }
      })();
      await body(asked).finally(() => {
        isOver = true;
      });
      await load;
      return asked;
    }

    /** When it was commanded. */
    function watched(device: ScriptedDevice): number[] {
      const commandedMs: number[] = [];
      device.react = (command) => {
        commandedMs.push(monotonicNowMs());
        device.obey(command);
      };
      return commandedMs;
    }

    /** Every request behind the revocation is refused with `status`, and no command comes a second later. */
    async function expectRevoked(
      status: number,
      commandedMs: readonly number[],
      ask: (name: string) => Promise<Answer>,
      revoke: () => Promise<unknown>,
    ): Promise<void> {
      let revokedMs = 0;
      const asked = await underLoad(ask, async (soFar) => {
        await pause(LOAD_MS);
        await revoke();
        revokedMs = monotonicNowMs();
        await pause(REVOKED_WITHIN_MS + LOAD_MS);
        // A command that was sent when its link was closed holds the product's slot for 5 s.
        await eventually(() => soFar.filter(({ sentMs }) => sentMs > revokedMs).length > NODES.length);
      });
      const before = asked.filter(({ sentMs }) => sentMs < revokedMs);
      expect(before.filter((one) => one.status === 200).length).toBeGreaterThan(NODES.length);
      const behind = asked.filter(({ sentMs }) => sentMs > revokedMs);
      expect(behind.filter((one) => one.status === status).length).toBeGreaterThan(NODES.length);
      // A database that a busy machine holds up for a second is a 500; then nothing moves.
      expect(behind.filter((one) => one.status !== status && one.status !== 500)).toEqual([]);
      expect(commandedMs.filter((atMs) => atMs > revokedMs + REVOKED_WITHIN_MS)).toEqual([]);
    }

    test('of a client: all nodes refuse it from the next request on, and others are unaffected', async () => {
      const token = await nodes.newClient('guest', 'b', [gate]);
      const device = await nodes.link('b', identity);
      const commandedMs = watched(device);
      await expectRevoked(
        401,
        commandedMs,
        (name) => toggle(name, gate.productLogin, token),
        () => nodes.operator('client', 'deactivate', 'guest'),
      );
      for (const name of NODES) expect((await toggle(name)).status).toBe(200);
    }, 60_000);

    test('of a device: its link is closed wherever it is, and all nodes answer 504 at once from the next request on', async () => {
      const device = await nodes.link('b', identity);
      const commandedMs = watched(device);
      await expectRevoked(
        504,
        commandedMs,
        (name) => toggle(name),
        async () => {
          const revoked = nodes.operator('product', 'revoke-device', gate.productLogin);
          expect(await device.closing()).toBe(CLOSE.revoked);
          await revoked;
        },
      );
      const { tookMs } = await timed(toggle('a'));
      expect(tookMs).toBeLessThan(AT_ONCE_MS);
    }, 60_000);
  });

  test('T10: a copied card links to another node: the newest serves, the older waits a minute and executes nothing', async () => {
    const link = (name: string) => ({
      serverUrl: nodes.url(name).replace('http', 'ws'),
      serverName: 'relaygate',
      productLogin: gate.productLogin,
    });
    const [older, copy] = [new DevicePrograms({}), new DevicePrograms({})];
    try {
      writeDeviceSettings(older.folders.dataDir, { link: link('a') });
      writeEnrolmentCode(older.folders.dataDir, gate.enrolmentCode);
      await older.startGuard();
      await older.startAgent();
      await older.untilLinked();
      for (const name of NODES) expect((await toggle(name)).status).toBe(200);
      expect(older.edges()).toHaveLength(NODES.length);
      copy.copyCardOf(older);
      writeDeviceSettings(copy.folders.dataDir, { link: link('b') });
      await copy.startGuard();
      await copy.startAgent();
      await copy.untilLinked();
      const [, waitS] = await older.agentSays(/another link with the key.*next try in ([\d.]+) s/);
      expect(Number(waitS)).toBeGreaterThanOrEqual(REPLACED_WAIT_MS / 1_000);
      const before = older.edges().length;
      for (const name of NODES) expect((await toggle(name)).status).toBe(200);
      expect(copy.edges()).toHaveLength(NODES.length);
      expect(older.edges()).toHaveLength(before);
    } finally {
      await older.stop();
      await copy.stop();
    }
  }, 60_000);
});
