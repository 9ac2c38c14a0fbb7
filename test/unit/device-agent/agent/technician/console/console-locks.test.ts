/** Locks at the console. */
import { beforeEach, expect, test } from '@jest/globals';
import { BY_CONSOLE, item, loggedIn, STATUS, type Talk } from './console-talk';

let talk: Talk;
beforeEach(async () => {
  talk = await loggedIn();
});

test('locks an output for as long as was typed, once it was confirmed', async () => {
  expect(await talk.lines(item('locks'), '2')).toContain('For how long (such as 45m, 2h or 1d; 1m to 7d): ');
  expect(await talk.lines('2h')).toContain('Lock output 2 (Output 2) for 2h? (y/n) ');
  expect(talk.acts).toEqual([]);
  talk.answers = async (type) => (type === 'status' ? talk.status : { numOutput: 2, forMs: 7_200_000 });
  expect(await talk.lines('y')).toContain('Locked for 2h: no command of the server moves it.');
  expect(talk.acts).toEqual([{ type: 'lock', request: { numOutput: 2, forMs: 7_200_000, ...BY_CONSOLE } }]);
});

test.each(['2', '2 h', '30s', '8d', '-1h', 'h'])('"%s" is no duration of a lock', async (text) => {
  expect(await talk.lines(item('locks'), '2', text)).toMatch(/no such duration[\s\S]* 1 {2}Status/);
  expect(talk.acts).toEqual([]);
});

test('a locked output is unlocked, or locked for another time, with the old one in sight', async () => {
  const lock = { leftMs: 60_000, by: 'relayctl as ana' };
  talk.status = { ...STATUS, outputs: STATUS.outputs.map((output, n) => (n === 1 ? { ...output, lock } : output)) };
  expect(await talk.lines(item('locks'))).toContain('locked for 1m by relayctl as ana');
  expect(await talk.lines('1')).toMatch(/ 1 {2}Unlock\r\n 2 {2}Lock for another time\r\nChoice: $/);
  expect(await talk.lines('1')).toContain('Unlock output 1 (Output 1)? (y/n) ');
  expect(talk.acts).toEqual([]);
  talk.answers = async (type) => (type === 'status' ? talk.status : { numOutput: 1, wasLocked: true });
  expect(await talk.lines('y')).toContain('Done.');
  expect(talk.acts).toEqual([{ type: 'unlock', request: { numOutput: 1, ...BY_CONSOLE } }]);
  await talk.lines(item('locks'), '1', '2', '1d', 'y');
  expect(talk.acts[1]).toEqual({ type: 'lock', request: { numOutput: 1, forMs: 86_400_000, ...BY_CONSOLE } });
});

test('a lock that is in force and not saved is told as that, as is the output that has it', async () => {
  const lock = { leftMs: 60_000, by: 'ana', isUnsaved: true as const };
  talk.status = { ...STATUS, outputs: STATUS.outputs.map((output, n) => (n === 1 ? { ...output, lock } : output)) };
  const reply = { numOutput: 2, forMs: 7_200_000, unsaved: 'ENOSPC: no space left' };
  talk.answers = async (type) => (type === 'status' ? talk.status : reply);
  expect(await talk.lines(item('locks'))).toContain('in force, not saved: a restart ends it');
  expect(await talk.lines('2', '2h', 'y')).toContain(
    'It is in force, and NOT SAVED (ENOSPC: no space left): a restart ends it.',
  );
});

test('a lock that has run out meanwhile is told so', async () => {
  const lock = { leftMs: 1, by: 'x' };
  talk.status = { ...STATUS, outputs: STATUS.outputs.map((output) => ({ ...output, lock })) };
  await talk.lines(item('locks'), '0', '1');
  talk.answers = async (type) => (type === 'status' ? talk.status : { numOutput: 0, wasLocked: false });
  expect(await talk.lines('y')).toContain('It was so already.');
});
