import { describe, expect, test } from '@jest/globals';
import type { Idempotency } from '@relaygate/server/commands/command-store';
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

    test('keys are released in the order of their commands, as many as asked; then they stand for nothing', async () => {
      for (const id of ['c1', 'c2', 'c3', 'c4'])
        await storage.current.recordCommand(command(id, under(`key of ${id}`)));
      const untilId = await storage.current.lastCommandRow();
      await storage.current.recordCommand(command('c5', under('key of c5')));
      const kept = async (): Promise<string[]> => {
        const ids = ['c1', 'c2', 'c3', 'c4', 'c5'];
        const found = await Promise.all(ids.map((id) => storage.current.findKeyed('app', `key of ${id}`)));
        return found.flatMap((row) => row?.commandId ?? []);
      };
      let afterId: number | null = await storage.current.releaseKeys(0, untilId, 3);
      expect(await kept()).toEqual(['c4', 'c5']);
      afterId = await storage.current.releaseKeys(afterId ?? 0, untilId, 3);
      expect(await kept()).toEqual(['c5']);
      expect(afterId).toBe(untilId);
      expect(await storage.current.releaseKeys(untilId, untilId, 3)).toBeNull();
      expect(await storage.current.recordCommand(command('c6', under('key of c1')))).toBe(true);
      expect(await storage.current.findCommand('c1')).toMatchObject({ outcome: 'pending' });
    });

    test('without a command there is no row', async () => {
      expect(await storage.current.lastCommandRow()).toBe(0);
    });

    test('it is gone with its command', async () => {
      await storage.current.recordCommand(command('c1', under(KEY)));
      await storage.current.recordOutcome(outcome('c1'));
      await storage.current.recordCommand(command('c2', { acceptedAtMs: NOW_MS + 1 }));
      await storage.current.removeOld('commands', { beforeMs: NOW_MS + 1, nowMs: NOW_MS + 2, afterId: 0, limit: 9 });
      expect(await keyed()).toBeUndefined();
    });
  });
}
