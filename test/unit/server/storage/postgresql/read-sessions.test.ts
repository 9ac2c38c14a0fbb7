import { expect, test } from '@jest/globals';
import type { KeptSession } from '@relaygate/server/storage/postgresql/kept-session';
import { readSql } from '@relaygate/server/storage/postgresql/read-sessions';
import { VirtualClock } from '../../../../support/time/virtual-clock';

/** Connections that answer nothing; `silentMs`: of each one, as long as it is asked. */
function connections(...silentMs: number[]) {
  const asked = silentMs.map(() => 0);
  const kept = silentMs.map((ms, n) => ({
    session: {
      get unanswered() {
        return asked[n] ?? 0;
      },
      silentMs: ms,
      isLost: false,
      ask: () => {
        asked[n] = (asked[n] ?? 0) + 1;
        return new Promise<never>(() => {});
      },
    },
  }));
  return { asked, sql: readSql(kept as unknown as KeptSession[], new VirtualClock(), false) };
}

test.each<[string, number[], 'get' | 'all', number, number[]]>([
  ['a few rows travel together', [0, 0, 0, 0], 'get', 20, [20, 0, 0, 0]],
  ['many rows are divided', [0, 0, 0, 0], 'get', 200, [50, 50, 50, 50]],
  ['no row goes to a connection that answers nothing', [500, 0, 0], 'get', 20, [0, 20, 0]],
  ['lists are divided, and leave the first connection to rows', [0, 0, 0, 0], 'all', 3, [0, 1, 1, 1]],
])('%s', async (_what, silentMs, read, times, expected) => {
  const { asked, sql } = connections(...silentMs);
  for (let n = 0; n < times; n += 1) void sql[read]('SELECT 1');
  await Promise.resolve();
  expect(asked).toEqual(expected);
});
