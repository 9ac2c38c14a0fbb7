import { beforeEach, expect, test } from '@jest/globals';
import { KeptSession } from '@relaygate/server/storage/postgresql/kept-session';
import type { Session } from '@relaygate/server/storage/postgresql/session';
import { RelaygateError } from '@relaygate/shared';
import { VirtualClock } from '../../../../support/time/virtual-clock';

/** Longer than a connection that ended as soon as it was opened. */
const HELD_MS = 1_000;

let clock: VirtualClock;
let tries: number;
let isAway: boolean;
let lose: () => void;

beforeEach(() => {
  clock = new VirtualClock();
  tries = 0;
  isAway = false;
});

/** A connection that is lost when the test says so. */
async function open(): Promise<Session> {
  tries += 1;
  if (isAway) throw new RelaygateError('storage-unavailable', 'The database is away.');
  const session: Pick<Session, 'onLoss' | 'kill'> = {
    onLoss: (run) => {
      lose = run;
    },
    kill: () => {},
  };
  return session as Session;
}

/** No chance: each pause is the longest. */
const keep = () => KeptSession.open({ open, clock, randomness: { fraction: () => 1 } });

test('a connection that has held is opened again at once, then with growing pauses', async () => {
  const kept = await keep();
  await clock.advance(HELD_MS);
  isAway = true;
  lose();
  await clock.advance(0);
  expect(tries).toBe(2);
  await clock.advance(200 + 400 + 800);
  expect(tries).toBe(5);
  isAway = false;
  await clock.advance(5_000);
  expect(kept.session).toBeDefined();
});

test('a connection that ends as soon as it is opened is not opened again without a pause', async () => {
  await keep();
  lose();
  await clock.advance(0);
  expect(tries).toBe(1);
  await clock.advance(200);
  expect(tries).toBe(2);
});

test('whoever asks in a short outage waits for its end; in a long one the reason comes at once', async () => {
  const kept = await keep();
  isAway = true;
  lose();
  const early = kept.within(50);
  await clock.advance(50);
  expect(await early).toBeUndefined();
  await clock.advance(1_000);
  await expect(kept.within(50)).rejects.toMatchObject({ message: 'The database is away.' });
});

test('a pause ends when another connection could be opened', async () => {
  const kept = await keep();
  isAway = true;
  lose();
  await clock.advance(20_000);
  isAway = false;
  kept.hurry();
  await clock.advance(0);
  expect(kept.session).toBeDefined();
});
