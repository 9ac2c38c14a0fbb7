import { beforeEach, expect, test } from '@jest/globals';
import { LEASE_MS, NodeLease } from '@relaygate/server/nodes/node-lease';
import type { JoiningNode } from '@relaygate/server/nodes/node-store';
import { RelaygateError } from '@relaygate/shared';
import { collectingLog } from '../../../support/server/collecting-log';
import { VirtualClock } from '../../../support/time/virtual-clock';

const SAFE_MS = LEASE_MS - 500;

let clock: VirtualClock;
let joined: JoiningNode[];
let renewedAtMs: number[];
let ended: number;
let lost: number;
let left: string[];
let database: {
  isNameFree: boolean;
  isLeaseLive: boolean;
  hasDead: boolean;
  answer: () => Promise<unknown>;
  ending: () => Promise<void>;
};
let lease: NodeLease;

beforeEach(() => {
  clock = new VirtualClock();
  [joined, renewedAtMs, left, ended, lost] = [[], [], [], 0, 0];
  database = { isNameFree: true, isLeaseLive: true, hasDead: false, answer: async () => {}, ending: async () => {} };
  let bytes = 0;
  lease = new NodeLease({
    store: {
      async joinNodes(node) {
        await database.answer();
        if (database.isNameFree) joined.push(node);
        return database.isNameFree ? 'joined' : 'name-taken';
      },
      async renewLease() {
        renewedAtMs.push(clock.nowMs());
        await database.answer();
        return database.isLeaseLive;
      },
      hasDeadNodes: async () => database.hasDead,
      endDeadNodes: async () => {
        ended += 1;
        await database.ending();
      },
      leaveNodes: async (instance) => void left.push(instance),
    },
    nodeName: 'one',
    secrets: 'mark',
    clock,
    wallClock: clock,
    randomness: { bytes: (size) => new Uint8Array(size).fill(++bytes), fraction: () => 0 },
    log: collectingLog(),
    onLost: () => {
      lost += 1;
    },
  });
});

const wait = (ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve));

test('a lease is renewed every 4 s, and is safe for less than its length since the renewal', async () => {
  await lease.begin();
  const begunMs = clock.nowMs();
  expect(lease.safeUntilMs).toBe(begunMs + SAFE_MS);
  await clock.advance(9_000);
  expect(renewedAtMs.map((atMs) => atMs - begunMs)).toEqual([4_000, 8_000]);
  expect(lease.safeUntilMs).toBe(begunMs + 8_000 + SAFE_MS);
  expect(lost).toBe(0);
});

test('the time counts from when a renewal was sent, not from its answer', async () => {
  await lease.begin();
  const begunMs = clock.nowMs();
  database.answer = () => wait(3_000);
  await clock.advance(7_500);
  expect(lease.safeUntilMs).toBe(begunMs + 4_000 + SAFE_MS);
});

test('a database that is away costs the lease in its time, and all links with it, once', async () => {
  await lease.begin();
  const begunMs = clock.nowMs();
  database.answer = () => Promise.reject(new RelaygateError('storage-unavailable'));
  await clock.advance(SAFE_MS - 1);
  expect(lost).toBe(0);
  await clock.advance(1);
  expect([lost, lease.safeUntilMs <= begunMs + SAFE_MS]).toEqual([1, true]);
  await clock.advance(20_000);
  expect(lost).toBe(1);
});

test('a renewal whose answer comes when its time is over gives no lease', async () => {
  await lease.begin();
  const before = lease.instance;
  database.answer = () => wait(LEASE_MS);
  await clock.advance(4_000 + LEASE_MS + 10);
  expect([lost, lease.safeUntilMs < clock.nowMs(), lease.instance]).toEqual([1, true, before]);
});

test('a node whose renewal is refused closes its links and joins as another instance', async () => {
  await lease.begin();
  const before = lease.instance;
  database.isLeaseLive = false;
  await clock.advance(4_000);
  expect([lost, joined.length]).toEqual([1, 2]);
  expect(lease.instance).not.toBe(before);
  expect(lease.safeUntilMs).toBe(clock.nowMs() + SAFE_MS);
});

test('a node that renounces its lease, because a standby is the database now, closes its links and joins anew', async () => {
  await lease.begin();
  const before = lease.instance;
  lease.renounce();
  expect([lost, lease.safeUntilMs]).toEqual([1, clock.nowMs()]);
  await clock.advance(1_000);
  expect([left, renewedAtMs, joined.length]).toEqual([[before], [], 2]);
  expect(lease.safeUntilMs).toBe(clock.nowMs() + SAFE_MS);
});

test('a process that was frozen past its lease has lost it before it does anything else', async () => {
  await lease.begin();
  clock.holdUp(LEASE_MS + 1);
  expect(lease.safeUntilMs).toBeLessThan(clock.nowMs());
  database.isLeaseLive = false;
  database.isNameFree = false;
  await clock.advance(0);
  expect(lost).toBe(1);
  await clock.advance(3_000);
  expect(lease.safeUntilMs).toBeLessThan(clock.nowMs());
});

test('a server that was killed and is started again waits for the end of its own lease', async () => {
  database.isNameFree = false;
  const begun = lease.begin();
  await clock.advance(LEASE_MS - 500);
  expect(joined).toEqual([]);
  database.isNameFree = true;
  await clock.advance(500);
  await begun;
  expect(joined).toMatchObject([{ name: 'one' }]);
});

test('a name that another node keeps is an error at the start', async () => {
  database.isNameFree = false;
  const begun = expect(lease.begin()).rejects.toMatchObject({ code: 'already-running' });
  await clock.advance(LEASE_MS + 1_000);
  await begun;
  expect(clock.pendingTimers).toBe(0);
  await lease.stop();
  expect(left).toEqual([]);
});

test('what a dead node has left is ended within a second', async () => {
  await lease.begin();
  await clock.advance(2_500);
  expect(ended).toBe(0);
  database.hasDead = true;
  await clock.advance(1_000);
  expect(ended).toBe(1);
});

test('what a dead node has left does not hold up the renewal, and is ended once at a time', async () => {
  await lease.begin();
  database.hasDead = true;
  database.ending = () => new Promise(() => {});
  await clock.advance(9_000);
  expect(ended).toBe(1);
  expect(renewedAtMs).toHaveLength(2);
  expect(lost).toBe(0);
});

test('at its stop a node gives its lease back and renews it no more', async () => {
  await lease.begin();
  await lease.stop();
  expect(left).toEqual([lease.instance]);
  await clock.advance(20_000);
  expect([renewedAtMs, lost, clock.pendingTimers]).toEqual([[], 0, 0]);
});
