import { describe, expect, test } from '@jest/globals';
import type { Idempotency } from '@relaygate/server/commands/command-store';
import { KEY_TURNS_KEPT } from '@relaygate/server/upkeep/key-release';
import { IDEMPOTENCY_ANEW_MS, IDEMPOTENCY_KEY_KEPT_MS } from '@relaygate/shared';
import { recordsIn } from '../../support/server/audit-records';
import { freshStorage } from './fresh-storage';
import { client, command, NOW_MS, outcome, withLinkedGate } from './samples';
import type { StorageUnderTest } from './storage-under-test';

const KEY = 'key of the app';
const under = (key: string, changes: Partial<Idempotency> = {}) => ({
  idempotency: { key, requestHash: 'asked', insteadOf: null, ...changes },
});
const ended = (outcomeOf: 'expired' | 'refused' | 'executed' | 'unknown') => ({ outcome: outcomeOf, observed: null });
/** What a busy machine may take for a few statements. */
const SLACK_MS = 10_000;

/** A key of a client stands for at most one execution (I1). */
export function storageKeyContract(adapter: StorageUnderTest): void {
  describe('keys of commands', () => {
    const storage = freshStorage(adapter, async (fresh) => {
      await withLinkedGate(fresh);
      await fresh.createClient(client('other'));
    });
    const keyed = (clientId = 'app') => storage.current.findKeyed(clientId, KEY);
    const passTurns = async (from: number, to: number): Promise<void> => {
      for (let turns = from; turns < to; turns += 1) await storage.current.passKeyTurn(turns);
    };
    const age = (ms: number) =>
      adapter.execute?.(storage.current, `UPDATE commands SET key_since_ms = key_since_ms - ${ms}`);

    test('a key stands for the command that was recorded under it, in each phase of it, and after a restart', async () => {
      expect(await keyed()).toBeUndefined();
      expect(await storage.current.recordCommand(command('c1', under(KEY)))).toBe(true);
      expect(await keyed()).toMatchObject({ commandId: 'c1', requestHash: 'asked', outcome: 'pending', reason: null });
      await storage.current.recordOutcome(outcome('c1', { ...ended('refused'), reason: 'locked' }));
      if (adapter.reopen) await storage.reopen();
      expect(await keyed()).toMatchObject({ commandId: 'c1', outcome: 'refused', reason: 'locked' });
      const { ageMs = Number.NaN } = (await keyed()) ?? {};
      expect(ageMs).toBeGreaterThanOrEqual(0);
      expect(ageMs).toBeLessThan(SLACK_MS);
    });

    test('a second command under it is not recorded, and leaves no trace', async () => {
      await storage.current.recordCommand(command('c1', under(KEY)));
      const before = await recordsIn(storage.current);
      expect(await storage.current.recordCommand(command('c2', under(KEY)))).toBe(false);
      expect(await storage.current.findCommand('c2')).toBeUndefined();
      expect(await recordsIn(storage.current)).toEqual(before);
      expect(await keyed()).toMatchObject({ commandId: 'c1' });
    });

    test('of two at once one is recorded', async () => {
      const both = ['c1', 'c2'].map((id) => storage.current.recordCommand(command(id, under(KEY))).catch(() => false));
      expect((await Promise.all(both)).filter(Boolean)).toHaveLength(1);
    });

    test('other clients and commands without a key are not concerned', async () => {
      await storage.current.recordCommand(command('c1', under(KEY)));
      expect(await storage.current.recordCommand(command('c2', { clientId: 'other', ...under(KEY) }))).toBe(true);
      expect(await storage.current.recordCommand(command('c3'))).toBe(true);
      expect(await storage.current.recordCommand(command('c4'))).toBe(true);
      expect(await keyed('other')).toMatchObject({ commandId: 'c2' });
    });

    test.each(['expired', 'refused'] as const)(
      'a command that was %s may give its key to another one, once',
      async (how) => {
        await storage.current.recordCommand(command('c1', under(KEY)));
        await storage.current.recordOutcome(outcome('c1', ended(how)));
        const since = (await keyed())?.ageMs ?? 0;
        expect(await storage.current.recordCommand(command('c2', under(KEY, { insteadOf: 'c1' })))).toBe(true);
        expect(await storage.current.recordCommand(command('c3', under(KEY, { insteadOf: 'c1' })))).toBe(false);
        expect(await keyed()).toMatchObject({ commandId: 'c2', outcome: 'pending' });
        // It is as old as it was.
        expect((await keyed())?.ageMs).toBeGreaterThanOrEqual(since);
        expect(await storage.current.findCommand('c1')).toMatchObject({ outcome: how });
      },
    );

    test.each(['executed', 'unknown', 'pending'] as const)('one that is %s keeps its key', async (how) => {
      await storage.current.recordCommand(command('c1', under(KEY)));
      if (how !== 'pending') await storage.current.recordOutcome(outcome('c1', ended(how)));
      expect(await storage.current.recordCommand(command('c2', under(KEY, { insteadOf: 'c1' })))).toBe(false);
      expect(await keyed()).toMatchObject({ commandId: 'c1', outcome: how });
    });

    if (adapter.execute) {
      test('nor does one whose key came long ago, or in the future of the clock', async () => {
        await storage.current.recordCommand(command('c1', under(KEY)));
        await storage.current.recordOutcome(outcome('c1', ended('expired')));
        const anew = () => storage.current.recordCommand(command('c2', under(KEY, { insteadOf: 'c1' })));
        await age(IDEMPOTENCY_ANEW_MS);
        expect(await anew()).toBe(false);
        await age(-IDEMPOTENCY_ANEW_MS - SLACK_MS);
        expect(await anew()).toBe(false);
        await age(SLACK_MS);
        expect(await anew()).toBe(true);
      });

      test('one that is days old by the clock stands for its command: the clock may be wrong', async () => {
        await storage.current.recordCommand(command('c1', under(KEY)));
        await age(99 * IDEMPOTENCY_KEY_KEPT_MS);
        expect(await keyed()).toMatchObject({ commandId: 'c1' });
        expect(await storage.current.recordCommand(command('c2', under(KEY)))).toBe(false);
      });
    }

    test('keys are due at the second day that ends after their command, oldest first; then they stand for nothing', async () => {
      const { current } = storage;
      const ids = ['c1', 'c2', 'c3', 'c4'];
      for (const id of ids) await current.recordCommand(command(id, under(`key of ${id}`)));
      const kept = async (): Promise<string[]> => {
        const found = await Promise.all([...ids, 'c5'].map((id) => current.findKeyed('app', `key of ${id}`)));
        return found.flatMap((row) => row?.commandId ?? []);
      };
      await passTurns(0, KEY_TURNS_KEPT);
      await current.recordCommand(command('c5', under('key of c5')));
      await passTurns(KEY_TURNS_KEPT, 2 * KEY_TURNS_KEPT - 1);
      expect(await current.releaseKeys(3)).toBe(false);
      expect(await kept()).toHaveLength(5);
      await passTurns(2 * KEY_TURNS_KEPT - 1, 2 * KEY_TURNS_KEPT);
      expect(await current.releaseKeys(3)).toBe(true);
      expect(await kept()).toEqual(['c4', 'c5']);
      if (adapter.reopen) await storage.reopen();
      expect(await storage.current.releaseKeys(3)).toBe(false);
      expect(await storage.current.findKeyed('app', 'key of c4')).toBeUndefined();
      expect(await storage.current.findKeyed('app', 'key of c5')).toMatchObject({ commandId: 'c5' });
      expect(await storage.current.recordCommand(command('c6', under('key of c1')))).toBe(true);
      expect(await storage.current.findCommand('c1')).toMatchObject({ outcome: 'pending' });
    });

    test('of servers that count at once one does', async () => {
      const turns = await storage.current.keyTurns();
      await Promise.all([storage.current.passKeyTurn(turns), storage.current.passKeyTurn(turns)]);
      expect(await storage.current.keyTurns()).toBe(turns + 1);
    });

    test('a command is not removed while it has its key, however old the clock says that it is', async () => {
      await storage.current.recordCommand(command('c1', under(KEY)));
      await storage.current.recordOutcome(outcome('c1'));
      await storage.current.recordCommand(command('c2', { acceptedAtMs: NOW_MS + 1 }));
      const range = { beforeMs: NOW_MS + 1, nowMs: NOW_MS + 2, afterId: 0, limit: 9 };
      await storage.current.removeOld('commands', range);
      expect(await keyed()).toMatchObject({ commandId: 'c1' });
      await passTurns(0, 2 * KEY_TURNS_KEPT);
      await storage.current.releaseKeys(9);
      await storage.current.removeOld('commands', range);
      expect(await storage.current.findCommand('c1')).toBeUndefined();
    });
  });
}
