import { describe, expect, test } from '@jest/globals';
import * as limits from '@relaygate/shared';

describe('deadlines keep their order', () => {
  test.each<[string, number, number]>([
    ['nothing starts any more when the answer goes out', limits.EXECUTION_DEADLINE_MS, limits.RESPONSE_DEADLINE_MS],
    [
      'a database that hangs is given up before a command expires',
      limits.STORAGE_WRITE_TIMEOUT_MS,
      limits.EXECUTION_DEADLINE_MS,
    ],
    ['what is allowed is read again well inside the second that I13 gives', limits.AUTHORISATION_FRESH_MS, 1_000],
    ['a heartbeat comes before its link is given up', limits.HEARTBEAT_MS, limits.DEAD_LINK_MS],
    ['a handshake ends before silence would end it', limits.HANDSHAKE_MS, limits.DEAD_LINK_MS],
    ['several time samples live at once', 2 * limits.HEARTBEAT_MS, limits.TIME_SAMPLE_LIFE_MS],
    ['backoff grows', limits.BACKOFF_BASE_MS, limits.BACKOFF_CAP_MS],
    ['a pulse has a range', limits.PULSE_MIN_MS, limits.PULSE_MAX_MS],
    [
      'the guard has answered a command before it counts as away',
      limits.EXECUTION_DEADLINE_MS + limits.DRIVE_TIMEOUT_MS + limits.SAVE_PATIENCE_MS + limits.FEEDBACK_MAX_MS,
      limits.GUARD_ANSWER_MS,
    ],
    ['an interlock lets a command switch in time', limits.INTERLOCK_DELAY_MAX_MS, limits.EXECUTION_DEADLINE_MS],
    ['no loss is called after one missed sign of life', 2 * limits.AGENT_HEARTBEAT_MS, limits.LOSS_MIN_MS],
  ])('%s', (_why, sooner, later) => {
    expect(sooner).toBeLessThan(later);
  });

  test('an answer to welcome fits into a frame', () => {
    const outcome = {
      commandId: 'c'.repeat(36),
      outcome: 'already-set',
      reason: 'r'.repeat(64),
      numOutput: 999,
      state: 1,
    };
    const resume = { type: 'resume', outcomes: Array(limits.MAX_UNRESOLVED_PER_WELCOME).fill(outcome), notStarted: [] };
    expect(JSON.stringify(resume).length).toBeLessThan(limits.LINK_MAX_FRAME_BYTES);
  });
});
