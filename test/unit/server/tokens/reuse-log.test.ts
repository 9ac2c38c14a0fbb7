import { createSecretKey } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Log } from '@relaygate/server/log/log';
import { openSqliteStorage } from '@relaygate/server/storage/sqlite/sqlite-storage';
import type { Storage } from '@relaygate/server/storage/storage';
import { ReuseLog } from '@relaygate/server/tokens/reuse-log';
import { TokenService } from '@relaygate/server/tokens/token-service';
import { MAX_REPLAYS_LOGGED_PER_MINUTE } from '@relaygate/shared';
import { eventsIn } from '../../../support/server/audit-records';

const NOW_MS = Date.UTC(2026, 0, 1);
const MINUTE_MS = 60_000;

let lines: string[];
let nowMs: number;
let log: Log;
beforeEach(() => {
  lines = [];
  nowMs = NOW_MS;
  const to = (level: string) => (fields: Record<string, unknown>, event: string) => {
    lines.push(`${level} ${event}: ${JSON.stringify(fields)}`);
  };
  log = { debug: to('debug'), info: to('info'), warn: to('warn'), error: to('error') };
});
const wallClock = { epochMs: () => nowMs };

describe('a refresh token that comes again', () => {
  let storage: Storage;
  let service: TokenService;
  beforeEach(async () => {
    storage = await openSqliteStorage({ file: ':memory:', writerName: 'node-1', inline: true });
    await storage.createClient({ clientId: 'app', name: 'app', keyId: 'k', keyHash: 'aa', createdAtMs: 0 });
    service = new TokenService({
      store: storage,
      accessKey: { key: createSecretKey(Buffer.alloc(32, 1)), kid: 'k1', issuer: 'relaygate' },
      refreshKey: createSecretKey(Buffer.alloc(32, 2)),
      wallClock,
      randomness: { bytes: (size) => Buffer.alloc(size, 3), fraction: () => 0.5 },
      log,
    });
  });
  afterEach(() => storage.close());
  const refresh = (token: string) => service.refresh(token, async () => true);
  const login = () => service.issue({ clientId: 'app', keyId: 'k' });

  test('within its grace is logged, once for each token that it gives again', async () => {
    const { refreshToken } = await login();
    await refresh(refreshToken);
    expect(lines).toEqual([]);
    await refresh(refreshToken);
    await refresh(refreshToken);
    expect(lines).toEqual([expect.stringMatching(/^info refresh token replayed: .*"clientId":"app"/)]);
    expect(lines.join()).not.toContain(refreshToken);
  });

  test('after it is logged as the end of its login, and is on record', async () => {
    const { refreshToken } = await login();
    await refresh(refreshToken);
    nowMs += MINUTE_MS;
    await expect(refresh(refreshToken)).rejects.toMatchObject({ code: 'bad-token' });
    await expect(refresh(refreshToken)).rejects.toMatchObject({ code: 'bad-token' });
    expect(lines).toEqual([expect.stringMatching(/^warn old refresh token used again.*"clientId":"app"/)]);
    expect((await eventsIn(storage)).at(-1)).toMatchObject({ kind: 'refresh-family-revoked', clientId: 'app' });
  });
});

test('a flood of replays is counted beyond its bound, and reported with the next line (I15)', () => {
  const reuses = new ReuseLog(log, wallClock);
  const family = { clientId: 'app', keyId: 'k', tokenHash: 'h', rotatedAtMs: NOW_MS, revoked: false, generation: 1 };
  for (let n = 0; n < MAX_REPLAYS_LOGGED_PER_MINUTE + 7; n += 1) reuses.replayed({ ...family, familyId: `f${n}` });
  expect(lines).toHaveLength(MAX_REPLAYS_LOGGED_PER_MINUTE);
  nowMs += MINUTE_MS;
  reuses.replayed({ ...family, familyId: 'later' });
  expect(lines.at(-1)).toContain('"more":7');
});
