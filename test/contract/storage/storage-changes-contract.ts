import { describe, expect, test } from '@jest/globals';
import type { Change } from '@relaygate/server/changes/change';
import type { Cursor } from '@relaygate/server/changes/cursor';
import { type Storage, WRITES } from '@relaygate/server/storage/storage';
import type { ReportedInput } from '@relaygate/shared';
import { freshStorage } from './fresh-storage';
import { CONTACT, command, NOW_MS, opening, outcome, product, report, withAppAndGate } from './samples';
import type { StorageUnderTest } from './storage-under-test';

const HELD = { epoch: 1, publicKey: 'public-1', bootId: 'boot-1', agentVersion: '1.2.3', atMs: NOW_MS };
const DOOR = { numOutput: 0, name: 'Gate', mode: 'impulse', state: 0, pulseMs: 700 } as const;
const LAMP = { numOutput: 1, name: 'Lamp', mode: 'on-off', state: 1, pulseMs: 500 } as const;

const OPEN = { ...CONTACT, state: 'open' };
const withInputs = (seq: number, inputs: ReportedInput[]) =>
  report({ seq, inputs, outputs: [], faults: ['board lost'] });

/** What is written, one after the other, and what of it is a change. */
const STEPS: readonly [write: (storage: Storage) => Promise<unknown>, changes: object[]][] = [
  [
    (storage) => storage.createProduct(product('door', { productId: 2 })),
    [
      { kind: 'product', productLogin: 'door', activated: true, enrolled: false, connected: false },
      { kind: 'output', productLogin: 'door', numOutput: 0, activated: true, state: null },
      { kind: 'output', productLogin: 'door', numOutput: 1 },
    ],
  ],
  [(storage) => storage.setProductActivated('gate', false, NOW_MS), [{ productLogin: 'gate', activated: false }]],
  [(storage) => storage.setProductActivated('gate', false, NOW_MS), []],
  [
    (storage) => storage.setOutputActivated('gate', 1, false, NOW_MS),
    [{ kind: 'output', numOutput: 1, activated: false }],
  ],
  [(storage) => storage.setOutputActivated('gate', 1, false, NOW_MS), []],
  [
    (storage) => storage.enrolDevice('gate', 'public-1', 'code of gate', NOW_MS),
    [{ productLogin: 'gate', enrolled: true }],
  ],
  [
    (storage) => storage.openLink('gate', opening()),
    [{ productLogin: 'gate', connected: true, lastSeenAtMs: NOW_MS, agentVersion: '1.2.3' }],
  ],
  [
    (storage) => storage.saveReport('gate', 1, report()),
    [
      { productLogin: 'gate', ...DOOR, observedAtMs: NOW_MS + 10, confirmedBy: 'readback', lockedUntilMs: null },
      { productLogin: 'gate', ...LAMP, activated: false },
    ],
  ],
  [(storage) => storage.saveReport('gate', 1, report({ seq: 2, observedAtMs: NOW_MS + 20 })), []],
  [
    (storage) => storage.saveReport('gate', 1, report({ seq: 3, outputs: [DOOR, { ...LAMP, state: 0 }] })),
    [{ numOutput: 1, state: 0 }],
  ],
  [
    (storage) => storage.saveReport('gate', 1, report({ seq: 4, outputs: [{ ...DOOR, name: 'Door' }] })),
    [{ numOutput: 0, name: 'Door' }],
  ],
  [
    (storage) => storage.saveReport('gate', 1, report({ seq: 5, outputs: [], faults: ['board lost'] })),
    [{ kind: 'product', faults: ['board lost'] }],
  ],
  [
    (storage) => storage.saveReport('gate', 1, withInputs(6, [CONTACT])),
    [{ kind: 'product', productLogin: 'gate', inputs: [{ ...CONTACT, observedAtMs: NOW_MS + 10 }] }],
  ],
  [(storage) => storage.saveReport('gate', 1, { ...withInputs(7, [CONTACT]), observedAtMs: NOW_MS + 20 }), []],
  [
    (storage) => storage.saveReport('gate', 1, withInputs(8, [OPEN])),
    [{ kind: 'product', inputs: [{ ...OPEN, observedAtMs: NOW_MS + 10 }] }],
  ],
  [(storage) => storage.saveReport('gate', 1, withInputs(9, [])), [{ kind: 'product', inputs: [] }]],
  [
    (storage) => storage.recordCommand(command('c1')),
    [{ kind: 'command', commandId: 'c1', productLogin: 'gate', clientId: 'app', numOutput: 1, outcome: 'pending' }],
  ],
  [(storage) => storage.recordBoot('c1', 'boot-2'), []],
  [
    (storage) =>
      storage.recordOutcome(outcome('c1', { observed: { numOutput: 1, state: 1, version: { epoch: 1, seq: 6 } } })),
    [
      { kind: 'command', commandId: 'c1', outcome: 'executed', resolvedAtMs: NOW_MS + 40 },
      { kind: 'output', numOutput: 1, state: 1, observedAtMs: NOW_MS + 40 },
    ],
  ],
  [(storage) => storage.recordOutcome(outcome('c1')), []],
  [(storage) => storage.recordCommand(command('c2')), [{ commandId: 'c2', outcome: 'pending' }]],
  [(storage) => storage.interruptPending(NOW_MS + 50), [{ commandId: 'c2', outcome: 'unknown' }]],
  [(storage) => storage.interruptPending(NOW_MS + 50), []],
  [(storage) => storage.recordCommand(command('c3')), [{ commandId: 'c3', outcome: 'pending' }]],
  [(storage) => storage.interruptCommands(['c3'], NOW_MS + 50), [{ commandId: 'c3', outcome: 'unknown' }]],
  [(storage) => storage.interruptCommands(['c3'], NOW_MS + 50), []],
  [
    (storage) => storage.recordOutcome(outcome('c2', { outcome: 'confirmed-late', observed: null })),
    [{ commandId: 'c2', outcome: 'confirmed-late' }],
  ],
  [
    (storage) => storage.closeLink('gate', 1, NOW_MS + 60),
    [{ productLogin: 'gate', connected: false, lastSeenAtMs: NOW_MS + 60 }],
  ],
  [(storage) => storage.openLink('gate', opening()), [{ productLogin: 'gate', connected: true }]],
  [(storage) => storage.settleLink('gate', null, NOW_MS + 70), [{ productLogin: 'gate', connected: false }]],
  [(storage) => storage.settleLink('gate', HELD, NOW_MS + 80), [{ productLogin: 'gate', connected: true }]],
  [
    (storage) => storage.enrolDevice('door', 'public-2', 'code of door', NOW_MS),
    [{ productLogin: 'door', enrolled: true }],
  ],
  [
    (storage) => storage.openLink('door', opening({ publicKey: 'public-2' })),
    [{ productLogin: 'door', connected: true }],
  ],
  [
    (storage) => storage.closeAllLinks(),
    [
      { productLogin: 'door', connected: false },
      { productLogin: 'gate', connected: false },
    ],
  ],
  [(storage) => storage.closeAllLinks(), []],
  [(storage) => storage.joinNodes({ name: 'one', instance: 'one-1', secrets: '' }, 60_000, NOW_MS), []],
  [(storage) => storage.renewLease('one-1', 60_000), []],
  [
    (storage) => storage.openLink('door', opening({ publicKey: 'public-2', node: 'one-1' })),
    [{ productLogin: 'door', connected: true }],
  ],
  [(storage) => storage.claimProduct('door', 'one-1'), []],
  [(storage) => storage.leaveNodes('one-1', NOW_MS), [{ productLogin: 'door', connected: false }]],
  [(storage) => storage.endDeadNodes(NOW_MS), []],
  [(storage) => storage.revokeDevice('gate', 'new code', NOW_MS), [{ productLogin: 'gate', enrolled: false }]],
  [
    (storage) => storage.createProducts([product('barn', { productId: 3, outputCount: 1 })]),
    [
      { kind: 'product', productLogin: 'barn' },
      { kind: 'output', productLogin: 'barn' },
    ],
  ],
];

/** Writes of what nobody can listen for. */
const NO_CHANGE = new Set([
  ...['createClient', 'setClientActive', 'rotateClientKey', 'associate', 'dissociate', 'rotateProductKey'],
  ...[
    'keepHistory',
    'createFamily',
    'rotateFamily',
    'revokeFamily',
    'removeOld',
    'recordSweep',
    'passKeyTurn',
    'releaseKeys',
    'probe',
  ],
  ...['appendCheckpoint', 'recordNewAuditKey', 'erasePerson', 'eraseClientName'],
  ...['recordArchive', 'recordLoss', 'removeArchived'],
]);

export function storageChangesContract(adapter: StorageUnderTest): void {
  describe('changes', () => {
    const storage = freshStorage(adapter, withAppAndGate);
    const since = async (cursor: Cursor): Promise<Change[]> =>
      (await storage.current.changesSince(cursor, 100)).changes;

    test('each write that changes something gives it a new revision, and says how it is now', async () => {
      for (const [n, [write, changes]] of STEPS.entries()) {
        const cursor = await storage.current.changeCursor();
        await write(storage.current);
        expect([n, await since(cursor)]).toEqual([n, changes.map((change) => expect.objectContaining(change))]);
      }
    });

    test('every write is either in that list or one of what nobody can listen for', () => {
      const written = STEPS.map(([write]) => /\.(\w+)\(/.exec(write.toString())?.[1]);
      const unknown = Object.keys(WRITES).filter((name) => !NO_CHANGE.has(name) && !written.includes(name));
      expect(unknown).toEqual([]);
    });

    test('revisions go up, and each is given once', async () => {
      for (const [write] of STEPS) await write(storage.current);
      const revisions = (await since(new Map())).map(({ revision }) => revision);
      expect(revisions).toEqual([...new Set(revisions)].sort((one, other) => one - other));
    });

    test('pages come one after the other without a gap, as long as their limit says', async () => {
      for (const [write] of STEPS) await write(storage.current);
      const all = await since(new Map());
      const paged: Change[] = [];
      for (let cursor: Cursor = new Map(); ; ) {
        const page = await storage.current.changesSince(cursor, 3);
        if (page.changes.length === 0) break;
        expect(page.changes.length).toBeLessThanOrEqual(3);
        paged.push(...page.changes);
        cursor = page.cursor;
      }
      expect(paged).toEqual(all);
      expect(all.length).toBeGreaterThan(9);
    });

    test('a write that fails leaves nothing to see, and no revision comes twice', async () => {
      const cursor = await storage.current.changeCursor();
      const created = ['barn', 'gate', 'hall'].map((login, n) =>
        storage.current.createProduct(product(login, { productId: 10 + n, outputCount: 1 })),
      );
      const settled = await Promise.allSettled(created);
      expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      const changes = await since(cursor);
      expect(changes.map(({ kind }) => kind)).toEqual(['product', 'output', 'product', 'output']);
      expect(new Set(changes.map(({ revision }) => revision)).size).toBe(4);
    });

    test('a cursor beyond all changes is one of another database: it gets everything', async () => {
      const now = await storage.current.changeCursor();
      const beyond = new Map([...now].map(([writer, revision]) => [writer, revision + 1]));
      const everything = await storage.current.changesSince(new Map(), 100);
      expect(await storage.current.changesSince(beyond, 100)).toEqual(everything);
      expect(everything.cursor).toEqual(now);
    });
  });
}
