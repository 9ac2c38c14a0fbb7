import { describe, expect, test } from '@jest/globals';
import type { OutcomeRecord } from '@relaygate/server/commands/command-store';
import { OutcomeRecorder } from '@relaygate/server/commands/outcome-recorder';
import { MAX_OUTCOMES_TO_RETRY } from '@relaygate/shared';
import { collectingLog } from '../../../support/server/collecting-log';
import { settled, VirtualClock } from '../../../support/time/virtual-clock';

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

describe('an outcome that the database refuses', () => {
  test('is tried again until it is taken', async () => {
    const [clock, log] = [new VirtualClock(), collectingLog()];
    const tried: OutcomeRecord[] = [];
    const recordOutcome = async (record: OutcomeRecord): Promise<boolean> => {
      tried.push(record);
      if (tried.length === 1) throw new Error('The database is locked.');
      return true;
    };
    const recorder = new OutcomeRecorder({ recordOutcome } as never, clock, log);
    recorder.record(outcome('c1'));
    await settled();
    expect(recorder.healthy).toBe(false);
    await clock.advance(1_000);
    expect(tried).toEqual([outcome('c1'), outcome('c1')]);
    expect(recorder.healthy).toBe(true);
  });

  test('stays, though the write of an earlier one of its command ends, which was dropped as one too many', async () => {
    const writes: { commandId: string; end: { resolve(): void; reject(error: Error): void } }[] = [];
    const recordOutcome = ({ commandId }: OutcomeRecord) =>
      new Promise<void>((resolve, reject) => writes.push({ commandId, end: { resolve, reject } }));
    const recorder = new OutcomeRecorder({ recordOutcome } as never, new VirtualClock(), collectingLog());
    recorder.record(outcome('c1'));
    for (let n = 0; n < MAX_OUTCOMES_TO_RETRY; n += 1) recorder.record(outcome(`other-${n}`));
    expect(recorder.latest('c1')).toBeUndefined();
    recorder.record(outcome('c1'));
    const [dropped, late] = writes.filter(({ commandId }) => commandId === 'c1').map(({ end }) => end);
    dropped?.resolve();
    await settled();
    late?.reject(new Error('The database is locked.'));
    await settled();
    expect(recorder.latest('c1')).toEqual(outcome('c1'));
    expect(recorder.healthy).toBe(false);
  });
});
