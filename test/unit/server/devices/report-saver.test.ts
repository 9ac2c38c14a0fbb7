import { describe, expect, test } from '@jest/globals';
import type { DeviceReport } from '@relaygate/server/devices/device-store';
import { ReportSaver } from '@relaygate/server/devices/report-saver';
import { writeBudgets } from '@relaygate/server/limits/write-budgets';
import { type ReportedOutput, WRITE_LIMITS } from '@relaygate/shared';
import { collectingLog } from '../../../support/server/collecting-log';
import { settled, VirtualClock } from '../../../support/time/virtual-clock';

test('a report that could not be saved gives way to the next, and that is tried again (I11)', async () => {
  const [clock, log] = [new VirtualClock(), collectingLog()];
  const saved: DeviceReport[] = [];
  let isLocked = true;
  const saveReport = async (_login: string, _epoch: number, report: DeviceReport): Promise<boolean> => {
    if (isLocked) throw new Error('The database is locked.');
    saved.push(report);
    return true;
  };
  const reports = new ReportSaver({ store: { saveReport }, clock, budgets: writeBudgets(clock), log }, 'gate', 1);
  for (const seq of [1, 2]) {
    reports.save({ outputs: [], inputs: [], faults: [], observedAtMs: clock.epochMs(), seq });
    await settled();
  }
  isLocked = false;
  await clock.advance(1_000);
  expect(saved.map(({ seq }) => seq)).toEqual([2]);
});

test('reports without end are saved at the rate of their product, the newest each time, and the last one too (I15)', async () => {
  const [clock, log] = [new VirtualClock(), collectingLog()];
  const saved: number[] = [];
  const saveReport = async (_login: string, _epoch: number, { seq }: DeviceReport) => saved.push(seq) > 0;
  const budgets = writeBudgets(clock);
  const savers = [1, 2].map((epoch) => new ReportSaver({ store: { saveReport }, clock, budgets, log }, 'gate', epoch));
  const { burst, perSecond } = WRITE_LIMITS.reports;
  let seq = 0;
  for (let second = 0; second < 100; second += 1) {
    for (let n = 0; n < 50; n += 1) {
      seq += 1;
      savers[seq % 2]?.save({ outputs: [], inputs: [], faults: [], observedAtMs: clock.epochMs(), seq });
      await clock.advance(20);
    }
  }
  expect(saved.length).toBeLessThanOrEqual(burst + 100 * perSecond + 2);
  expect(saved.length).toBeGreaterThan(burst + 90 * perSecond);
  await clock.advance(2_000);
  expect(saved).toEqual(expect.arrayContaining([seq, seq - 1]));
  expect(clock.pendingTimers).toBe(0);
});

test('an input that flaps for an hour costs no more than the budget, and its last state is saved (I15)', async () => {
  const [clock, log] = [new VirtualClock(), collectingLog()];
  const saved: DeviceReport[] = [];
  const saveReport = async (_login: string, _epoch: number, report: DeviceReport) => saved.push(report) > 0;
  const saver = new ReportSaver({ store: { saveReport }, clock, budgets: writeBudgets(clock), log }, 'gate', 1);
  const report = (seq: number): DeviceReport => {
    const contact = { numInput: 3, name: 'Gate', kind: 'contact', state: seq % 2 ? 'open' : 'closed' };
    return { outputs: [], inputs: [contact], faults: [], observedAtMs: clock.epochMs(), seq };
  };
  const [seconds, { burst, perSecond }] = [3_600, WRITE_LIMITS.reports];
  for (let seq = 1; seq <= 10 * seconds; seq += 1) {
    saver.save(report(seq));
    await clock.advance(100);
  }
  saver.save(report(10 * seconds + 1));
  await clock.advance(2_000);
  expect(saved.length).toBeLessThanOrEqual(burst + seconds * perSecond + 4);
  expect(saved.at(-1)).toMatchObject({ seq: 10 * seconds + 1, inputs: [{ state: 'open' }] });
  expect(saved.every(({ repeated }) => repeated?.noInputs !== true)).toBe(true);
  expect(log.lines).toEqual([]);
});

describe('what the report before has said and the database has', () => {
  const gate = { numOutput: 0, name: 'Gate', mode: 'impulse', state: 0, pulseMs: 700 } as const;
  const lamp = { numOutput: 1, name: 'Lamp', mode: 'on-off', state: 1, pulseMs: 500 } as const;
  const clock = new VirtualClock();

  /** Which parts are named as repeated, report by report. The database answers each in turn. */
  async function repeatedIn(answers: (boolean | Error)[], ...reports: ReportedOutput[][]): Promise<unknown[]> {
    const seen: DeviceReport['repeated'][] = [];
    const saveReport = async (_login: string, _epoch: number, report: DeviceReport): Promise<boolean> => {
      seen.push(report.repeated);
      const answer = answers.shift() ?? true;
      if (answer instanceof Error) throw answer;
      return answer;
    };
    const deps = { store: { saveReport }, clock, budgets: writeBudgets(clock), log: collectingLog() };
    const saver = new ReportSaver(deps, 'gate', 1);
    for (const [seq, outputs] of reports.entries()) {
      saver.save({
        outputs,
        inputs: [],
        faults: [`as from report ${Math.min(seq, 1)}`],
        observedAtMs: clock.epochMs(),
        seq,
      });
      await settled();
    }
    return seen;
  }

  test('is named, so that it is not written again', async () => {
    expect(await repeatedIn([], [gate, lamp], [gate, { ...lamp, name: 'Sign' }], [{ ...gate, state: 1 }])).toEqual([
      undefined,
      { noInputs: true, faults: false, settingsOf: [0] },
      { noInputs: true, faults: true, settingsOf: [0] },
    ]);
  });

  test('is no input, unless neither report has one: the time of a state is a new one with each report', async () => {
    const contact = { numInput: 3, name: 'Gate', kind: 'contact', state: 'open' };
    const seen: (boolean | undefined)[] = [];
    const saveReport = async (_login: string, _epoch: number, { repeated }: DeviceReport) =>
      seen.push(repeated?.noInputs) > 0;
    const deps = { store: { saveReport }, clock, budgets: writeBudgets(clock), log: collectingLog() };
    const saver = new ReportSaver(deps, 'gate', 1);
    for (const [seq, inputs] of [[], [], [contact], [contact], [], []].entries()) {
      saver.save({ outputs: [], inputs, faults: [], observedAtMs: clock.epochMs(), seq });
      await settled();
    }
    expect(seen).toEqual([undefined, true, false, false, false, true]);
  });

  test('is written again while a lock runs, and once more at its end', async () => {
    const locked = { ...lamp, lockedForMs: 60_000 };
    expect(await repeatedIn([], [gate, locked], [gate, locked], [gate, lamp])).toMatchObject([
      undefined,
      ...[{ settingsOf: [0] }, { settingsOf: [0] }],
    ]);
  });

  test('is what it says last of an output that it names twice', async () => {
    const sign = { ...lamp, name: 'Sign' };
    expect(await repeatedIn([], [lamp, sign], [sign, lamp], [sign, lamp])).toMatchObject([
      undefined,
      ...[{ settingsOf: [] }, { settingsOf: [1] }],
    ]);
  });

  test.each([
    ['ignored it', false],
    ['failed, and may have it', new Error('The database does not answer.')],
  ])('is nothing where the database has %s', async (_what, answer) => {
    expect(await repeatedIn([true, answer], [gate], [gate], [gate])).toEqual([
      undefined,
      { noInputs: true, faults: false, settingsOf: [0] },
      undefined,
    ]);
  });
});
