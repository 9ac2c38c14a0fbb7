import { beforeEach, describe, expect, test } from '@jest/globals';
import { FirstPage } from '@relaygate/device-agent/provisioning/first-page';
import { RelaygateError } from '@relaygate/shared';

const SITE = {
  serverUrl: 'wss://h',
  productLogin: 'gate-1',
  board: { profile: 'x' },
  web: { forMinutes: 45 },
};

let asked: unknown[];
let isProven: boolean;
let failure: RelaygateError | null;
let page: FirstPage;
beforeEach(() => {
  asked = [];
  isProven = false;
  failure = null;
  page = new FirstPage({
    isProven: async () => isProven,
    async switchOn(request) {
      asked.push(request);
      if (failure) throw failure;
    },
  });
});

describe('the page of the first start', () => {
  test('is switched on once, for the time that the site names', async () => {
    for (const _look of [1, 2, 3]) await page.look(SITE);
    expect(asked).toEqual([{ forMs: 2_700_000, hotspot: false, actor: 'relaygate-site.json' }]);
    expect(page.problem).toBeNull();
  });

  const { web: _web, ...withoutWeb } = SITE;
  test.each([
    ['the wiring is proven', SITE, true],
    ['the site names no time', withoutWeb, false],
    ['there is no site', null, false],
  ])('stays off where %s', async (_where, site, proven) => {
    isProven = proven;
    await page.look(site);
    expect(asked).toEqual([]);
  });

  test('is tried again, and says what keeps it off', async () => {
    failure = new RelaygateError('no-pin');
    await page.look(SITE);
    expect(page.problem).toBe(failure.message);
    failure = null;
    await page.look(SITE);
    expect(page.problem).toBeNull();
    expect(asked).toHaveLength(2);
  });

  test('says nothing of an agent that is not there yet', async () => {
    failure = new RelaygateError('agent-unreachable', 'away');
    await page.look(SITE);
    expect(page.problem).toBeNull();
  });
});
