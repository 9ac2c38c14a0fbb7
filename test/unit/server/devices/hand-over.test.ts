import { expect, test } from '@jest/globals';
import { handOver } from '@relaygate/server/devices/hand-over';
import type { LinkEntry } from '@relaygate/server/devices/link-registry';
import { OWNER_AGAIN_MS } from '@relaygate/shared';
import { VirtualClock } from '../../../support/time/virtual-clock';

test('a node that stops ends the links without a command at once, each other one when its command has ended', async () => {
  const clock = new VirtualClock();
  const atWork = new Set(['hung', 'busy']);
  let products = ['idle', 'busy', 'hung'];
  const entryOf = (productLogin: string) => {
    const closeForRestart = () => {
      products = products.filter((one) => one !== productLogin);
    };
    return { productLogin, closeForRestart } as LinkEntry;
  };
  const registry = { all: () => products.map(entryOf) };
  const end = handOver({ registry, isAtWork: (productLogin) => atWork.has(productLogin), clock });
  expect(products).toEqual(['busy', 'hung']);
  atWork.delete('busy');
  products.push('come meanwhile');
  await clock.advance(OWNER_AGAIN_MS);
  expect(products).toEqual(['hung']);
  end();
  atWork.clear();
  await clock.advance(OWNER_AGAIN_MS);
  expect(products).toEqual(['hung']);
});
