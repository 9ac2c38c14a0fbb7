import { expect, test } from '@jest/globals';
import type { OutcomeRecord } from '@relaygate/server/commands/command-store';
import type { FrameVersion } from '@relaygate/server/devices/frame-version';
import { productState } from '@relaygate/server/products/product-state';
import type { OutputRecord, ProductRecord, ProductStore } from '@relaygate/server/products/product-store';
import type { ProductState } from '@relaygate/shared';
import { VirtualClock } from '../../../support/time/virtual-clock';

const LAMP: Omit<OutputRecord, 'version'> = {
  numOutput: 1,
  activated: true,
  name: 'Lamp',
  mode: 'on-off',
  state: 0,
  pulseMs: 500,
  observedAtMs: Date.UTC(2026, 0, 1, 12),
  confirmedBy: 'readback',
  lockedUntilMs: null,
};

/** An outcome that is on its way to the database, named by the wall clock's hour. */
const unsaved = (state: 0 | 1, version: FrameVersion, hour: number): OutcomeRecord => ({
  commandId: `c${version.seq}`,
  productLogin: 'gate',
  outcome: 'executed',
  reason: null,
  resolvedAtMs: Date.UTC(2026, 0, 1, hour),
  observed: { numOutput: 1, state, version },
});

async function lampOf(stored: FrameVersion, outcomes: OutcomeRecord[]): Promise<object | undefined> {
  return (await stateOf({ outputs: [{ ...LAMP, version: stored }] }, outcomes)).outputs[0];
}

function stateOf(reported: Partial<ProductRecord>, outcomes: OutcomeRecord[] = []): Promise<ProductState> {
  const product: Partial<ProductRecord> = { lastSeenAtMs: null, faults: [], inputs: [], outputs: [], ...reported };
  const store: Partial<ProductStore> = {
    findProduct: async () => product as ProductRecord,
    isAssociated: async () => true,
  };
  const clock = new VirtualClock();
  const parts = {
    store: store as ProductStore,
    presence: { statusOf: async () => null },
    outcomes: { unsavedOf: () => outcomes },
    wallClock: clock,
  };
  return productState(parts, 'app', 'gate');
}

test.each<[string, FrameVersion, OutcomeRecord[], object]>([
  [
    'an outcome that was reported after what is stored, although the wall clock was set back in between',
    { epoch: 1, seq: 1 },
    [unsaved(1, { epoch: 1, seq: 2 }, 9)],
    { state: 1, observedAt: '2026-01-01T09:00:00.000Z' },
  ],
  [
    'not one of the link before, whatever its time',
    { epoch: 2, seq: 1 },
    [unsaved(1, { epoch: 1, seq: 7 }, 15)],
    { state: 0, observedAt: '2026-01-01T12:00:00.000Z' },
  ],
  [
    'of two that wait the one that was reported later, in whatever order they wait',
    { epoch: 1, seq: 1 },
    [unsaved(1, { epoch: 1, seq: 3 }, 13), unsaved(0, { epoch: 1, seq: 2 }, 14)],
    { state: 1, observedAt: '2026-01-01T13:00:00.000Z' },
  ],
])('a reader is shown %s (I11)', async (_name, stored, outcomes, shown) => {
  expect(await lampOf(stored, outcomes)).toMatchObject(shown);
});

test('an input is shown as it was last reported, with the time of that, whether the device is linked or not (I11)', async () => {
  const contact = { numInput: 3, name: 'Gate', kind: 'contact', state: 'open', observedAtMs: LAMP.observedAtMs ?? 0 };
  const { connected, inputs } = await stateOf({ inputs: [contact, { ...contact, numInput: 4, state: null }] });
  const shown = { name: 'Gate', kind: 'contact', observedAt: '2026-01-01T12:00:00.000Z' };
  expect([connected, inputs]).toEqual([
    false,
    [
      { numInput: 3, state: 'open', ...shown },
      { numInput: 4, state: null, ...shown },
    ],
  ]);
  expect((await stateOf({})).inputs).toEqual([]);
});
