/** The judge must see a product that is a little late on a machine that is not: each fault here is ours, and small. */
import { afterEach, expect, test } from '@jest/globals';
import { onlyPulse } from '../support/device/device';
import { judge, PLAY_LIMIT_MS } from '../support/faults/fault';
import { type Pair, PULSED } from '../support/faults/pair';
import { Site, type SiteOptions } from '../support/faults/site';
import { Inconclusive, repeat } from '../support/time/excuse';
import { expectPulse } from '../support/time/timed';

const PULSE_MS = 500;

let site: Site;
afterEach(() => site?.stop(), 60_000);

const preloaded = (file: string) => ({ NODE_OPTIONS: `--require ${file}` });
const LATE_GUARD = preloaded(require.resolve('../support/faults/late-guard'));
const LATE_ANSWERS = preloaded(require.resolve('../support/faults/late-answers'));

/** What the judge says to what was done, once it can say something. */
async function objection(
  options: Omit<SiteOptions, 'pairs'>,
  body: (pair: Pair) => Promise<void>,
  judged: (pair: Pair) => Promise<void> = (pair) => judge([pair]),
): Promise<string> {
  site = await Site.start({ pairs: 1, ...options });
  const [pair] = site.pairs;
  if (!pair) throw new Error('no pair');
  return repeat(async () => {
    await pair.settle();
    await body(pair);
    try {
      await judged(pair);
    } catch (error) {
      if (error instanceof Inconclusive) throw error;
      return (error as Error).message;
    }
    return 'nothing';
  });
}

async function pulse(pair: Pair): Promise<void> {
  expect((await pair.set(PULSED, 1)).text).toBe('OK');
  await pair.untilEdges(2);
}

test(
  'a guard that ends pulses 60 ms late is seen',
  async () => {
    expect(await objection({ deviceEnv: LATE_GUARD }, pulse)).toMatch(/^I4: a pulse of output 2 lasted /);
  },
  PLAY_LIMIT_MS,
);

test(
  'and by the expectation that the suites of whole programs share',
  async () => {
    const judged = async (pair: Pair): Promise<void> => expectPulse(onlyPulse(pair.edges(), PULSED), PULSE_MS);
    expect(await objection({ deviceEnv: LATE_GUARD }, pulse, judged)).toMatch(/too late/);
  },
  PLAY_LIMIT_MS,
);

test(
  'a server whose 504 comes 400 ms late is seen',
  async () => {
    const said = await objection({ serverEnv: LATE_ANSWERS }, async (pair) => {
      pair.relay.hold('to-device');
      expect((await pair.set(0, 1)).status).toBe(504);
      pair.relay.heal();
    });
    expect(said).toMatch(/^I6: set 1 of output 0: 504 .* after 5[4-5]\d\d/);
  },
  PLAY_LIMIT_MS,
);

test(
  'and neither without the fault',
  async () => {
    expect(await objection({}, pulse)).toBe('nothing');
  },
  PLAY_LIMIT_MS,
);
