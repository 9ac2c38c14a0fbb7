/** Programs of two versions on one database, while commands are at work. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { openPostgresStorage } from '@relaygate/server/storage/postgresql/postgres-storage';
import { STEPS, type Step, usableFrom } from '@relaygate/server/storage/postgresql/schema';
import { Session } from '@relaygate/server/storage/postgresql/session';
import type { Storage } from '@relaygate/server/storage/storage';
import type { Clock } from '@relaygate/shared';
import { systemClock } from '@relaygate/shared/system';
import { describeWhere } from '../../support/processes/needs';
import { CuttingProxy } from '../../support/server/cutting-proxy';
import { missingPostgres, PostgresServer } from '../../support/server/postgres-server';
import { eventually } from '../../support/time/waiting';
import { firstFault } from '../storage/first-fault';
import { client, command, NOW_MS, opening, outcome, product } from '../storage/samples';

/** Each table gets a column, and one an index; there is one more. */
const WIDER = `DO $$ DECLARE one TEXT; BEGIN
  FOR one IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
    EXECUTE format('ALTER TABLE %I ADD COLUMN later TEXT', one);
  END LOOP;
END $$;
CREATE INDEX products_later ON products (later);
CREATE TABLE later (id INTEGER NOT NULL PRIMARY KEY);`;
const NEXT: readonly Step[] = [...STEPS, { sql: WIDER }];
/** The next version does not use it any more. */
const WITHOUT: readonly Step[] = [...NEXT, { sql: 'ALTER TABLE products DROP COLUMN later', usableFrom: NEXT.length }];
const TOO_NEW = { code: 'database-too-new' };
const OLDER_AT_WORK = { code: 'already-running', message: expect.stringContaining('relaygate a') };
/** What a try to get a table's lock waits before the next one. */
const AGAIN_MS = 1_000;

interface NodeOptions {
  steps?: readonly Step[];
  clock?: Clock;
  through?: CuttingProxy;
  progress?: (text: string) => void;
}

/** A node of its own product, which records and ends one command after the other. */
interface BusyNode {
  storage: Storage;
  /** So many commands more have ended. */
  goesOn(rounds?: number): Promise<void>;
  stop(): Promise<void>;
}

describeWhere(missingPostgres())('two versions on one database', () => {
  let postgres: PostgresServer;
  beforeAll(async () => {
    postgres = await PostgresServer.start();
  });
  afterAll(() => postgres.remove());

  let url: string;
  let nodes: BusyNode[];
  let failures: unknown[];
  let commands = 0;
  beforeEach(async () => {
    url = await postgres.newDatabase();
    [nodes, failures] = [[], []];
  });
  afterEach(async () => {
    for (const node of [...nodes]) await node.stop();
    expect(failures).toEqual([]);
  });

  const query = (text: string) => postgres.query(new URL(url).pathname.slice(1), text);
  const open = (writerName: string, { steps = STEPS, clock = systemClock, through, progress }: NodeOptions = {}) =>
    openPostgresStorage({
      url: through?.through(url) ?? url,
      writerName,
      isServer: true,
      isShared: true,
      steps,
      clock,
      ...(progress ? { migrationProgress: progress } : {}),
    });

  async function startNode(name: string, options: NodeOptions = {}): Promise<BusyNode> {
    const storage = await open(name, options);
    const productLogin = `gate-${name}`;
    await storage.joinNodes({ name, instance: name, secrets: 'same' }, 60_000, NOW_MS);
    if (!(await storage.findProduct(productLogin))) {
      await storage.createClient(client(name));
      await storage.createProduct(product(productLogin));
      await storage.associate(name, productLogin, NOW_MS);
      await storage.enrolDevice(productLogin, 'public-1', `code of ${productLogin}`, NOW_MS);
    }
    await storage.openLink(productLogin, opening({ node: name }));
    let rounds = 0;
    let isStopping = false;
    const round = async (): Promise<void> => {
      commands += 1;
      const commandId = `c${commands}`;
      await storage.recordCommand(command(commandId, { productLogin, clientId: name, node: name }));
      await storage.linksSince(new Map());
      await storage.recordOutcome(outcome(commandId, { productLogin }));
      expect(await storage.findCommand(commandId)).toMatchObject({ outcome: 'executed' });
      rounds += 1;
    };
    const again = async (run: () => Promise<unknown>): Promise<void> => {
      try {
        while (!isStopping) await run();
      } catch (error) {
        failures.push(error);
      }
    };
    // Beside the writes, so that there is always one that wants the table.
    const working = Promise.all([again(round), again(() => storage.readAccess(name, productLogin, 1))]);
    const node: BusyNode = {
      storage,
      async goesOn(more = 10) {
        const enough = rounds + more;
        await eventually(() => rounds >= enough || failures.length > 0);
        expect(failures).toEqual([]);
      },
      async stop() {
        nodes = nodes.filter((one) => one !== node);
        isStopping = true;
        await working;
        await storage.leaveNodes(name, NOW_MS);
        await storage.close();
      },
    };
    nodes.push(node);
    await node.goesOn();
    return node;
  }
  const allGoOn = () => Promise.all(nodes.map((node) => node.goesOn()));

  test('go on beside each other when the next one widens the tables, and the one before starts again', async () => {
    const a = await startNode('a');
    await startNode('b');
    await startNode('c', { steps: NEXT });
    await allGoOn();
    await a.stop();
    const again = await startNode('a');
    const cli = await openPostgresStorage({ url, writerName: 'cli', mustExist: true });
    await cli.createClient(client('later'));
    await cli.close();
    await allGoOn();
    expect(await firstFault(again.storage)).toBeUndefined();
    expect(await query('SELECT version, usable_from FROM installation')).toEqual([
      { version: NEXT.length, usable_from: usableFrom(STEPS) },
    ]);
  });

  test('are not beside each other when the next one takes away what the one before uses', async () => {
    const renamed = 'ALTER TABLE products RENAME COLUMN boot_id TO boot';
    const steps: readonly Step[] = [...STEPS, { sql: renamed, usableFrom: STEPS.length + 1 }];
    const a = await startNode('a');
    await expect(startNode('b', { steps })).rejects.toMatchObject(OLDER_AT_WORK);
    await allGoOn();
    await a.stop();
    await (await open('b', { steps })).close();
    await expect(open('a')).rejects.toMatchObject(TOO_NEW);
  });

  test('nor while an older command is at work; and an older program waits for no migration that ends it', async () => {
    const cli = await openPostgresStorage({ url, writerName: 'a', mustExist: false });
    const steps: readonly Step[] = [...STEPS, { sql: 'SELECT pg_sleep(1)', usableFrom: STEPS.length + 1 }];
    await expect(open('b', { steps })).rejects.toMatchObject(OLDER_AT_WORK);
    await cli.close();
    let begun = (): void => {};
    const beginning = new Promise<void>((resolve) => (begun = resolve));
    const migrating = open('b', { steps, progress: () => begun() });
    await beginning;
    await expect(open('a')).rejects.toMatchObject(TOO_NEW);
    await (await migrating).close();
  });

  test('are beside each other when what goes is used by neither', async () => {
    const a = await startNode('a');
    const b = await startNode('b', { steps: NEXT });
    await expect(startNode('c', { steps: WITHOUT })).rejects.toMatchObject(OLDER_AT_WORK);
    await a.stop();
    await (await open('c', { steps: WITHOUT })).close();
    await b.goesOn();
    await b.stop();
    await (await open('b', { steps: NEXT })).close();
    await expect(open('a')).rejects.toMatchObject(TOO_NEW);
  });

  test('a node that has lost its connection while its version was ended writes nothing more', async () => {
    const proxy = await CuttingProxy.start(postgres.port);
    const storage = await open('a', { through: proxy });
    proxy.isClosed = true;
    await query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'relaygate a'");
    const steps: readonly Step[] = [...STEPS, { sql: 'SELECT 1', usableFrom: STEPS.length + 1 }];
    await eventually(() =>
      open('b', { steps }).then(
        (next) => next.close().then(() => true),
        () => false,
      ),
    );
    proxy.isClosed = false;
    const failure = () => storage.probe().then(String, String);
    await eventually(async () => /newer version/.test(await failure()));
    await storage.close();
    await proxy.stop();
  });

  test('commands do not wait behind a migration that waits for a dump, and it is made when that has ended', async () => {
    const a = await startNode('a');
    const dump = await Session.open({ url, name: 'pg_dump', clock: systemClock });
    await dump.script(
      'SET idle_in_transaction_session_timeout = 0; BEGIN; LOCK TABLE products, commands IN ACCESS SHARE MODE',
    );
    let begun = (): void => {};
    const beginning = new Promise<void>((resolve) => (begun = resolve));
    const starting = startNode('b', { steps: NEXT, progress: () => begun() });
    await beginning;
    await a.goesOn(30);
    await dump.close();
    await starting;
    await allGoOn();
  });

  test('a migration that a table is kept from for too long is given up, and one that takes long is not made beside others', async () => {
    const a = await startNode('a');
    const dump = await Session.open({ url, name: 'pg_dump', clock: systemClock });
    await dump.script('SET idle_in_transaction_session_timeout = 0; BEGIN; LOCK TABLE products IN ACCESS SHARE MODE');
    let jumpedMs = 0;
    const clock: Clock = {
      nowMs: () => systemClock.nowMs() + jumpedMs,
      after(ms, run) {
        if (ms === AGAIN_MS) jumpedMs += 20_000;
        return systemClock.after(ms === AGAIN_MS ? 1 : ms, run);
      },
    };
    await expect(open('b', { steps: NEXT, clock })).rejects.toMatchObject({
      code: 'database-unusable',
      message: expect.stringContaining('pg_dump'),
    });
    await dump.close();
    const slow: readonly Step[] = [...STEPS, { sql: 'SELECT pg_sleep(1)' }];
    await expect(open('b', { steps: slow })).rejects.toMatchObject({
      code: 'already-running',
      message: expect.stringContaining('too long'),
    });
    await allGoOn();
    await a.stop();
    await (await open('b', { steps: slow })).close();
  });
});
