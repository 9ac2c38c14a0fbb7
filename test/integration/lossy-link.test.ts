/** The client of applications over a link that loses half of all answers. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { SeededChance } from '../support/chance/seeded-chance';
import { GatesBehindCutter } from '../support/client/gates-behind-cutter';

const TOGGLES = 1_000;
/** Most of an answer, which has about 370. */
const MAX_CUT_BYTES = 300;

let site: GatesBehindCutter;
beforeAll(async () => {
  site = await GatesBehindCutter.start(48);
});
afterAll(() => site.stop());

test('1,000 toggles succeed, and move the relays 1,000 times', async () => {
  const chance = new SeededChance();
  await chance.replayable(async () => {
    const { link } = site;
    // Of so many, some lose more answers than there is time for in 10 s.
    const client = site.newClient(120_000);
    let cuts = 0;
    link.cutAfter = () => {
      if (chance.fraction() >= 0.5) return Number.POSITIVE_INFINITY;
      cuts += 1;
      return chance.between(0, MAX_CUT_BYTES);
    };
    await site.atEachGate(TOGGLES, async (productLogin) => {
      expect(await client.product(productLogin).output(0).toggle()).toMatchObject({ outcome: 'done' });
    });
    expect(site.moves).toBe(TOGGLES);
    expect(cuts).toBeGreaterThan(TOGGLES / 2);
  });
}, 300_000);
