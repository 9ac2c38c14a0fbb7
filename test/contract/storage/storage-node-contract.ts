import { describe, expect, test } from '@jest/globals';
import { refusalOf } from '@relaygate/server/commands/drive-output';
import { LEASE_MS } from '@relaygate/server/nodes/node-lease';
import { eventsIn } from '../../support/server/audit-records';
import { freshStorage } from './fresh-storage';
import { command, NOW_MS, opening, outcome, product, report, withAppAndGate } from './samples';
import type { StorageUnderTest } from './storage-under-test';

const LONG_MS = 60_000;

/** Nodes that share the database: their leases, whose each product is, and the fence of commands. */
export function storageNodeContract(adapter: StorageUnderTest): void {
  describe('nodes', () => {
    const storage = freshStorage(adapter, async (fresh) => {
      await withAppAndGate(fresh);
      await fresh.enrolDevice('gate', 'public-1', 'code of gate', NOW_MS);
    });
    const join = (name: string, leaseMs = LONG_MS, instance = `${name}-1`, secrets = 'mark') =>
      storage.current.joinNodes({ name, instance, secrets }, leaseMs, NOW_MS + 90);
    const open = (name: string) => storage.current.openLink('gate', opening({ node: `${name}-1` }));
    const record = (commandId: string, name: string, changes = {}) =>
      storage.current.recordCommand(command(commandId, { node: `${name}-1`, ...changes }));
    const owner = (asker = 'nobody') => storage.current.productOwner('gate', asker);
    const ownerByAccess = async () => (await storage.current.readAccess('app', 'gate', 0))?.owner;
    const connected = async () => (await storage.current.findProduct('gate'))?.connected;
    const endLease = (name: string) => storage.current.renewLease(`${name}-1`, 0);

    test('a second node of one name joins only after the lease of the first is over', async () => {
      expect(await join('one')).toBe('joined');
      expect(await join('one', LONG_MS, 'one-2')).toBe('name-taken');
      expect(await join('two')).toBe('joined');
      expect(await storage.current.livingNodes()).toEqual(['one', 'two']);
      await endLease('one');
      expect(await storage.current.livingNodes()).toEqual(['two']);
      expect(await join('one', LONG_MS, 'one-2')).toBe('joined');
      expect(await storage.current.renewLease('one-1', LONG_MS)).toBe(false);
    });

    test('a node of other secrets joins only when no other has a lease', async () => {
      await join('one');
      expect(await join('two', LONG_MS, 'two-1', 'other mark')).toBe('other-secrets');
      expect(await storage.current.livingNodes()).toEqual(['one']);
      await endLease('one');
      expect(await join('two', LONG_MS, 'two-1', 'other mark')).toBe('joined');
    });

    test('of two starts of one name at once, one joins', async () => {
      expect((await Promise.all([join('one'), join('one', LONG_MS, 'one-2')])).sort()).toEqual([
        'joined',
        'name-taken',
      ]);
    });

    test('a lease is renewed while it lasts, and never revived', async () => {
      await join('one');
      expect(await storage.current.renewLease('one-1', LONG_MS)).toBe(true);
      expect(await storage.current.hasDeadNodes()).toBe(false);
      await endLease('one');
      expect(await storage.current.renewLease('one-1', LONG_MS)).toBe(false);
      expect(await storage.current.hasDeadNodes()).toBe(true);
      expect(await storage.current.renewLease('unknown', LONG_MS)).toBe(false);
    });

    test('a node that opens a link owns the product, and goes on owning it when the link is down', async () => {
      await join('one');
      expect(await owner()).toEqual({
        nodeName: null,
        epoch: 0,
        isConnected: false,
        isWorthWaiting: false,
        isSlotTaken: false,
      });
      expect(await open('one')).toBe(1);
      expect(await owner()).toEqual({
        nodeName: 'one',
        epoch: 1,
        isConnected: true,
        isWorthWaiting: true,
        isSlotTaken: false,
      });
      await storage.current.closeLink('gate', 1, NOW_MS);
      expect(await owner()).toEqual({
        nodeName: 'one',
        epoch: 1,
        isConnected: false,
        isWorthWaiting: true,
        isSlotTaken: false,
      });
      expect(await storage.current.productOwner('nothing', 'one-1')).toBeUndefined();
    });

    test('who reads what a client may is told the owner too, as long as that lives', async () => {
      await join('one');
      expect(await ownerByAccess()).toBeUndefined();
      await open('one');
      expect(await ownerByAccess()).toEqual({ nodeName: 'one', epoch: 1, isWorthWaiting: true });
      await endLease('one');
      expect(await ownerByAccess()).toBeUndefined();
    });

    test('a node without a lease opens no link', async () => {
      await join('one');
      await endLease('one');
      await expect(open('one')).rejects.toMatchObject({ code: 'unknown' });
      expect(await owner()).toMatchObject({ nodeName: null, epoch: 0 });
    });

    test("a command is recorded by the product's owner alone, and a refused one costs no other", async () => {
      await join('one');
      await join('two');
      await storage.current.createProduct(product('door'));
      await storage.current.associate('app', 'door', NOW_MS);
      await storage.current.claimProduct('door', 'two-1');
      await open('one');
      const written = await Promise.allSettled([
        record('c1', 'one'),
        record('c2', 'two'),
        record('c3', 'two', { productLogin: 'door' }),
      ]);
      expect(written.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect(written[1]).toMatchObject({ reason: { code: 'unknown' } });
      expect(await storage.current.findCommand('c2')).toBeUndefined();
      expect((await eventsIn(storage.current)).map(({ commandId }) => commandId)).not.toContain('c2');
    });

    test('the owner before records nothing any more once another node has opened a link (T34)', async () => {
      await join('one');
      await join('two');
      await open('one');
      expect(await open('two')).toBe(2);
      await expect(record('c1', 'one')).rejects.toMatchObject({ code: 'unknown' });
      await record('c2', 'two');
    });

    test('records no command that its client may not give any more, whatever was read before (I13)', async () => {
      const { current } = storage;
      await join('one');
      await open('one');
      const changes: Record<string, (isBack: boolean) => Promise<unknown>> = {
        client: (isBack) => current.setClientActive('app', isBack, NOW_MS),
        association: (isBack) => (isBack ? current.associate : current.dissociate)('app', 'gate', NOW_MS),
        product: (isBack) => current.setProductActivated('gate', isBack, NOW_MS),
        output: (isBack) => current.setOutputActivated('gate', 1, isBack, NOW_MS),
      };
      for (const [what, change] of Object.entries(changes)) {
        await change(false);
        const access = await current.readAccess('app', 'gate', 1);
        expect([what, await record(`not-by-${what}`, 'one')]).toEqual([what, refusalOf(access) === undefined]);
        expect(refusalOf(access)).toBeDefined();
        await change(true);
        expect(await record(`by-${what}`, 'one')).toBe(true);
      }
      const written = [
        record('c1', 'one'),
        record('no-output', 'one', { numOutput: 2 }),
        record('nobody', 'one', { clientId: 'nobody' }),
      ];
      expect(await Promise.all(written)).toEqual([true, false, false]);
      expect((await eventsIn(current)).map(({ commandId }) => commandId)).not.toContain('nobody');
    });

    test('a command that is not recorded leaves its key to the command before', async () => {
      const { current } = storage;
      const withKey = (insteadOf: string | null) => ({ idempotency: { key: 'key', requestHash: 'hash', insteadOf } });
      await join('one');
      await open('one');
      expect(await record('c1', 'one', withKey(null))).toBe(true);
      await current.recordOutcome(outcome('c1', { outcome: 'expired', observed: null }));
      await current.dissociate('app', 'gate', NOW_MS);
      expect(await record('c2', 'one', withKey('c1'))).toBe(false);
      expect(await current.findKeyed('app', 'key')).toMatchObject({ commandId: 'c1' });
      await current.associate('app', 'gate', NOW_MS);
      expect(await record('c3', 'one', withKey('c1'))).toBe(true);
      expect(await current.findKeyed('app', 'key')).toMatchObject({ commandId: 'c3' });
    });

    test('reports and the end of the link before count no more (I12)', async () => {
      await join('one');
      await join('two');
      await open('one');
      await open('two');
      expect(await storage.current.saveReport('gate', 1, report())).toBe(false);
      await storage.current.closeLink('gate', 1, NOW_MS + 5);
      expect(await connected()).toBe(true);
      const held = { epoch: 1, publicKey: 'public-1', bootId: 'boot-1', agentVersion: '1', atMs: NOW_MS };
      await storage.current.settleLink('gate', held, NOW_MS, 'one-1');
      await storage.current.settleLink('gate', null, NOW_MS, 'one-1');
      expect(await owner()).toMatchObject({ nodeName: 'two', epoch: 2, isConnected: true });
      await storage.current.settleLink('gate', null, NOW_MS, 'two-1');
      expect(await owner()).toMatchObject({ nodeName: 'two', isConnected: false });
    });

    test('a new owner leaves the command slot to the command of the old one, until its outcome (I6)', async () => {
      await join('one');
      await join('two');
      await open('one');
      await record('c1', 'one');
      await open('two');
      expect(await owner('two-1')).toMatchObject({ isSlotTaken: true });
      expect(await owner('one-1')).toMatchObject({ isSlotTaken: false });
      await expect(record('c2', 'two')).rejects.toMatchObject({ code: 'unknown' });
      // Also when it has been interrupted: the device may be at work.
      await storage.current.recordOutcome(outcome('c1', { outcome: 'unknown', observed: null }));
      await expect(record('c2', 'two')).rejects.toMatchObject({ code: 'unknown' });
      await storage.current.recordOutcome(outcome('c1'));
      await record('c2', 'two');
      expect(await owner('two-1')).toMatchObject({ isSlotTaken: false });
    });

    if (adapter.execute) {
      test('where the clock has gone back, a lease ends a whole one later at most, and no slot lasts longer (I6)', async () => {
        const execute = (statement: string) => adapter.execute?.(storage.current, statement);
        await join('one', LEASE_MS);
        await join('two', LEASE_MS);
        await open('one');
        await record('c1', 'one');
        await execute('UPDATE commands SET slot_until_ms = slot_until_ms + 3600000');
        await execute('UPDATE nodes SET lease_until_ms = lease_until_ms + 3600000');
        await open('two');
        expect(await owner('two-1')).toMatchObject({ nodeName: 'two', isSlotTaken: false });
        expect(await record('c2', 'two')).toBe(true);
        expect(await storage.current.renewLease('two-1', LEASE_MS)).toBe(true);
        expect(await storage.current.livingNodes()).toEqual(['one', 'two']);
        await execute(`UPDATE nodes SET lease_until_ms = lease_until_ms - ${LEASE_MS} WHERE name = 'one'`);
        expect(await storage.current.livingNodes()).toEqual(['two']);
      });

      test('a node that starts anew waits for no lease from before the clock went back', async () => {
        await join('one', LEASE_MS);
        await adapter.execute?.(storage.current, 'UPDATE nodes SET lease_until_ms = lease_until_ms + 3600000');
        expect(await join('one', LEASE_MS, 'one-2')).toBe('name-taken');
        await adapter.execute?.(storage.current, `UPDATE nodes SET lease_until_ms = lease_until_ms - ${LEASE_MS}`);
        expect(await join('one', LEASE_MS, 'one-2')).toBe('joined');
      });
    }

    test('the commands of the node itself, and those that were never sent, keep no slot', async () => {
      await join('one');
      await join('two');
      await open('one');
      await record('c1', 'one');
      await record('c2', 'one');
      await storage.current.recordOutcome(outcome('c1'));
      await storage.current.recordOutcome(outcome('c2'));
      await record('c3', 'one', { outcome: 'expired', reason: 'not-linked' });
      await open('two');
      await record('c4', 'two');
    });

    test('a product without a living owner is claimed by one node, and the link before is superseded', async () => {
      await join('one');
      await join('two');
      await open('one');
      await storage.current.claimProduct('gate', 'two-1');
      expect(await owner()).toMatchObject({ nodeName: 'one', epoch: 1 });
      await endLease('one');
      expect(await owner()).toMatchObject({ nodeName: null, isConnected: true });
      await storage.current.claimProduct('gate', 'one-1');
      expect(await owner()).toMatchObject({ nodeName: null });
      await storage.current.claimProduct('gate', 'two-1');
      expect(await owner()).toMatchObject({ nodeName: 'two', epoch: 2, isConnected: false });
      expect(await storage.current.saveReport('gate', 1, report())).toBe(false);
      await expect(record('c1', 'one')).rejects.toMatchObject({ code: 'unknown' });
      await record('c2', 'two', { outcome: 'expired', reason: 'not-linked' });
    });

    test('what a dead node has left ends: its links are down, its pending commands unknown; of a living one nothing', async () => {
      await join('one');
      await join('two');
      await storage.current.createProduct(product('door'));
      await storage.current.associate('app', 'door', NOW_MS);
      await storage.current.enrolDevice('door', 'public-2', 'code of door', NOW_MS);
      await storage.current.openLink('door', opening({ publicKey: 'public-2', node: 'two-1' }));
      await open('one');
      await record('c1', 'one');
      await record('c2', 'two', { productLogin: 'door' });
      await storage.current.endDeadNodes(NOW_MS + 100);
      expect(await connected()).toBe(true);
      await endLease('one');
      expect(await storage.current.pendingCommands(5, 'two-1')).toEqual(['c1', 'c2']);
      await storage.current.endDeadNodes(NOW_MS + 100);
      expect(await storage.current.hasDeadNodes()).toBe(false);
      expect([await connected(), (await storage.current.findProduct('door'))?.connected]).toEqual([false, true]);
      expect(await storage.current.findCommand('c1')).toMatchObject({ outcome: 'unknown', reason: 'server-restarted' });
      expect(await storage.current.findCommand('c2')).toMatchObject({ outcome: 'pending' });
    });

    test('a node that joins ends what was left under its name, and what a server left that ran alone', async () => {
      await storage.current.openLink('gate', opening());
      await storage.current.recordCommand(command('c1'));
      await join('one');
      expect(await connected()).toBe(false);
      expect(await storage.current.findCommand('c1')).toMatchObject({ outcome: 'unknown' });
      await open('one');
      await record('c2', 'one');
      await endLease('one');
      await join('one', LONG_MS, 'one-2');
      expect(await connected()).toBe(false);
      expect(await storage.current.findCommand('c2')).toMatchObject({ outcome: 'unknown' });
    });

    test('a node that leaves gives its products up at once', async () => {
      await join('one');
      await join('two');
      await open('one');
      await storage.current.leaveNodes('one-1', NOW_MS);
      expect(await connected()).toBe(false);
      await storage.current.claimProduct('gate', 'two-1');
      expect(await owner()).toMatchObject({ nodeName: 'two' });
    });

    test('the pending commands of another node that lives are not for the sweep', async () => {
      await join('one');
      await join('two');
      await open('one');
      await record('c1', 'one');
      expect(await storage.current.pendingCommands(5, 'two-1')).toEqual([]);
      expect(await storage.current.pendingCommands(5, 'one-1')).toEqual(['c1']);
    });

    test('whose link a product has shows to who asks what changed', async () => {
      await join('one');
      const { cursor } = await storage.current.linksSince(new Map());
      expect((await storage.current.linksSince(cursor)).links).toEqual([]);
      await open('one');
      const { links, cursor: next } = await storage.current.linksSince(cursor);
      expect(links).toEqual([{ productLogin: 'gate', epoch: 1, node: 'one-1', isConnected: true }]);
      expect((await storage.current.linksSince(next)).links).toEqual([]);
    });
  });
}
