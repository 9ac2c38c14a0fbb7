/** A server with a device and an application that goes from SQLite to PostgreSQL by its operator's command. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Site, type SiteOptions } from '../../support/faults/site';
import { describeWhere } from '../../support/processes/needs';
import { missingPostgres, PostgresServer } from '../../support/server/postgres-server';

describeWhere(missingPostgres())('a server that is migrated to PostgreSQL', () => {
  let postgres: PostgresServer;
  let site: Site;
  const options: SiteOptions & { databaseUrl?: string } = { pairs: 1 };

  beforeAll(async () => {
    postgres = await PostgresServer.start();
    site = await Site.start(options);
  }, 120_000);
  afterAll(async () => {
    await site?.stop();
    await postgres?.remove();
  }, 60_000);

  test('goes on with its devices, keys, commands and audit, and is refused on its old data', async () => {
    const [pair] = site.pairs;
    if (!pair) throw new Error('no device');
    await pair.untilConnected();
    const done = await pair.set(1, 1);
    expect(done.text).toBe('OK');
    const before = await site.operator('client', 'list');

    options.databaseUrl = await postgres.newDatabase();
    await expect(site.operator('migrate-storage')).rejects.toThrow('already-running');
    await site.server.stop();
    const { records, heads, rows } = (await site.operator('migrate-storage')) as Record<string, unknown>;
    expect(rows).toMatchObject({ commands: 1, products: 1 });
    expect(heads).toEqual(expect.arrayContaining([expect.objectContaining({ writer: 'node-1' })]));

    await site.startServer();
    await pair.untilConnected();
    expect(await site.operator('client', 'list')).toEqual(before);
    expect(await pair.outcomeOf(done)).toBe('executed');
    expect((await pair.set(1, 0)).text).toBe('OK');
    const audit = (await site.operator('audit', 'verify')) as { records: number };
    expect(audit).toMatchObject({ faults: 0 });
    expect(audit.records).toBeGreaterThan(Number(records));

    await site.server.stop();
    delete options.databaseUrl;
    await expect(site.operator('client', 'list')).rejects.toThrow('migrated-away');
    await expect(site.startServer()).rejects.toThrow('migrated-away');
  }, 120_000);
});
