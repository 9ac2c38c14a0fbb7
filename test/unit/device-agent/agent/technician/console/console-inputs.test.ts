/** What the console asks before it changes what an input means. */
import { beforeEach, expect, test } from '@jest/globals';
import { BY_CONSOLE, item, loggedIn, type Talk } from './console-talk';

let talk: Talk;
const INPUTS = item('inputs');
beforeEach(async () => {
  talk = await loggedIn();
});
const asked = (numInput: number, change: object | null) => [
  { type: 'input', request: { numInput, change, ...BY_CONSOLE } },
];

test('shows what inputs mean', async () => {
  expect(await talk.lines(INPUTS)).toContain(' 2  Kind button, Name Exit, Level while closed or pressed low');
});

test('a contact is asked for kind, name and level, and for nothing that only buttons have', async () => {
  expect(await talk.lines(INPUTS, '0')).toContain('Kind');
  await talk.lines('1', 'Gate closed');
  expect(await talk.lines('1')).toContain('Name Gate closed, Level while closed or pressed high? (y/n) ');
  expect(talk.acts).toEqual([]);
  expect(await talk.lines('y')).toContain('restart relaygate-guard');
  expect(talk.acts).toEqual(asked(0, { kind: 'contact', name: 'Gate closed', activeLevel: 'high' }));
});

test('a button is asked for its output and what a press does', async () => {
  await talk.lines(INPUTS, '1', '3', 'Lamp', '', '0', '2', 'y');
  expect(talk.acts).toEqual(asked(1, { kind: 'button', name: 'Lamp', output: 0, action: 'toggle' }));
});

test('of one that means something already, Enter leaves what it is', async () => {
  await talk.lines(INPUTS, '2', '1', '', '');
  expect(await talk.lines('')).toContain('Number of its output: now 3.');
  await talk.lines('1', '', 'y');
  expect(talk.acts).toEqual(asked(2, { output: 1 }));
});

test('its meaning is taken away once that was confirmed', async () => {
  expect(await talk.lines(INPUTS, '2', '2')).toContain('2  no meaning? (y/n) ');
  await talk.lines('y');
  expect(talk.acts).toEqual(asked(2, null));
});

test.each([
  ['no input of a board', ['64']],
  ['no number', ['x']],
  ['no kind', ['0', '9']],
  ['no name', ['0', '1', '']],
  ['an output that is no number', ['1', '3', 'Lamp', '', 'x']],
  ['no confirmation', ['0', '1', 'Gate', '', 'n']],
])('%s changes nothing', async (_, lines) => {
  await talk.lines(INPUTS, ...lines, 'y');
  expect(talk.acts).toEqual([]);
});
