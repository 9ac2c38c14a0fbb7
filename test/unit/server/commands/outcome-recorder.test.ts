import { describe, expect, test } from '@jest/globals';
import type { OutcomeRecord } from '@relaygate/server/commands/command-store';
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
    const recorder = new OutcomeRecorder(refused as never, clock, clock, log);
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
  test('is written again with the time of that, so that it does not undo a later report', async () => {
    const [clock, log] = [new VirtualClock(), collectingLog()];
    const tried: OutcomeRecord[] = [];
    const recordOutcome = async (record: OutcomeRecord): Promise<boolean> => {
      tried.push(record);
      if (tried.length === 1) throw new Error('The database is locked.');
      return true;
    };
    const recorder = new OutcomeRecorder({ recordOutcome } as never, clock, clock, log);
    const startMs = clock.epochMs();
    recorder.record(outcome('c1'));
    await clock.advance(1_000);
    expect(tried).toEqual([startMs, startMs + 250].map((writtenAtMs) => ({ ...outcome('c1'), writtenAtMs })));
    expect(recorder.healthy).toBe(true);
  });

  test.each([
    ['a report', null, [null, null]],
    ['a result of the same output', 0, [null, 1]],
  ])(
    'says nothing of states once %s has come since, in whatever millisecond (I11)',
    async (_name, numOutput, states) => {
      const [clock, log] = [new VirtualClock(), collectingLog()];
      let isLocked = true;
      const written: OutcomeRecord[] = [];
      const recordOutcome = async (record: OutcomeRecord): Promise<boolean> => {
        if (isLocked) throw new Error('The database is locked.');
        written.push(record);
        return true;
      };
      const recorder = new OutcomeRecorder({ recordOutcome } as never, clock, clock, log);
      for (const output of [0, 1])
        recorder.record({ ...outcome(`c${output}`), observed: { numOutput: output, state: 1 } });
      await settled();
      recorder.overtaken('gate-1', numOutput);
      isLocked = false;
      await clock.advance(1_000);
      expect(written.map(({ observed }) => observed?.state ?? null)).toEqual(states);
    },
  );
});
