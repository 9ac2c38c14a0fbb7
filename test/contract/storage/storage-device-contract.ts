import { describe, expect, test } from '@jest/globals';
import type { DeviceReport } from '@relaygate/server/devices/device-store';
import { freshStorage } from './fresh-storage';
import { CONTACT, NOW_MS, opening, product, report, withAppAndGate, withLinkedGate } from './samples';
import type { StorageUnderTest } from './storage-under-test';

export function storageDeviceContract(adapter: StorageUnderTest): void {
  describe('enrolment', () => {
    const storage = freshStorage(adapter, withAppAndGate);
    const enrol = (publicKey: string, code: string) => storage.current.enrolDevice('gate', publicKey, code, NOW_MS);

    test('the right code pins the key, and the same key again succeeds', async () => {
      expect(await enrol('public-1', 'code of gate')).toBe(true);
      expect(await enrol('public-1', 'code of gate')).toBe(true);
      expect(await storage.current.findProduct('gate')).toMatchObject({ devicePublicKey: 'public-1', enrolled: true });
    });

    test('another key is refused once one is pinned', async () => {
      await enrol('public-1', 'code of gate');
      expect(await enrol('public-2', 'code of gate')).toBe(false);
      expect(await storage.current.findProduct('gate')).toMatchObject({ devicePublicKey: 'public-1' });
    });

    test('a wrong code and an unknown product are refused, and nothing is written', async () => {
      const before = await storage.current.changeCursor();
      expect(await enrol('public-1', 'code of another')).toBe(false);
      expect(await storage.current.enrolDevice('nothing', 'public-1', 'code of gate', NOW_MS)).toBe(false);
      expect(await storage.current.findProduct('gate')).toMatchObject({ enrolled: false });
      expect(await storage.current.changeCursor()).toEqual(before);
    });

    test('of two keys that come at once, one is pinned', async () => {
      const both = await Promise.all([enrol('public-1', 'code of gate'), enrol('public-2', 'code of gate')]);
      expect(both).toEqual([true, false]);
    });
  });

  describe('links', () => {
    const storage = freshStorage(adapter, withLinkedGate);
    const gate = () => storage.current.findProduct('gate');

    test('each opening counts the epoch up and shows the link as up', async () => {
      expect(await storage.current.openLink('gate', opening({ atMs: NOW_MS + 5, agentVersion: '2.0.0' }))).toBe(2);
      expect(await storage.current.openLink('gate', opening({ atMs: NOW_MS + 9 }))).toBe(3);
      expect(await gate()).toMatchObject({
        connected: true,
        lastSeenAtMs: NOW_MS + 9,
        agentVersion: '1.2.3',
        replacedAtMs: null,
      });
    });

    test('a key that is not the pinned one opens nothing', async () => {
      expect(await storage.current.openLink('gate', opening({ publicKey: 'public-2' }))).toBeUndefined();
      expect(await storage.current.openLink('nothing', opening())).toBeUndefined();
      await storage.current.createProduct(product('bare'));
      expect(await storage.current.openLink('bare', opening())).toBeUndefined();
    });

    test('those of many devices open and report at once, each of them as if alone', async () => {
      const logins = Array.from({ length: 40 }, (_, n) => `gate-${n}`);
      for (const login of logins) {
        await storage.current.createProduct(product(login));
        await storage.current.enrolDevice(login, 'public-1', `code of ${login}`, NOW_MS);
      }
      const link = async (login: string) => {
        const epoch = (await storage.current.openLink(login, opening())) ?? 0;
        const isSaved = await storage.current.saveReport(login, epoch, report());
        await storage.current.closeLink(login, epoch, NOW_MS + 7);
        return { epoch, isSaved, again: await storage.current.openLink(login, opening({ atMs: NOW_MS + 9 })) };
      };
      const linked = await Promise.all(logins.map(link));
      expect(linked).toEqual(logins.map(() => ({ epoch: 1, isSaved: true, again: 2 })));
      for (const login of logins)
        expect(await storage.current.findProduct(login)).toMatchObject({ connected: true, lastSeenAtMs: NOW_MS + 9 });
    });

    test('a device that restarts, however soon, is no second one', async () => {
      for (const instanceId of ['instance-2', 'instance-2', 'instance-3'])
        await storage.current.openLink('gate', opening({ atMs: NOW_MS + 5, instanceId }));
      expect(await gate()).toMatchObject({ replacedAtMs: null });
    });

    test('an instance that comes back behind another one shows two devices with one key; it stays noted (T10)', async () => {
      await storage.current.openLink('gate', opening({ atMs: NOW_MS + 5, instanceId: 'instance-2' }));
      await storage.current.openLink('gate', opening({ atMs: NOW_MS + 7 }));
      await storage.current.openLink('gate', opening({ atMs: NOW_MS + 9 }));
      expect(await gate()).toMatchObject({ replacedAtMs: NOW_MS + 7 });
    });

    test('once the key is revoked nobody else holds the one of the next enrolment', async () => {
      await storage.current.openLink('gate', opening({ instanceId: 'instance-2' }));
      await storage.current.openLink('gate', opening());
      await storage.current.revokeDevice('gate', 'new code', NOW_MS);
      await storage.current.enrolDevice('gate', 'public-1', 'new code', NOW_MS);
      await storage.current.openLink('gate', opening({ instanceId: 'instance-2' }));
      expect(await gate()).toMatchObject({ replacedAtMs: null });
    });

    test('closing notes when the device was last seen', async () => {
      await storage.current.closeLink('gate', 1, NOW_MS + 7);
      expect(await gate()).toMatchObject({ connected: false, lastSeenAtMs: NOW_MS + 7 });
    });

    test('the close of a superseded link changes nothing (I12)', async () => {
      await storage.current.openLink('gate', opening({ atMs: NOW_MS + 5 }));
      await storage.current.closeLink('gate', 1, NOW_MS + 7);
      expect(await gate()).toMatchObject({ connected: true, lastSeenAtMs: NOW_MS + 5 });
    });

    test('the link that lives counts again once a later opening came to nothing, and no epoch is given twice (I12)', async () => {
      await storage.current.openLink('gate', opening({ atMs: NOW_MS + 5, agentVersion: '2.0.0' }));
      const held = { epoch: 1, publicKey: 'public-1', bootId: 'boot-1', agentVersion: '1.2.3', atMs: NOW_MS };
      await storage.current.settleLink('gate', held, NOW_MS + 9);
      await storage.current.saveReport('gate', 1, report({ faults: ['board lost'] }));
      const again = { connected: true, lastSeenAtMs: NOW_MS, agentVersion: '1.2.3', faults: ['board lost'] };
      expect(await gate()).toMatchObject(again);
      expect(await storage.current.openLink('gate', opening())).toBe(3);
      await storage.current.closeLink('gate', 1, NOW_MS + 7);
      expect(await gate()).toMatchObject({ connected: true });
    });

    test('an opening that came to nothing where no link lives leaves the product unconnected', async () => {
      await storage.current.settleLink('gate', null, NOW_MS + 9);
      expect(await gate()).toMatchObject({ connected: false, lastSeenAtMs: NOW_MS + 9 });
    });

    test('a revoked device is never settled as the one that lives (I13)', async () => {
      await storage.current.revokeDevice('gate', 'new code', NOW_MS);
      const held = { epoch: 1, publicKey: 'public-1', bootId: 'boot-1', agentVersion: '1.2.3', atMs: NOW_MS };
      await storage.current.settleLink('gate', held, NOW_MS + 9);
      await storage.current.saveReport('gate', 1, report({ faults: ['board lost'] }));
      expect(await gate()).toMatchObject({ connected: false, faults: [] });
    });

    test('after a start no link is up, and the last report is the last that was seen', async () => {
      await storage.current.saveReport('gate', 1, report({ observedAtMs: NOW_MS + 20 }));
      await storage.current.closeAllLinks();
      expect(await gate()).toMatchObject({ connected: false, lastSeenAtMs: NOW_MS + 20 });
    });

    test.each([20, 3_600_000])(
      'a report from before the last link, %d ms ahead for a clock set back since, is not the last that was seen',
      async (aheadMs) => {
        await storage.current.saveReport('gate', 1, report({ observedAtMs: NOW_MS + aheadMs }));
        await storage.current.openLink('gate', opening({ atMs: NOW_MS + 5 }));
        await storage.current.closeAllLinks();
        expect(await gate()).toMatchObject({ connected: false, lastSeenAtMs: NOW_MS + 5 });
      },
    );

    test('the epoch goes on after closing all links', async () => {
      await storage.current.closeAllLinks();
      expect(await storage.current.openLink('gate', opening())).toBe(2);
    });
  });

  describe('reports', () => {
    const storage = freshStorage(adapter, withLinkedGate);
    const gate = () => storage.current.findProduct('gate');

    test('a report becomes the last known state', async () => {
      await storage.current.saveReport('gate', 1, report({ faults: ['board lost'] }));
      const found = await gate();
      expect(found?.faults).toEqual(['board lost']);
      const known = {
        activated: true,
        observedAtMs: NOW_MS + 10,
        version: { epoch: 1, seq: 1 },
        confirmedBy: 'readback',
        lockedUntilMs: null,
      };
      expect(found?.outputs).toEqual([
        { numOutput: 0, name: 'Gate', mode: 'impulse', state: 0, pulseMs: 700, ...known },
        { numOutput: 1, name: 'Lamp', mode: 'on-off', state: 1, pulseMs: 500, ...known },
      ]);
    });

    test('an output whose board cannot be read says so', async () => {
      const lamp = { numOutput: 1, name: 'Lamp', mode: 'on-off', state: 1, pulseMs: 500 } as const;
      await storage.current.saveReport('gate', 1, report({ outputs: [{ ...lamp, confirmedBy: 'write' }] }));
      expect((await gate())?.outputs).toMatchObject([{ confirmedBy: null }, { confirmedBy: 'write' }]);
    });

    test('a lock is kept as the instant at which it ends, until a report says that there is none', async () => {
      const { outputs } = report();
      const locked = outputs.map((output, n) => (n === 1 ? { ...output, lockedForMs: 60_000 } : output));
      await storage.current.saveReport('gate', 1, report({ outputs: locked }));
      expect((await gate())?.outputs.map(({ lockedUntilMs }) => lockedUntilMs)).toEqual([null, NOW_MS + 60_010]);
      await storage.current.saveReport('gate', 1, report());
      expect((await gate())?.outputs.map(({ lockedUntilMs }) => lockedUntilMs)).toEqual([null, null]);
    });

    test('what a report repeats is not written again, except its states and their time (I11)', async () => {
      const [, lamp] = report().outputs;
      const outputs = [{ numOutput: 0, name: 'Other', mode: 'on-off', state: 1, pulseMs: 50 } as const];
      await storage.current.saveReport('gate', 1, report({ faults: ['board lost'] }));
      const repeated = { noInputs: true, faults: true, settingsOf: [0] };
      const next = { observedAtMs: NOW_MS + 20, seq: 2, repeated };
      expect(await storage.current.saveReport('gate', 1, report({ outputs, ...next }))).toBe(true);
      const found = await gate();
      expect(found?.faults).toEqual(['board lost']);
      const gateNow = { name: 'Gate', mode: 'impulse', pulseMs: 700, state: 1, observedAtMs: NOW_MS + 20 };
      expect(found?.outputs).toMatchObject([gateNow, { ...lamp, observedAtMs: NOW_MS + 10 }]);
    });

    test('inputs are those of the last report, with the time of its receipt (I11)', async () => {
      expect((await gate())?.inputs).toEqual([]);
      const button = { numInput: 5, name: 'Ausgang', kind: 'button', state: null };
      await storage.current.saveReport('gate', 1, report({ inputs: [CONTACT, button] }));
      expect((await gate())?.inputs).toEqual([
        { ...CONTACT, observedAtMs: NOW_MS + 10 },
        { ...button, observedAtMs: NOW_MS + 10 },
      ]);
      const repeated = { noInputs: false, faults: true, settingsOf: [0, 1] };
      const again = { observedAtMs: NOW_MS + 20, seq: 2, repeated };
      await storage.current.saveReport('gate', 1, report({ inputs: [CONTACT], ...again }));
      expect((await gate())?.inputs).toEqual([{ ...CONTACT, observedAtMs: NOW_MS + 20 }]);
      const left = { inputs: [], observedAtMs: NOW_MS + 30, seq: 3, repeated };
      await storage.current.saveReport('gate', 1, report(left));
      expect((await gate())?.inputs).toEqual([]);
    });

    test('the inputs of a newer frame stay when an older one is written behind it, also if there are none by now', async () => {
      const inputsAfter = async (...reports: Partial<DeviceReport>[]) => {
        for (const one of reports) await storage.current.saveReport('gate', 1, report(one));
        return (await gate())?.inputs.map(({ state }) => state);
      };
      const open = [{ ...CONTACT, state: 'open' }];
      expect(await inputsAfter({ seq: 4, inputs: open }, { seq: 3, inputs: [CONTACT] })).toEqual(['open']);
      expect(await inputsAfter({ seq: 6, inputs: [] }, { seq: 5, inputs: open })).toEqual([]);
      await storage.current.openLink('gate', opening());
      await storage.current.saveReport('gate', 2, report({ seq: 1, inputs: [CONTACT] }));
      await storage.current.saveReport('gate', 1, report({ seq: 9, inputs: open }));
      expect((await gate())?.inputs).toMatchObject([CONTACT]);
    });

    test('the inputs of one product are not shown at another', async () => {
      await storage.current.createProduct(product('door'));
      await storage.current.saveReport('gate', 1, report({ inputs: [CONTACT] }));
      expect((await storage.current.findProduct('door'))?.inputs).toEqual([]);
    });

    test.each([true, false])(
      'a report of a superseded link is discarded (I12), its faults repeated: %p',
      async (faults) => {
        await storage.current.openLink('gate', opening());
        const repeated = { noInputs: false, faults, settingsOf: [] };
        const old = report({ faults: ['old'], inputs: [CONTACT], repeated });
        expect(await storage.current.saveReport('gate', 1, old)).toBe(false);
        expect(await gate()).toMatchObject({
          faults: [],
          inputs: [],
          outputs: [{ observedAtMs: null }, { observedAtMs: null }],
        });
      },
    );

    test('outputs beyond the declared ones are passed over', async () => {
      const extra = { numOutput: 7, name: 'Extra', mode: 'on-off', state: 1, pulseMs: 500 } as const;
      await storage.current.saveReport('gate', 1, report({ outputs: [extra] }));
      expect((await gate())?.outputs).toHaveLength(2);
    });

    test('a state that the device does not know is null', async () => {
      const lamp = { numOutput: 1, name: 'Lamp', mode: 'on-off', pulseMs: 500 } as const;
      await storage.current.saveReport('gate', 1, report({ outputs: [{ ...lamp, state: 1 }] }));
      await storage.current.saveReport('gate', 1, report({ outputs: [{ ...lamp, state: null }] }));
      expect((await gate())?.outputs[1]).toMatchObject({ state: null, observedAtMs: NOW_MS + 10 });
    });
  });

  describe('revoking a device', () => {
    const storage = freshStorage(adapter, withLinkedGate);

    test('forgets its key, closes its link and takes the new code only', async () => {
      expect(await storage.current.revokeDevice('gate', 'new code', NOW_MS + 3)).toBe(true);
      const left = { enrolled: false, devicePublicKey: null, connected: false };
      expect(await storage.current.findProduct('gate')).toMatchObject(left);
      expect(await storage.current.openLink('gate', opening())).toBeUndefined();
      expect(await storage.current.enrolDevice('gate', 'public-1', 'code of gate', NOW_MS)).toBe(false);
      expect(await storage.current.enrolDevice('gate', 'public-2', 'new code', NOW_MS)).toBe(true);
    });

    test('is no sign of it: it was last seen when it was last heard (I11)', async () => {
      const lastSeen = async () => (await storage.current.findProduct('gate'))?.lastSeenAtMs;
      await storage.current.openLink('gate', opening({ atMs: NOW_MS + 1 }));
      await storage.current.saveReport('gate', 2, report({ observedAtMs: NOW_MS + 2 }));
      await storage.current.revokeDevice('gate', 'new code', NOW_MS + 9);
      expect(await lastSeen()).toBe(NOW_MS + 2);
      await storage.current.closeLink('gate', 1, NOW_MS + 4);
      expect(await lastSeen()).toBe(NOW_MS + 2);
      await storage.current.closeLink('gate', 2, NOW_MS + 5);
      expect(await lastSeen()).toBe(NOW_MS + 5);
      await storage.current.enrolDevice('gate', 'public-1', 'new code', NOW_MS);
      await storage.current.openLink('gate', opening({ atMs: NOW_MS + 6 }));
      await storage.current.closeLink('gate', 2, NOW_MS + 7);
      expect(await storage.current.findProduct('gate')).toMatchObject({ connected: true, lastSeenAtMs: NOW_MS + 6 });
    });

    test('leaves it seen on the link that lives, where a later opening came to nothing that had heard it before (I11)', async () => {
      const lives = opening({ atMs: NOW_MS + 5 });
      const epoch = (await storage.current.openLink('gate', lives)) ?? 0;
      await storage.current.openLink('gate', opening({ atMs: NOW_MS + 3 }));
      await storage.current.revokeDevice('gate', 'new code', NOW_MS + 9);
      await storage.current.settleLink('gate', { ...lives, epoch }, NOW_MS + 3);
      expect(await storage.current.findProduct('gate')).toMatchObject({ connected: false, lastSeenAtMs: NOW_MS + 5 });
    });

    test('leaves it seen at its last report, when its link is settled behind that (I11)', async () => {
      await storage.current.saveReport('gate', 1, report({ observedAtMs: NOW_MS + 20 }));
      await storage.current.revokeDevice('gate', 'new code', NOW_MS + 30);
      await storage.current.settleLink('gate', { ...opening(), epoch: 1 }, NOW_MS + 20);
      expect(await storage.current.findProduct('gate')).toMatchObject({ lastSeenAtMs: NOW_MS + 20 });
    });

    test('leaves what it has reported as last known', async () => {
      await storage.current.saveReport('gate', 1, report({ inputs: [CONTACT] }));
      await storage.current.revokeDevice('gate', 'new code', NOW_MS + 30);
      const { inputs, outputs } = (await storage.current.findProduct('gate')) ?? {};
      expect(inputs).toEqual([{ ...CONTACT, observedAtMs: NOW_MS + 10 }]);
      expect(outputs).toMatchObject([{ state: 0 }, { state: 1 }]);
    });

    test('makes its link a superseded one (I12, I13)', async () => {
      await storage.current.revokeDevice('gate', 'new code', NOW_MS);
      await storage.current.saveReport('gate', 1, report({ faults: ['from the revoked device'] }));
      expect(await storage.current.findProduct('gate')).toMatchObject({ faults: [] });
    });

    test('is counted, so that others see which products it concerned', async () => {
      await storage.current.createProduct(product('door'));
      expect(await storage.current.revocationCount()).toBe(0);
      await storage.current.revokeDevice('gate', 'c1', NOW_MS);
      const afterFirst = await storage.current.revocationCount();
      await storage.current.revokeDevice('door', 'c2', NOW_MS);
      await storage.current.revokeDevice('door', 'c3', NOW_MS);
      expect(await storage.current.revocationCount()).toBeGreaterThan(afterFirst);
      expect((await storage.current.revokedSince(0)).sort()).toEqual(['door', 'gate']);
      expect(await storage.current.revokedSince(afterFirst)).toEqual(['door']);
      expect(await storage.current.revokedSince(await storage.current.revocationCount())).toEqual([]);
    });

    test('of an unknown product counts nothing', async () => {
      expect(await storage.current.revokeDevice('nothing', 'code', NOW_MS)).toBe(false);
      expect(await storage.current.revocationCount()).toBe(0);
    });
  });
}
