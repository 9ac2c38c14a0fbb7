import { beforeEach, expect, test } from '@jest/globals';
import type { LinkEntry } from '@relaygate/server/devices/link-registry';
import { LinkRegistry } from '@relaygate/server/devices/link-registry';
import { watchTakeovers } from '@relaygate/server/devices/takeover-watch';
import type { OwnedLink } from '@relaygate/server/nodes/node-store';
import { collectingLog } from '../../../support/server/collecting-log';
import { settled, VirtualClock } from '../../../support/time/virtual-clock';

let clock: VirtualClock;
let registry: LinkRegistry;
let ended: string[];
let opened: OwnedLink[];
let asked: ReadonlyMap<number, number>[];

beforeEach(() => {
  clock = new VirtualClock();
  registry = new LinkRegistry(clock);
  [ended, opened, asked] = [[], [], []];
});

function watch(): () => void {
  const store = {
    changeCursor: async () => new Map([[1, 7]]),
    async linksSince(cursor: ReadonlyMap<number, number>) {
      asked.push(cursor);
      return { links: opened.splice(0), cursor: new Map([[1, 8]]) };
    },
  };
  const node = { instance: 'one-1', safeUntilMs: Number.POSITIVE_INFINITY };
  return watchTakeovers({ store, registry, node, clock, log: collectingLog() });
}

function attach(productLogin: string, epoch: number): void {
  const link = {
    productLogin,
    held: { epoch },
    replace: () => ended.push(`${productLogin} replaced`),
    closeForRestart: () => ended.push(`${productLogin} may come again`),
  };
  registry.attach(link as unknown as LinkEntry);
}

test('a link ends when its product is at another node; one that was only claimed may come again at once', async () => {
  for (const login of ['moved', 'claimed', 'own', 'newer']) attach(login, 3);
  opened = [
    { productLogin: 'moved', epoch: 4, node: 'two-1', isConnected: true },
    { productLogin: 'claimed', epoch: 4, node: 'two-1', isConnected: false },
    { productLogin: 'own', epoch: 4, node: 'one-1', isConnected: true },
    { productLogin: 'newer', epoch: 2, node: 'two-1', isConnected: true },
  ];
  watch()();
  await settled();
  expect(ended).toEqual(['moved replaced', 'claimed may come again']);
});

test('what changed before there was any link is not read', async () => {
  const stop = watch();
  await clock.advance(250);
  stop();
  expect(asked).toEqual([new Map([[1, 7]]), new Map([[1, 8]])]);
});
