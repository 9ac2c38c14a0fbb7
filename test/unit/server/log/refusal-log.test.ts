import { expect, test } from '@jest/globals';
import { RefusalLog } from '@relaygate/server/log/refusal-log';
import { MAX_REFUSALS_LOGGED_PER_MINUTE, REFUSALS_LOGGED_PER_SOURCE } from '@relaygate/shared';
import { collectingLog } from '../../../support/server/collecting-log';
import { VirtualClock } from '../../../support/time/virtual-clock';

const SOURCES_WITH_ALL_LINES = MAX_REFUSALS_LOGGED_PER_MINUTE / REFUSALS_LOGGED_PER_SOURCE;

function started() {
  const [log, clock] = [collectingLog(), new VirtualClock()];
  let asked = 0;
  const refusals = new RefusalLog(log, clock, 'request');
  const note = (address: string, times = 1, code: 'bad-token' | 'client-key-not-found' = 'bad-token'): void => {
    for (let n = 0; n < times; n += 1)
      refusals.note(code, address, () => {
        asked += 1;
        return { path: '/x' };
      });
  };
  return { log, clock, refusals, note, asked: () => asked };
}

test('one address: the first of a minute by themselves, the others in one line at its end', async () => {
  const { log, clock, note, asked } = started();
  note('a', REFUSALS_LOGGED_PER_SOURCE + 312);
  expect(log.lines).toEqual(
    Array(REFUSALS_LOGGED_PER_SOURCE).fill({
      level: 'info',
      event: 'request refused',
      fields: { code: 'bad-token', address: 'a', path: '/x' },
    }),
  );
  // Nothing is worked out for a line that is not written.
  expect(asked()).toBe(REFUSALS_LOGGED_PER_SOURCE);
  await clock.advance(60_000);
  expect(log.lines.slice(REFUSALS_LOGGED_PER_SOURCE)).toEqual([
    { level: 'info', event: 'more requests refused', fields: { code: 'bad-token', address: 'a', more: 312 } },
  ]);
  note('a');
  expect(log.lines).toHaveLength(REFUSALS_LOGGED_PER_SOURCE + 2);
  // And nothing of the second minute is left to report.
  await clock.advance(60_000);
  expect(log.lines).toHaveLength(REFUSALS_LOGGED_PER_SOURCE + 2);
  expect(clock.pendingTimers).toBe(0);
});

test('many addresses: a bounded number of lines, then one for all that had none', async () => {
  const { log, clock, note } = started();
  for (let n = 0; n < 10_000; n += 1) note(`address ${n}`, REFUSALS_LOGGED_PER_SOURCE + 1);
  expect(log.lines).toHaveLength(MAX_REFUSALS_LOGGED_PER_MINUTE);
  await clock.advance(60_000);
  expect(log.lines).toHaveLength(MAX_REFUSALS_LOGGED_PER_MINUTE + SOURCES_WITH_ALL_LINES + 1);
  expect(log.lines.at(-1)).toEqual({
    level: 'info',
    event: 'requests of further addresses refused',
    fields: { code: 'bad-token', more: (10_000 - SOURCES_WITH_ALL_LINES) * (REFUSALS_LOGGED_PER_SOURCE + 1) },
  });
});

test('a flood of one code takes no line from another', () => {
  const { log, note } = started();
  for (let n = 0; n < MAX_REFUSALS_LOGGED_PER_MINUTE + 1; n += 1) note(`address ${n}`);
  note('guesser', 1, 'client-key-not-found');
  expect(log.lines.at(-1)).toMatchObject({
    level: 'warn',
    fields: { code: 'client-key-not-found', address: 'guesser' },
  });
});

test('a line after the stop is written, and starts no timer that would keep the process', () => {
  const { log, clock, refusals, note } = started();
  refusals.stop();
  note('a');
  expect(log.lines).toMatchObject([{ event: 'request refused', fields: { address: 'a' } }]);
  expect(clock.pendingTimers).toBe(0);
});

test('a stop logs what was counted, and leaves no timer', () => {
  const { log, clock, refusals, note } = started();
  refusals.stop();
  expect(log.lines).toEqual([]);
  note('a', REFUSALS_LOGGED_PER_SOURCE + 2);
  refusals.stop();
  expect(log.lines.at(-1)).toMatchObject({ fields: { address: 'a', more: 2 } });
  expect(clock.pendingTimers).toBe(0);
});
