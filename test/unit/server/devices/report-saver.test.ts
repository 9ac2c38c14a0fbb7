import { expect, test } from '@jest/globals';
import type { DeviceReport } from '@relaygate/server/devices/device-store';
import { ReportSaver } from '@relaygate/server/devices/report-saver';
import { writeBudgets } from '@relaygate/server/write-budgets';
import { WRITE_LIMITS } from '@relaygate/shared';
import { collectingLog } from '../../../support/collecting-log';
import { settled, VirtualClock } from '../../../support/virtual-clock';

test('a report that could not be saved gives way to the next, and that is tried again (I11)', async () => {
  const [clock, log] = [new VirtualClock(), collectingLog()];
  const saved: DeviceReport[] = [];
  let isLocked = true;
  const saveReport = async (_login: string, _epoch: number, report: DeviceReport): Promise<void> => {
    if (isLocked) throw new Error('The database is locked.');
    saved.push(report);
  };
  const reports = new ReportSaver({ store: { saveReport }, clock, budgets: writeBudgets(clock), log }, 'gate', 1);
  for (const seq of [1, 2]) {
    reports.save({ outputs: [], faults: [], observedAtMs: clock.epochMs(), seq });
    await settled();
  }
  isLocked = false;
  await clock.advance(1_000);
  expect(saved.map(({ seq }) => seq)).toEqual([2]);
});

test('reports without end are saved at the rate of their product, the newest each time, and the last one too (I15)', async () => {
  const [clock, log] = [new VirtualClock(), collectingLog()];
  const saved: number[] = [];
  const saveReport = async (_login: string, _epoch: number, { seq }: DeviceReport) => void saved.push(seq);
  const budgets = writeBudgets(clock);
  const savers = [1, 2].map((epoch) => new ReportSaver({ store: { saveReport }, clock, budgets, log }, 'gate', epoch));
  const { burst, perSecond } = WRITE_LIMITS.reports;
  let seq = 0;
  for (let second = 0; second < 100; second += 1) {
    for (let n = 0; n < 50; n += 1) {
      seq += 1;
      savers[seq % 2]?.save({ outputs: [], faults: [], observedAtMs: clock.epochMs(), seq });
      await clock.advance(20);
    }
  }
  expect(saved.length).toBeLessThanOrEqual(burst + 100 * perSecond + 2);
  expect(saved.length).toBeGreaterThan(burst + 90 * perSecond);
  await clock.advance(2_000);
  expect(saved).toEqual(expect.arrayContaining([seq, seq - 1]));
  expect(clock.pendingTimers).toBe(0);
});
