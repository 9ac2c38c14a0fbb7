/** T4: the power goes while the server writes its database. What was not synced is lost (EXT4_IOC_SHUTDOWN). */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openSqlite } from '@relaygate/server/storage/sqlite/sqlite';
import type { TokenPair } from '@relaygate/shared';
import { monotonicNowMs } from '@relaygate/shared/system';
import type { SeededChance } from '../support/chance/seeded-chance';
import { Acknowledged, type Both, nextOf } from '../support/faults/acknowledged';
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
  /** Associated and dissociated all the time, in turn. */
  readonly products: readonly [Provisioned, Provisioned];
}

async function play({ disk, site, products }: Stage, pair: Pair, chance: SeededChance): Promise<number> {
  const api = v1(site.url);
  await site.logIn();
  const { token } = site;
  const [first, second] = products;
  const isAssociated = async ({ productLogin }: Provisioned): Promise<boolean> =>
    (await api.state(productLogin, { token })).status === 200;
  const areAssociated = async (): Promise<Both> => [await isAssociated(first), await isAssociated(second)];
  const associated = new Acknowledged(await areAssociated());
  const refreshToken = new Acknowledged(site.refreshToken);
  const loads = [
    new Load(async () => {
      const [current] = associated.possible;
      const { which, isOn, both } = nextOf(current);
      const { productLogin, productKey } = products[which];
      await associated.write(both, async () => {
        const answer = isOn
          ? api.addProduct(productLogin, productKey, { token })
          : api.deleteProduct(productLogin, { token });
        expect((await answer).status).toBe(isOn ? 201 : 204);
      });
    }, isServerGone),
    new Load(async () => {
      const [current] = refreshToken.possible;
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
  expect(associated.possible).toContainEqual(await areAssociated());
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
      const [first, second] = await site.newProducts(2);
      const [pair] = site.pairs;
      if (pair && first && second) stages.set(pair, { disk, site, products: [first, second] });
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
