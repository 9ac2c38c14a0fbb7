import { describe, expect, test } from '@jest/globals';
import { checkReported } from '../checker/reported';
import { WALL_START_MS } from '../machines/server-node';
import { newHistory } from '../witnesses/history';
import type { HeardFrame } from '../witnesses/link-record';

const productLogin = 'gate-0';
const READ_MS = 10_000;
/** When the server heard that the output is off, and that it is on. */
const OFF_MS = 2_000;
const ON_MS = 9_000;

const heard = (atMs: number, state: 0 | 1): HeardFrame => ({
  atMs,
  states: new Map([[0, state]]),
  commandId: null,
  inputs: null,
});

/** The output is shown as off, a second after the server heard that it is on; these groups of writes were refused. */
function problems(refusedMs: number[]): string[] {
  const history = newHistory();
  history.links.push({
    machine: productLogin,
    productLogin,
    hello: null,
    epoch: 1,
    welcomedMs: 900,
    upMs: 1_000,
    endedMs: null,
    resumedMs: 1_000,
    leftMs: null,
    closeCode: null,
    heard: [heard(OFF_MS, 0), heard(ON_MS, 1)],
    said: [],
    timesMs: [],
  });
  for (const atMs of refusedMs) history.groups.push({ atMs, mode: 'works', writes: 1, refused: 1, late: 0, failed: 0 });
  history.groups.push({ atMs: ON_MS + 100, mode: 'works', writes: 1, refused: 0, late: 0, failed: 0 });
  const iso = (ms: number): string => new Date(WALL_START_MS + ms).toISOString();
  const output = { numOutput: 0, state: 0, observedAt: iso(OFF_MS) };
  history.calls.push({
    client: 'client-0',
    request: { kind: 'state', productLogin },
    startMs: READ_MS - 10,
    arrivedMs: READ_MS,
    answeredMs: READ_MS + 1,
    receivedMs: READ_MS + 10,
    answer: { code: 'ok', body: { connected: true, lastSeenAt: iso(ON_MS), outputs: [output] } },
  });
  const facts = { history, hasTrouble: () => false, stored: () => [] };
  return checkReported(facts).map(({ sentence }) => sentence);
}

describe('the checker', () => {
  test('wants a report shown that nothing has kept from being written (I11)', () => {
    expect(problems([])).toEqual([expect.stringContaining('output 0 is 0')]);
  });

  test.each([9_000, 9_999])(
    'lets a report wait for its next try whose group was refused at %i ms, though the database is well (I11)',
    (ms) => {
      expect(problems([ms])).toEqual([]);
    },
  );

  test('wants a report shown once it had the time to be tried again, and looks at no later refusal (I11)', () => {
    expect(problems([8_699, READ_MS + 2])).toEqual([expect.stringContaining('the server has heard of it since')]);
  });
});
