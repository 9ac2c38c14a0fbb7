import { expect, test } from '@jest/globals';
import { BoundedLog } from '@relaygate/server/bounded-log';
import { MAX_FAULTS_LOGGED_PER_MINUTE, RelaygateError } from '@relaygate/shared';
import { collectingLog } from '../../support/collecting-log';
import { VirtualClock } from '../../support/virtual-clock';

const UNAVAILABLE = new RelaygateError('storage-unavailable');

function started() {
  const [lines, clock] = [collectingLog(), new VirtualClock()];
  const log = new BoundedLog(lines, clock);
  const fail = (event: string, times: number, err: unknown = UNAVAILABLE): void => {
    for (let n = 0; n < times; n += 1) log.error({ n, err }, event);
  };
  return { lines: lines.lines, clock, log, fail };
}

test('the first faults of a minute by themselves, the others in one line at its end', async () => {
  const { lines, clock, fail } = started();
  fail('request failed', MAX_FAULTS_LOGGED_PER_MINUTE + 300);
  expect(lines.map(({ fields }) => fields.n)).toEqual(
    Array.from({ length: MAX_FAULTS_LOGGED_PER_MINUTE }, (_, n) => n),
  );
  await clock.advance(60_000);
  expect(lines.slice(MAX_FAULTS_LOGGED_PER_MINUTE)).toEqual([
    { level: 'error', event: 'more lines: request failed', fields: { code: 'storage-unavailable', more: 300 } },
  ]);
  fail('request failed', 1);
  expect(lines).toHaveLength(MAX_FAULTS_LOGGED_PER_MINUTE + 2);
  // Nothing was left out in the second minute.
  await clock.advance(60_000);
  expect(lines).toHaveLength(MAX_FAULTS_LOGGED_PER_MINUTE + 2);
  expect(clock.pendingTimers).toBe(0);
});

test('a flood of one fault hides no other: not of another event, not of another error', () => {
  const { lines, log, fail } = started();
  fail('request failed', 1_000);
  const before = lines.length;
  fail('request failed', 1, new TypeError('a defect'));
  log.warn({ err: UNAVAILABLE }, 'report not saved, tried again');
  expect(lines.slice(before).map(({ level, event }) => [level, event])).toEqual([
    ['error', 'request failed'],
    ['warn', 'report not saved, tried again'],
  ]);
});

test('lines without an error are all written: links, refusals, lost outcomes', async () => {
  const { lines, clock, log } = started();
  for (let n = 0; n < 100; n += 1) {
    log.info({ n }, 'link up');
    log.warn({ n }, 'request refused');
    log.error({ lost: n }, 'outcome lost');
  }
  expect(lines).toHaveLength(300);
  await clock.advance(60_000);
  expect(lines).toHaveLength(300);
});

test('a stop logs what was counted, and leaves no timer', () => {
  const { lines, clock, log, fail } = started();
  log.stop();
  expect(lines).toEqual([]);
  fail('request failed', MAX_FAULTS_LOGGED_PER_MINUTE + 2);
  log.stop();
  expect(lines.at(-1)?.fields).toEqual({ code: 'storage-unavailable', more: 2 });
  expect(clock.pendingTimers).toBe(0);
});
