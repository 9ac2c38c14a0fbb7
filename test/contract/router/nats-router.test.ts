/** The router's contract over NATS. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { MessageBus } from '@relaygate/server/router/message-bus';
import { openNatsBus } from '@relaygate/server/router/nats-bus';
import { natsServers } from '@relaygate/server/router/nats-servers';
import type { Clock } from '@relaygate/shared';
import { systemClock, systemRandomness } from '@relaygate/shared/system';
import { Certificate } from '../../support/processes/certificate';
import { describeWhere } from '../../support/processes/needs';
import { collectingLog, SILENT_LOG } from '../../support/server/collecting-log';
import { missingNats, NatsServer } from '../../support/server/nats-server';
import { eventually } from '../../support/time/waiting';
import { routerContract } from './router-contract';

/** Of one try to connect, which is no wait. */
const TRY_LIMIT_MS = 2_000;
const SYSTEM = { clock: systemClock, randomness: systemRandomness, log: SILENT_LOG };

describeWhere(missingNats())('over NATS', () => {
  let server: NatsServer;
  const open = (url: string): MessageBus =>
    openNatsBus({ servers: natsServers(url, 'RELAYGATE_NATS_URL'), nodeName: 'n' }, SYSTEM);
  beforeAll(async () => {
    server = await NatsServer.start();
  });
  afterAll(() => server.end());

  routerContract(() => ({
    connect: () => open(server.url),
    freeze: () => server.freeze(),
    thaw: () => server.thaw(),
    end: () => server.end(),
    begin: () => server.begin(),
  }));

  test('a broker that is silent is left', async () => {
    const bus = open(server.url);
    await eventually(() => bus.isConnected);
    await server.freeze();
    await eventually(() => !bus.isConnected, 10_000);
    server.thaw();
    await eventually(() => bus.isConnected);
    await bus.close();
    expect(bus.isConnected).toBe(false);
  });

  describe('a broker with a password', () => {
    const SECRET = 's3cret';
    let guarded: NatsServer;
    beforeAll(async () => {
      guarded = await NatsServer.start('--user', 'ana', '--pass', SECRET);
    });
    afterAll(() => guarded.end());
    const as = (login: string): string => guarded.url.replace('//', `//${login}@`);

    test('takes who has it', async () => {
      const bus = open(as(`ana:${SECRET}`));
      await eventually(() => bus.isConnected);
      await bus.close();
    });

    test('is asked again with ever longer waits by who has a wrong one, which no log shows', async () => {
      const log = collectingLog();
      const waitsMs: number[] = [];
      const clock: Clock = {
        nowMs: systemClock.nowMs,
        after(delayMs, run) {
          if (delayMs === TRY_LIMIT_MS) return systemClock.after(delayMs, run);
          waitsMs.push(delayMs);
          return systemClock.after(1, run);
        },
      };
      const randomness = { ...systemRandomness, fraction: () => 0.25 };
      const servers = natsServers(as('ana:wr0ng'), 'RELAYGATE_NATS_URL');
      const bus = openNatsBus({ servers, nodeName: 'n' }, { clock, randomness, log });
      await eventually(() => waitsMs.length > 6);
      expect(bus.isConnected).toBe(false);
      await bus.close();
      expect(waitsMs.slice(0, 7)).toEqual([62.5, 125, 250, 500, 1_000, 1_250, 1_250]);
      expect(log.lines.filter(({ level }) => level === 'warn')).toEqual([
        {
          level: 'warn',
          event: 'NATS cannot be reached; it is tried again',
          fields: { code: 'AUTHORIZATION_VIOLATION' },
        },
      ]);
      expect(JSON.stringify(log.lines)).not.toContain('wr0ng');
    });
  });

  describe('a broker with TLS', () => {
    let certificate: Certificate;
    let guarded: NatsServer;
    beforeAll(async () => {
      certificate = new Certificate('127.0.0.1');
      guarded = await NatsServer.start('--tls', '--tlscert', certificate.certFile, '--tlskey', certificate.keyFile);
    });
    afterAll(async () => {
      await guarded.end();
      certificate.remove();
    });
    const overTls = (server: NatsServer, caFile?: string): MessageBus => {
      const servers = natsServers(server.url.replace('nats:', 'tls:'), 'RELAYGATE_NATS_URL');
      return openNatsBus({ servers, nodeName: 'n', ...(caFile === undefined ? {} : { caFile }) }, SYSTEM);
    };

    test('is believed with the authority that the settings name, and with no other', async () => {
      const stranger = overTls(guarded);
      const bus = overTls(guarded, certificate.certFile);
      await eventually(() => bus.isConnected);
      expect(stranger.isConnected).toBe(false);
      await Promise.all([bus.close(), stranger.close()]);
    });

    test('is what tls:// asks for: a broker without it gets no login', async () => {
      const log = collectingLog();
      const servers = natsServers(server.url.replace('nats://', 'tls://ana:s3cret@'), 'RELAYGATE_NATS_URL');
      const bus = openNatsBus({ servers, nodeName: 'n', caFile: certificate.certFile }, { ...SYSTEM, log });
      await eventually(() => log.lines.length > 0);
      // It may have been tried again since.
      expect(new Set(log.lines.map(({ fields }) => fields.code))).toEqual(new Set(['SERVER_OPT_NA']));
      expect(bus.isConnected).toBe(false);
      await bus.close();
    });
  });

  test('of several brokers one that is there is enough', async () => {
    const bus = open(`nats://127.0.0.1:9,${server.url}`);
    await eventually(() => bus.isConnected);
    await bus.close();
  });

  test('a bus that cannot connect can be closed', async () => {
    const bus = open('nats://127.0.0.1:9');
    await bus.close();
    expect(bus.isConnected).toBe(false);
  });
});
