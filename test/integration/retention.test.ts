import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { FIRST_SWEEP_MS } from '@relaygate/server/upkeep/retention';
import { MAX_ROWS_PER_SWEEP_WRITE, REFRESH_IDLE_MS } from '@relaygate/shared';
import { v1 } from '../support/server/api-client';
import { startTestServer, type TestServer } from '../support/server/test-server';
import { VirtualClock } from '../support/time/virtual-clock';
import { eventually } from '../support/time/waiting';

const DAY_MS = 24 * 3_600_000;
const clock = new VirtualClock();

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ clock, settings: { keepSessionsDays: '5' } });
});
afterAll(async () => {
  const stopped = server.stop();
  await clock.advance(10_000);
  await stopped;
});

test('a running server removes login sessions that ended long ago, and a living one goes on', async () => {
  const client = await server.newClient();
  const { refreshToken } = (await v1(server.url).login(client.clientKey)).json as { refreshToken: string };
  const sessions = MAX_ROWS_PER_SWEEP_WRITE + 10;
  const make = (n: number, ageMs: number) =>
    server.storage.createFamily({
      ...{ familyId: `family-${n}`, clientId: client.clientId, keyId: client.keyId, generation: 0, tokenHash: '' },
      ...{ rotatedAtMs: server.wallMs() - ageMs, revoked: false },
    });
  for (let n = 0; n < sessions; n += 1) await make(n, REFRESH_IDLE_MS + 5 * DAY_MS + 60_000);
  await make(sessions, REFRESH_IDLE_MS + 4 * DAY_MS);
  expect(server.familiesOf(client.clientId)).toBe(sessions + 2);
  // The wall clock goes as far as the monotonic one.
  server.jumpWallClock(FIRST_SWEEP_MS);
  await clock.advance(FIRST_SWEEP_MS);
  await eventually(() => {
    void clock.advance(100);
    return server.familiesOf(client.clientId) === 2;
  });
  expect((await v1(server.url).refresh(refreshToken)).status).toBe(200);
});
