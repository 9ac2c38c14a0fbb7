import { expect, test } from '@jest/globals';
import { ReportSaver } from '@relaygate/server/gateway/report-saver';
import type { DeviceReport } from '@relaygate/server/products/product-store';
import { collectingLog } from '../../../support/collecting-log';
import { settled, VirtualClock } from '../../../support/virtual-clock';

test('a report that could not be saved does not undo what a result has told since, in the same millisecond (I11)', async () => {
  const [clock, log] = [new VirtualClock(), collectingLog()];
  const saved: DeviceReport[] = [];
  let isLocked = true;
  const saveReport = async (_login: string, _epoch: number, report: DeviceReport): Promise<void> => {
    if (isLocked) throw new Error('The database is locked.');
    saved.push(report);
  };
  const reports = new ReportSaver({ store: { saveReport }, clock, wallClock: clock, log }, 'gate', 1);
  const output = { name: 'Gate', mode: 'on-off', state: 0, pulseMs: 500 } as const;
  const outputs = [0, 1].map((numOutput) => ({ ...output, numOutput }));
  reports.save({ outputs, faults: [], observedAtMs: clock.epochMs() });
  await settled();
  reports.overtaken(1, 1);
  isLocked = false;
  await clock.advance(1_000);
  expect(saved.map((report) => report.outputs.map(({ state }) => state))).toEqual([[0, 1]]);
});
