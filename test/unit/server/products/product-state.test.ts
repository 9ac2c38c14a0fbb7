import { expect, test } from '@jest/globals';
import type { OutcomeRecord } from '@relaygate/server/commands/command-store';
import type { FrameVersion } from '@relaygate/server/devices/frame-version';
import { productState } from '@relaygate/server/products/product-state';
import type { OutputRecord, ProductRecord, ProductStore } from '@relaygate/server/products/product-store';
import { VirtualClock } from '../../../support/virtual-clock';

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
  const product: Partial<ProductRecord> = { lastSeenAtMs: null, faults: [], outputs: [{ ...LAMP, version: stored }] };
  const store: Partial<ProductStore> = {
    findProduct: async () => product as ProductRecord,
    isAssociated: async () => true,
  };
  const clock = new VirtualClock();
  const parts = {
    store: store as ProductStore,
    presence: { linkOf: async () => null },
    outcomes: { unsavedOf: () => outcomes },
    wallClock: clock,
  };
  const { outputs } = await productState(parts, 'app', 'gate');
  return outputs[0];
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
