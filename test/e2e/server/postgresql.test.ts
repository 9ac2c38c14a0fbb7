/** A server that keeps its data in PostgreSQL, with its operator's commands and a device. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Site } from '../../support/faults/site';
import { describeWhere } from '../../support/processes/needs';
import { Program, runToEnd } from '../../support/processes/program';
import { missingPostgres, PostgresServer } from '../../support/server/postgres-server';
import { eventually } from '../../support/time/waiting';

const FILE = 'server/bin/relaygate-server.js';
/** The server trusts everybody, so any password will do. */
const PASSWORD = 'a-very-secret-word';

describeWhere(missingPostgres())('a server on PostgreSQL', () => {
  let postgres: PostgresServer;
  let site: Site;
  let databaseUrl: string;

  beforeAll(async () => {
    postgres = await PostgresServer.start();
    databaseUrl = (await postgres.newDatabase()).replace('@', `:${PASSWORD}@`);
    site = await Site.start({ pairs: 1, databaseUrl });
  }, 120_000);
  afterAll(async () => {
    await site?.stop();
    await postgres?.remove();
  }, 60_000);

  test('after SIGKILL and a new start it knows its commands, devices and clients, and goes on', async () => {
    const [pair] = site.pairs;
    if (!pair) throw new Error('no device');
    await pair.untilConnected();
    const done = await pair.set(1, 1);
    expect(done.text).toBe('OK');
    // It is written behind the answer.
    await eventually(
      async () => (await postgres.query('d1', "SELECT 1 FROM commands WHERE outcome = 'executed'")).length > 0,
    );
    await site.killServer();
    await site.startServer();
    await site.renewAgents();
    await pair.untilConnected();
    expect(await pair.outcomeOf(done)).toBe('executed');
    expect((await pair.set(1, 0)).text).toBe('OK');
    expect(pair.edges().map(({ output, level }) => [output, level])).toEqual([
      [1, 1],
      [1, 0],
    ]);
    expect(await site.operator('audit', 'verify')).toMatchObject({ faults: 0 });
    expect(await site.operator('product', 'show', pair.productLogin)).toMatchObject({ connected: true });
    expect(await site.isReady()).toBe(true);
  });

  test('it is not ready while PostgreSQL is away, and again when that is back', async () => {
    const [pair] = site.pairs;
    await postgres.stop('SIGINT');
    await eventually(() => site.isUnready());
    expect((await pair?.set(1, 1))?.status).toBe(500);
    await postgres.resume();
    await eventually(() => site.isReady());
    await eventually(async () => (await pair?.set(1, 1))?.status === 200);
  });

  test('a second server, a backup and a restore are refused, and nobody sees the password', async () => {
    const seen: string[] = [];
    const run = async (...args: string[]): Promise<string> => {
      const env = {
        RELAYGATE_DATABASE_URL: databaseUrl,
        RELAYGATE_DATA_DIR: `${site.databaseFile}.other`,
        RELAYGATE_LISTEN: '127.0.0.1:0',
      };
      const lines: string[] = [];
      const program = await Program.start({
        name: args.join(' '),
        file: FILE,
        args,
        env,
        onLine: (line) => lines.push(line),
      });
      await program.ended;
      seen.push(...lines);
      return lines.join('\n');
    };
    expect(await run('start')).toMatch(/Another server \(relaygate node-1\).*\(already-running\)/);
    expect(await run('backup', '/tmp/none', '--json')).toContain('"not-for-postgresql"');
    expect(await run('restore', '/tmp/none')).toContain('(not-for-postgresql)');
    expect(await run('client', 'list')).toContain('faults');
    const sessions = await postgres.query('postgres', 'SELECT * FROM pg_stat_activity');
    expect(JSON.stringify([seen, sessions, site.server.complaint])).not.toContain(PASSWORD);
    const away = { RELAYGATE_DATABASE_URL: `postgresql://relay:${PASSWORD}@127.0.0.1:1/gone` };
    const refused = runToEnd({ name: 'client list', file: FILE, args: ['client', 'list'], env: away });
    await expect(refused).rejects.toThrow(/PostgreSQL at 127\.0\.0\.1:1, database gone: .*\(database-unusable\)/);
    await expect(refused).rejects.not.toThrow(PASSWORD);
  });
});
