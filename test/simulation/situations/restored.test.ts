import { afterEach, describe, expect, jest, test } from '@jest/globals';
import * as powerOn from '@relaygate/device-agent/guard/power-on';
import type { OutputSettings } from '@relaygate/shared/device';
import type { LocalRequest } from '../people/local-request';
import { ONE_GATE, oneGatePlan, switchedOn } from '../plan/one-gate';
import type { Fault, Plan } from '../plan/plan';
import { STATE_PATH } from '../ports/disk';
import { runPlan } from '../run';
import type { Sabotage } from '../sabotage/sabotage';

/** Output 0 is on and its guard starts anew; its board fails until a moment before that guard dies too. */
const PLAN = oneGatePlan([
  switchedOn(2_000),
  { atMs: 3_900, do: 'fault', fault: { kind: 'board', machine: ONE_GATE, mode: 'fails', forMs: 3_000 } },
  { atMs: 4_000, do: 'fault', fault: { kind: 'kill', process: `guard ${ONE_GATE}`, restartMs: 300 } },
  // Put off by then, and to be tried again a second after that.
  { atMs: 7_500, do: 'fault', fault: { kind: 'kill', process: `guard ${ONE_GATE}`, restartMs: 2_000 } },
  { atMs: 7_600, do: 'fault', fault: { kind: 'power-cut', machine: ONE_GATE, offMs: 500 } },
]);

/** The same of its board, which is back while it fails; the power goes before that guard has tried it again. */
const BACK: Plan['steps'] = [
  switchedOn(2_000),
  {
    atMs: 4_000,
    do: 'fault',
    fault: { kind: 'board-away', machine: ONE_GATE, points: 0, forMs: 1_000, relays: 'stay', tells: true },
  },
  { atMs: 4_500, do: 'fault', fault: { kind: 'board', machine: ONE_GATE, mode: 'fails', forMs: 2_500 } },
  { atMs: 7_500, do: 'fault', fault: { kind: 'power-cut', machine: ONE_GATE, offMs: 500 } },
];

/** Output 0 was on, its relay is deaf at the next start, which tries it again each second; then the power goes again. */
const deafAtStart = (meanwhile: Plan['steps']): Plan =>
  oneGatePlan([
    switchedOn(2_000),
    { atMs: 3_900, do: 'fault', fault: { kind: 'deaf-relay', machine: ONE_GATE, output: 0, forMs: 2_000 } },
    { atMs: 4_000, do: 'fault', fault: { kind: 'power-cut', machine: ONE_GATE, offMs: 300 } },
    ...meanwhile,
    { atMs: 7_500, do: 'fault', fault: { kind: 'power-cut', machine: ONE_GATE, offMs: 500 } },
  ]);

/** The same of a board that fails at that start, and of a relay that stays closed until long after that. */
const STUCK_AT_START = oneGatePlan([
  switchedOn(2_000),
  { atMs: 4_000, do: 'fault', fault: { kind: 'power-cut', machine: ONE_GATE, offMs: 300 } },
  { atMs: 4_350, do: 'fault', fault: { kind: 'stuck-relay', machine: ONE_GATE, output: 0, forMs: 3_000 } },
  { atMs: 4_400, do: 'fault', fault: { kind: 'board', machine: ONE_GATE, mode: 'fails', forMs: 1_200 } },
]);

/** Output 0 is on when this happens, and the guard that starts behind it dies before it is ready. */
const diesInItsStart = (what: Fault, diesMs: number): Plan =>
  oneGatePlan(
    [
      switchedOn(2_000),
      { atMs: 4_000, do: 'fault', fault: what },
      { atMs: diesMs, do: 'fault', fault: { kind: 'kill', process: `guard ${ONE_GATE}`, restartMs: 300 } },
    ],
    { rules: { maxOnMs: 600_000 } },
  );
const FIRST_OF_ITS_BOOT = diesInItsStart({ kind: 'power-cut', machine: ONE_GATE, offMs: 300 }, 4_533);
const LATER_OF_ITS_BOOT = diesInItsStart({ kind: 'kill', process: `guard ${ONE_GATE}`, restartMs: 300 }, 4_300.6);

/** The command stands in the journal then. */
const BESIDE_EDGE_MS = 2_000.45;

/** Output 0 is on 0.5 ms after 2 s, a journal is slow for a second, and a guard starts anew. */
function slowJournal(slowMs: number, diesMs: number): Plan {
  const steps: Plan['steps'] = [
    { atMs: 2_000, do: 'technician', product: 0, request: { type: 'set', numOutput: 0, state: 1 } },
    { atMs: slowMs, do: 'fault', fault: { kind: 'disk', machine: ONE_GATE, mode: 'journal-slow', forMs: 1_000 } },
    { atMs: diesMs, do: 'fault', fault: { kind: 'kill', process: `guard ${ONE_GATE}`, restartMs: 300 } },
  ];
  return oneGatePlan(
    steps.toSorted((one, other) => one.atMs - other.atMs),
    { rules: { maxOnMs: 600_000 } },
  );
}

/** Output 0 waits for its turn to power on, its relay still closed; this is asked; and its guard starts once more. */
const askedInTurn = (request: LocalRequest, diesMs: number): Plan =>
  oneGatePlan(
    [
      switchedOn(2_000),
      { atMs: 4_000, do: 'fault', fault: { kind: 'kill', process: `guard ${ONE_GATE}`, restartMs: 300 } },
      { atMs: 4_900, do: 'technician', product: 0, request },
      { atMs: diesMs, do: 'fault', fault: { kind: 'kill', process: `guard ${ONE_GATE}`, restartMs: 300 } },
    ],
    { rules: { interlock: 'motor', interlockDelayMs: 2_000 } },
  );

/**
 * Output 0 is on, and its third guard puts it off, because the board fails at its start, then on again. Of the link that was up until
 * 7.4 s that guard may have heard nothing: the journal was slow.
 */
const PUT_OFF_BESIDE_LOSS = oneGatePlan(
  [
    switchedOn(1_400),
    { atMs: 4_000, do: 'fault', fault: { kind: 'stop', process: `guard ${ONE_GATE}`, restartMs: 930 } },
    { atMs: 7_380, do: 'fault', fault: { kind: 'disk', machine: ONE_GATE, mode: 'journal-slow', forMs: 3_000 } },
    { atMs: 7_430, do: 'fault', fault: { kind: 'stop', process: 'server', restartMs: 60 } },
    { atMs: 8_570, do: 'fault', fault: { kind: 'kill', process: `guard ${ONE_GATE}`, restartMs: 190 } },
    { atMs: 8_790, do: 'fault', fault: { kind: 'board', machine: ONE_GATE, mode: 'fails', forMs: 1_840 } },
    { atMs: 14_000, do: 'fault', fault: { kind: 'power-cut', machine: ONE_GATE, offMs: 500 } },
  ],
  { seed: 5, rules: { onLinkLoss: 'off', linkLossMs: 5_000 }, untilMs: 16_000 },
);

/** It has output 0 put off, and is on itself after 8.3 s. */
const ANOTHER: LocalRequest = { type: 'set', numOutput: 1, state: 1 };

/** The relay of output 0 stays closed whatever it is asked, until the power goes; meanwhile this happens. */
const stuckUntilPowerCut = (meanwhile: Plan['steps'][number]): Plan =>
  oneGatePlan(
    [
      switchedOn(2_000),
      { atMs: 3_000, do: 'fault', fault: { kind: 'stuck-relay', machine: ONE_GATE, output: 0, forMs: 1_000 } },
      meanwhile,
      { atMs: 3_900, do: 'fault', fault: { kind: 'power-cut', machine: ONE_GATE, offMs: 6_000 } },
    ],
    { untilMs: 25_000, rules: { interlock: 'motor', interlockDelayMs: 0 } },
  );

/** Output 1 is on as the power goes; output 0 is to go on first, and its own time is over before its turn comes. */
function besideFirst(first: Partial<OutputSettings>): Plan {
  const plan = oneGatePlan(
    [
      { atMs: 2_000, do: 'technician', product: 0, request: ANOTHER },
      { atMs: 6_000, do: 'fault', fault: { kind: 'power-cut', machine: ONE_GATE, offMs: 500 } },
    ],
    { untilMs: 25_000, rules: { interlock: 'motor', interlockDelayMs: 900 } },
  );
  const [product] = plan.products;
  if (!product) throw new Error('there is one');
  const outputs = product.outputs.map((output, n) => (n === 0 ? { ...output, maxOnMs: 100, ...first } : output));
  return { ...plan, products: [{ ...product, outputs }] };
}

/** From then on a guard saves nothing of its outputs, and says that it has. */
const savesNothingFrom = (fromMs: number): Sabotage => ({
  guardFiles: (files, { scheduler }) => ({
    ...files,
    replace: async (path, text, options) => {
      if (path !== STATE_PATH || scheduler.nowMs < fromMs) await files.replace(path, text, options);
    },
  }),
});

/** From its n-th start on a guard brings nothing on. */
function restoresNothingFrom(nth: number): void {
  const { powerOnActive } = powerOn;
  let starts = 0;
  jest.spyOn(powerOn, 'powerOnActive').mockImplementation((outputs, ...known) => {
    starts += 1;
    return starts < nth ? powerOnActive(outputs, ...known) : outputs.map(() => false);
  });
}

afterEach(() => {
  jest.restoreAllMocks();
});

describe('the checker', () => {
  test('lets a start restore what its board did not bring on at the start before: it was never told to be off (I5)', async () => {
    expect(await runPlan(PLAN)).toEqual([]);
  });

  test('lets a start restore what its board did not bring on when it was back (I5)', async () => {
    expect(await runPlan(oneGatePlan(BACK))).toEqual([]);
    // Its turn does not come: nobody knows whether the others are off.
    expect(await runPlan(oneGatePlan(BACK, { rules: { interlock: 'motor', interlockDelayMs: 0 } }))).toEqual([]);
  });

  test('lets it stay off that a command was to bring on, and was refused by its board: off is remembered', async () => {
    const request: LocalRequest = { type: 'set', numOutput: 0, state: 1 };
    expect(await runPlan(deafAtStart([{ atMs: 5_000, do: 'technician', product: 0, request }]))).toEqual([]);
  });

  test('wants it back that only its start could not bring on (I8)', async () => {
    expect(await runPlan(deafAtStart([]))).toEqual([]);
    restoresNothingFrom(3);
    expect(await runPlan(deafAtStart([]))).toContainEqual(expect.objectContaining({ invariant: 'I8' }));
  });

  test('lets an output with a limit stay off behind a first start that died: nobody knows since when it counts (I14)', async () => {
    expect(await runPlan(FIRST_OF_ITS_BOOT)).toEqual([]);
    restoresNothingFrom(3);
    expect(await runPlan(FIRST_OF_ITS_BOOT)).toEqual([]);
  });

  test('wants it back where a guard of that boot was ready before: its journal has since when (I8)', async () => {
    expect(await runPlan(LATER_OF_ITS_BOOT)).toEqual([]);
    restoresNothingFrom(3);
    expect(await runPlan(LATER_OF_ITS_BOOT)).toEqual([
      expect.objectContaining({
        invariant: 'I8',
        sentence: `output 0 of ${ONE_GATE} was confirmed on and is off after a restart`,
      }),
    ]);
  });

  test.each<[string, Plan]>([
    ['slow beside the edge, and long over', slowJournal(BESIDE_EDGE_MS, 6_000)],
    ['slow behind the edge', slowJournal(2_100, 2_500)],
    ['slow in the start that is to bring it back', slowJournal(4_100, 4_000)],
  ])('wants it back where its journal is %s: by then it has since when (I8)', async (_when, plan) => {
    expect(await runPlan(plan)).toEqual([]);
    restoresNothingFrom(2);
    expect(await runPlan(plan)).toContainEqual(expect.objectContaining({ invariant: 'I8' }));
  });

  test('lets it stay off whose guard died before a slow journal had since when (I14)', async () => {
    expect(await runPlan(slowJournal(BESIDE_EDGE_MS, 2_020))).toEqual([]);
  });

  test.each<[string, LocalRequest, number]>([
    ['told off', { type: 'set', numOutput: 0, state: 0 }, 5_600],
    ['broken off for another one of its interlock', ANOTHER, 8_800],
  ])('lets nothing come back that was %s in its turn to power on (I5)', async (_what, request, diesMs) => {
    const plan = askedInTurn(request, diesMs);
    expect(await runPlan(plan)).toEqual([]);
    expect(await runPlan(plan, { sabotage: savesNothingFrom(4_500) })).toEqual([
      expect.objectContaining({
        invariant: 'I5',
        sentence: `output 0 of ${ONE_GATE} went on at a start, after its end`,
      }),
    ]);
  });

  test('lets a start bring on again what it has put off for its board, though its relay was stuck meanwhile', async () => {
    expect(await runPlan(STUCK_AT_START)).toEqual([]);
  });

  test('lets it come back that was put off for its board, though its policy may have ended it at that moment', async () => {
    expect(await runPlan(PUT_OFF_BESIDE_LOSS)).toEqual([]);
  });

  test('lets it stay off that was broken off for another one, though its relay was stuck: off is remembered', async () => {
    expect(await runPlan(stuckUntilPowerCut({ atMs: 3_500, do: 'technician', product: 0, request: ANOTHER }))).toEqual(
      [],
    );
  });

  test('wants it back that only a guard in its stop asked for off: that is not to be remembered (I8)', async () => {
    const plan = stuckUntilPowerCut({
      atMs: 3_500,
      do: 'fault',
      fault: { kind: 'stop', process: `guard ${ONE_GATE}`, restartMs: 300 },
    });
    expect(await runPlan(plan)).toEqual([]);
    restoresNothingFrom(2);
    expect(await runPlan(plan)).toContainEqual(expect.objectContaining({ invariant: 'I8' }));
  });

  test('lets it stay off whose interlock another one was to power on first, though that one never went on', async () => {
    expect(await runPlan(besideFirst({ powerOn: 'on' }))).toEqual([]);
  });

  test('wants it back where the other one had no policy to go on by (I8)', async () => {
    expect(await runPlan(besideFirst({ powerOn: 'off' }))).toEqual([]);
    restoresNothingFrom(2);
    expect(await runPlan(besideFirst({ powerOn: 'off' }))).toContainEqual(expect.objectContaining({ invariant: 'I8' }));
  });

  test('lets it stay off once a start has left it off behind one that died: nobody knew since when it counts', async () => {
    const { steps } = FIRST_OF_ITS_BOOT;
    const again = { atMs: 7_000, do: 'fault', fault: { kind: 'power-cut', machine: ONE_GATE, offMs: 300 } } as const;
    const plan = { ...FIRST_OF_ITS_BOOT, steps: [...steps, again] };
    expect(await runPlan(plan)).toEqual([]);
    restoresNothingFrom(3);
    expect(await runPlan(plan)).toEqual([]);
  });

  test('lets a start bring on what was broken off for another one that never went on', async () => {
    const plan = askedInTurn(ANOTHER, 8_000);
    expect(await runPlan(plan)).toEqual([]);
    expect(await runPlan(plan, { sabotage: savesNothingFrom(4_500) })).toEqual([]);
  });
});
