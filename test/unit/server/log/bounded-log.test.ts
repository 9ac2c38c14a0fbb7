import { expect, test } from '@jest/globals';
import { BoundedLog } from '@relaygate/server/log/bounded-log';
import { MAX_FAULT_KINDS_PER_EVENT, MAX_FAULTS_LOGGED_PER_MINUTE, RelaygateError } from '@relaygate/shared';
import { collectingLog } from '../../../support/server/collecting-log';
import { VirtualClock } from '../../../support/time/virtual-clock';

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
    {
      level: 'error',
      event: 'more lines: request failed',
      fields: { code: 'storage-unavailable', more: 300, lastMessage: UNAVAILABLE.message },
    },
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

/** Each from a place of its own. */
const DEFECTS = [() => new TypeError('x is undefined'), () => new TypeError('x is undefined')];

test('a flood of one defect hides no other one of the same class, but for its own text it is the same', () => {
  const { lines, log, fail } = started();
  for (let n = 0; n < 100; n += 1) log.error({ err: Object.assign(DEFECTS[0]?.() ?? {}, { message: `of ${n}` }) }, 'x');
  expect(lines).toHaveLength(MAX_FAULTS_LOGGED_PER_MINUTE);
  fail('x', 1, DEFECTS[1]?.());
  expect(lines).toHaveLength(MAX_FAULTS_LOGGED_PER_MINUTE + 1);
});

test('a flood of one error of the system hides no other place that meets it', () => {
  const { lines, fail } = started();
  const full = (): Error => Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
  const [here, there] = [full(), ((): Error => full())()];
  here.stack = 'Error: ENOSPC\n at a.js:1';
  there.stack = 'Error: ENOSPC\n at b.js:1';
  fail('x', 100, here);
  fail('x', 1, there);
  expect(lines).toHaveLength(MAX_FAULTS_LOGGED_PER_MINUTE + 1);
});

test('a flood of one cause hides no other one of the same code; the last text is in the line of the others', () => {
  const { lines, log, fail } = started();
  const locked = new RelaygateError('storage-unavailable', 'The database is locked.');
  fail('x', 100, locked);
  fail('x', 1, new RelaygateError('storage-unavailable', 'The disk is full.'));
  expect(lines).toHaveLength(MAX_FAULTS_LOGGED_PER_MINUTE + 1);
  log.stop();
  expect(lines.at(-1)?.fields).toEqual({
    code: 'storage-unavailable',
    more: 100 - MAX_FAULTS_LOGGED_PER_MINUTE,
    lastMessage: 'The database is locked.',
  });
});

test('errors that all differ are bounded too, and hide none of another event (I15)', async () => {
  const { lines, clock, log, fail } = started();
  const written = (MAX_FAULT_KINDS_PER_EVENT + 1) * MAX_FAULTS_LOGGED_PER_MINUTE;
  const texts = Array.from({ length: 1_000 }, (_, n) => `Text ${n}.`);
  for (const text of texts) fail('x', MAX_FAULTS_LOGGED_PER_MINUTE, new RelaygateError('storage-unavailable', text));
  expect(lines).toHaveLength(written);
  fail('y', 1);
  expect(lines).toHaveLength(written + 1);
  log.stop();
  const more = texts.length * MAX_FAULTS_LOGGED_PER_MINUTE - written;
  const fields = { code: 'storage-unavailable', more, lastMessage: texts.at(-1) };
  expect(lines.slice(written + 1)).toEqual([{ level: 'error', event: 'more lines: x', fields }]);
  await clock.advance(60_000);
  expect(clock.pendingTimers).toBe(0);
});

test('long texts are one where they begin alike, and are cut in the line of the others', () => {
  const { lines, log, fail } = started();
  const begin = 'a'.repeat(1_000);
  for (let n = 0; n < 100; n += 1) fail('x', 1, new RelaygateError('unknown', `${begin}${n}`));
  expect(lines).toHaveLength(MAX_FAULTS_LOGGED_PER_MINUTE);
  log.stop();
  expect(String(lines.at(-1)?.fields.lastMessage).length).toBeLessThanOrEqual(200);
});

test('what is no error is logged like one', () => {
  const { lines, fail } = started();
  for (const thrown of ['text', null, 7]) fail('x', 1, thrown);
  expect(lines).toHaveLength(3);
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

test('a line after the stop is written, and starts no timer that would keep the process', () => {
  const { lines, clock, log, fail } = started();
  log.stop();
  fail('request failed', 1);
  expect(lines).toHaveLength(1);
  expect(clock.pendingTimers).toBe(0);
});

test('a stop logs what was counted, and leaves no timer', () => {
  const { lines, clock, log, fail } = started();
  log.stop();
  expect(lines).toEqual([]);
  fail('request failed', MAX_FAULTS_LOGGED_PER_MINUTE + 2);
  log.stop();
  expect(lines.at(-1)?.fields).toMatchObject({ code: 'storage-unavailable', more: 2 });
  expect(clock.pendingTimers).toBe(0);
});
