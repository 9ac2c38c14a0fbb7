import { describe, expect, test } from '@jest/globals';
import { OutcomeRecorder } from '@relaygate/server/commands/outcome-recorder';
import { collectingLog } from '../../../support/collecting-log';
import { settled, VirtualClock } from '../../../support/virtual-clock';

const outcome = (commandId: string) => ({
  commandId,
  productLogin: 'gate-1',
  outcome: 'executed' as const,
  reason: null,
  resolvedAtMs: 0,
  observed: null,
});

describe('a recorder that was stopped', () => {
  test('keeps no timer for an outcome that comes later and cannot be written, so the process can end', async () => {
    const [clock, log] = [new VirtualClock(), collectingLog()];
    const refused = { recordOutcome: () => Promise.reject(new Error('The database is closed.')) };
    const recorder = new OutcomeRecorder(refused as never, clock, log);
    await recorder.stop(1_000);
    recorder.record(outcome('late'));
    await settled();
    expect(clock.pendingTimers).toBe(0);
    expect(log.lines).toEqual([
      expect.objectContaining({ event: 'outcome not written when the server stopped', level: 'error' }),
    ]);
  });
});
