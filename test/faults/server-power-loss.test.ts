/** T4: the power goes while the server writes its database. What was not synced is lost (EXT4_IOC_SHUTDOWN). */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openSqlite } from '@relaygate/server/storage/sqlite/sqlite';
import type { TokenPair } from '@relaygate/shared';
import { monotonicNowMs } from '@relaygate/shared/system';
import type { SeededChance } from '../support/chance/seeded-chance';
import { Acknowledged } from '../support/faults/acknowledged';
import { Ext4Image, ext4ImageMissing } from '../support/faults/ext4-image';
import { elapsedMs, Fault, PLAY_LIMIT_MS, SHORT } from '../support/faults/fault';
import { isServerGone, Load, ServerGone } from '../support/faults/load';
import type { Pair, Provisioned } from '../support/faults/pair';
import { Site } from '../support/faults/site';
import { describeWhere } from '../support/processes/needs';
import { v1 } from '../support/server/api-client';
import { writtenAudit } from '../support/server/audit-chain';
import { eventually, pause } from '../support/time/waiting';

const AT_ONCE = 2;

/** A server on a disk of its own, with one device on another. */
interface Stage {
  readonly disk: Ext4Image;
  readonly site: Site;
  /** Associated and dissociated all the time. */
  readonly product: Provisioned;
}

async function play({ disk, site, product }: Stage, pair: Pair, chance: SeededChance): Promise<number> {
  const api = v1(site.url);
  const { productLogin, productKey } = product;
  await site.logIn();
  const { token } = site;
  const isAssociated = new Acknowledged((await api.state(productLogin, { token })).status === 200);
  const refreshToken = new Acknowledged(site.refreshToken);
  const loads = [
    new Load(async () => {
      const [current = false] = isAssociated.possible;
      await isAssociated.write(!current, async () => {
        const answer = current
          ? api.deleteProduct(productLogin, { token })
          : api.addProduct(productLogin, productKey, { token });
        expect((await answer).status).toBe(current ? 204 : 201);
      });
    }, isServerGone),
    new Load(async () => {
      const [current = ''] = refreshToken.possible;
      const { status, json } = await api.refresh(current);
      expect(status).toBe(200);
      await refreshToken.write((json as TokenPair).refreshToken, async () => {});
    }, isServerGone),
    new Load(async () => {
      const { status } = await pair.toggle(0);
      if (status === null) throw new ServerGone();
      expect(status).toBe(200);
    }, isServerGone),
  ];
  await Promise.all(loads.map(({ begun }) => begun));
  await pause(chance.between(0, 500));
  // With its machine's power the server's own life ends: on a disk that is gone it must acknowledge nothing, and a kernel
  // may call a write that it has just thrown away a success (seen: fsync beside EXT4_IOC_SHUTDOWN).
  site.server.kill('SIGSTOP');
  disk.losePower();
  await site.killServer();
  await Promise.all(loads.map(({ ended }) => ended));
  disk.powerUp();

  const startMs = monotonicNowMs();
  await site.startServer();
  await eventually(() => site.isReady());
  const readyMs = elapsedMs(startMs);
  // I8: what was acknowledged is there; each command with an answer is judged by its record.
  expect((await api.refresh(refreshToken.possible[0])).status).toBe(200);
  expect(isAssociated.possible).toContain((await api.state(productLogin, { token })).status === 200);
  expect(integrityOf(site.databaseFile)).toBe('ok');
  expect(writtenAudit(site.databaseFile).problems).toEqual([]);
  expect(await site.operator('audit', 'verify')).toMatchObject({ sound: true });
  await pair.renewAgent();
  return readyMs;
}

function integrityOf(databaseFile: string): unknown {
  const db = openSqlite(databaseFile, { readonly: true });
  try {
    return db.pragma('integrity_check', { simple: true });
  } finally {
    db.close();
  }
}

describeWhere(ext4ImageMissing())('the power goes while a server writes', () => {
  const stages = new Map<Pair, Stage>();
  beforeAll(async () => {
    for (let number = 0; number < AT_ONCE; number += 1) {
      const disk = new Ext4Image();
      const site = await Site.start({ pairs: 1, serverDir: join(disk.folder, 'data') });
      const [product] = await site.newProducts(1);
      const [pair] = site.pairs;
      if (pair && product) stages.set(pair, { disk, site, product });
    }
  }, 120_000);
  afterAll(async () => {
    for (const { site, disk } of stages.values()) {
      await site.stop();
      disk.remove();
    }
  }, 60_000);

  test(
    'T4: associations, tokens and commands that were acknowledged are there, and the database is whole (I8, I9)',
    () =>
      new Fault('T4', 'power loss while files are written', 'running again').play(
        [...stages.keys()],
        SHORT,
        async (pair, chance) => {
          const stage = stages.get(pair);
          if (!stage) throw new Error('no stage');
          return play(stage, pair, chance);
        },
      ),
    PLAY_LIMIT_MS,
  );
});
