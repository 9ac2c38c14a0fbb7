import { expect, test } from '@jest/globals';
import { ReportSaver } from '@relaygate/server/gateway/report-saver';
import type { DeviceReport } from '@relaygate/server/products/product-store';
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
  const reports = new ReportSaver({ store: { saveReport }, clock, log }, 'gate', 1);
  for (const turn of [1, 2]) {
    reports.save({ outputs: [], faults: [], observedAtMs: clock.epochMs(), turn });
    await settled();
  }
  isLocked = false;
  await clock.advance(1_000);
  expect(saved.map(({ turn }) => turn)).toEqual([2]);
});
