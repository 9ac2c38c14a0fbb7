import { describe, expect, test } from '@jest/globals';
import { inheritedUntilMs, linkSpans } from '../checker/policies/presence';
import { ONE_GATE, oneGatePlan, switchedOn } from '../plan/one-gate';
import type { Plan } from '../plan/plan';
import { runPlan } from '../run';
import type { Life } from '../witnesses/history';

const RULES = { onLinkLoss: 'off', linkLossMs: 7_000 } as const;

/** The agent is heard at about 4.4 s; the guard dies half a second later, and the next one hears that the link is gone. */
const STEPS: Plan['steps'] = [
  switchedOn(2_600),
  { atMs: 4_000, do: 'fault', fault: { kind: 'disk', machine: ONE_GATE, mode: 'journal-slow', forMs: 3_000 } },
  { atMs: 4_950, do: 'fault', fault: { kind: 'kill', process: `guard ${ONE_GATE}`, restartMs: 200 } },
  { atMs: 4_960, do: 'fault', fault: { kind: 'partition', machine: ONE_GATE, direction: 'both', forMs: 14_000 } },
  { atMs: 5_000, do: 'fault', fault: { kind: 'cut', machine: ONE_GATE, knows: 'both', lateMs: 0, repeats: false } },
];

describe('the checker', () => {
  test('lets a guard count a loss from what the one before could still write to a slow journal (I5)', async () => {
    // How long each write takes is drawn: some guards find what was heard last, some do not.
    for (let seed = 1; seed <= 10; seed += 1) {
      expect({ seed, found: await runPlan(oneGatePlan(STEPS, { seed, rules: RULES })) }).toEqual({ seed, found: [] });
    }
  });

  test('excuses nothing that was heard before the journal was slow, or a write after it', () => {
    const slow = [{ fromMs: 4_000, untilMs: 7_000 }];
    expect(inheritedUntilMs(3_999, slow)).toBe(3_999);
    expect(inheritedUntilMs(4_950, slow)).toBe(4_000);
    expect(inheritedUntilMs(8_500, slow)).toBe(4_000);
    expect(inheritedUntilMs(8_501, slow)).toBe(8_501);
    expect(inheritedUntilMs(4_950, [])).toBe(4_950);
  });

  test('knows nothing between two times of slow writes that follow each other', () => {
    const twice = [
      { fromMs: 4_000, untilMs: 5_500 },
      { fromMs: 6_000, untilMs: 7_500 },
    ];
    expect(inheritedUntilMs(7_000, twice)).toBe(4_000);
    expect(inheritedUntilMs(7_000, twice.toReversed())).toBe(4_000);
    const apart = [
      { fromMs: 1_000, untilMs: 2_000 },
      { fromMs: 6_000, untilMs: 7_500 },
    ];
    expect(inheritedUntilMs(7_000, apart)).toBe(6_000);
  });

  test('counts a link only while its agent is alive and works', () => {
    const device = { agent: { name: `agent ${ONE_GATE}` }, setup: { name: ONE_GATE } };
    const agentUntil = (untilMs: number | null): Life => ({
      name: device.agent.name,
      fromMs: 1_000,
      readyMs: 1_000,
      untilMs,
      bootId: 'boot',
      stop: null,
    });
    const spans = (life: Life, hangMs = 0): unknown => {
      const links = [
        { machine: ONE_GATE, resumedMs: 2_000, leftMs: 9_000 },
        { machine: 'gate-1', resumedMs: 500, leftMs: 9_500 },
      ];
      const hang = { name: device.agent.name, kind: 'stall', fromMs: 4_000, untilMs: 4_000 + hangMs } as const;
      const history = { links, troubles: hangMs > 0 ? [hang] : [] };
      return linkSpans({ endMs: 20_000, livesOf: () => [life], history }, device, 1_000);
    };
    expect(spans(agentUntil(null))).toEqual([{ fromMs: 2_000, untilMs: 9_000 }]);
    expect(spans(agentUntil(6_000))).toEqual([{ fromMs: 2_000, untilMs: 6_000 }]);
    // It told its guard, and died right then.
    expect(spans(agentUntil(2_000))).toEqual([{ fromMs: 2_000, untilMs: 2_000 }]);
    expect(spans(agentUntil(1_999))).toEqual([]);
    expect(spans(agentUntil(null), 999)).toEqual([{ fromMs: 2_000, untilMs: 9_000 }]);
    expect(spans(agentUntil(null), 1_000)).toEqual([
      { fromMs: 2_000, untilMs: 4_000 },
      { fromMs: 5_000, untilMs: 9_000 },
    ]);
  });
});
