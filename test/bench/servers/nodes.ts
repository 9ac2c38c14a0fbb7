import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPostgresStorage } from '@relaygate/server/storage/postgresql/postgres-storage';
import { copyCommonFiles } from '../../support/server/common-files';
import { missingNats, NatsServer } from '../../support/server/nats-server';
import { missingPostgres, PostgresServer } from '../../support/server/postgres-server';
import { MissingProgram } from '../missing-program';
import { MeasuredServer } from './measured-server';
import { logIn, NO_BUDGETS, type SeededDatabase, seedInto } from './relaygate';

/** Nodes of one installation, with PostgreSQL, and NATS where they are several. */
export class MeasuredNodes {
  readonly nodes: readonly MeasuredServer[];
  readonly seeded: SeededDatabase;
  /** Valid for ten minutes. */
  readonly token: string;
  readonly #stop: () => Promise<void>;

  private constructor(
    nodes: readonly MeasuredServer[],
    seeded: SeededDatabase,
    token: string,
    stop: () => Promise<void>,
  ) {
    this.nodes = nodes;
    this.seeded = seeded;
    this.token = token;
    this.#stop = stop;
  }

  /** On a new database, which knows a client and so many products. What is committed is on the disk, as with SQLite. */
  static async start(count: number, products: number): Promise<MeasuredNodes> {
    const missing = missingPostgres() ?? missingNats();
    if (missing !== undefined) throw new MissingProgram(missing);
    const folder = mkdtempSync(join(tmpdir(), 'relaygate-bench-'));
    const started: (() => Promise<void>)[] = [async () => rmSync(folder, { recursive: true, force: true })];
    const stop = async (): Promise<void> => {
      for (const end of started.reverse()) await end();
    };
    try {
      const postgres = await PostgresServer.start({ fsync: 'on' });
      started.push(() => postgres.remove());
      const nats = count > 1 ? await NatsServer.start() : undefined;
      started.push(async () => nats?.end());
      const url = await postgres.newDatabase();
      const seeded = await seedInto(await openPostgresStorage({ url, writerName: 'cli' }), products);
      const nodes: MeasuredServer[] = [];
      for (let n = 0; n < count; n += 1) {
        const dataDir = join(folder, `${n}`);
        mkdirSync(dataDir, { mode: 0o700 });
        if (n > 0) copyCommonFiles(join(folder, '0'), dataDir);
        const env = {
          RELAYGATE_DATA_DIR: dataDir,
          RELAYGATE_DATABASE_URL: url,
          RELAYGATE_NODE_NAME: `node-${n + 1}`,
          RELAYGATE_LISTEN: '127.0.0.1:0',
          ...(nats && { RELAYGATE_NATS_URL: nats.url }),
          ...NO_BUDGETS,
        };
        const node = await MeasuredServer.start(`node ${n + 1}`, 'server/bin/relaygate-server.js', {
          args: ['start'],
          env,
        });
        started.push(() => node.stop());
        nodes.push(node);
      }
      const [first] = nodes;
      if (!first) throw new Error('no node');
      return new MeasuredNodes(nodes, seeded, await logIn(first, seeded.clientKey), stop);
    } catch (error) {
      await stop();
      throw error;
    }
  }

  stop(): Promise<void> {
    return this.#stop();
  }
}
