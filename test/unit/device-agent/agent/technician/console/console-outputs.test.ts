/** What the console asks before it moves an output or changes its settings. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { RelaygateError } from '@relaygate/shared';
import { BY_CONSOLE, loggedIn, STATUS, type Talk } from './console-talk';

let talk: Talk;
beforeEach(async () => {
  talk = await loggedIn();
});

test('a pulse duration shows its range, asks, and tells the old and the new value', async () => {
  expect(await talk.lines('3', '2')).toContain('Now 500 ms; 50 to 3600000 ms.');
  expect(await talk.lines('750')).toContain('2 (Output 2): Pulse duration: 500 ms -> 750 ms? (y/n) ');
  expect(talk.acts).toEqual([]);
  expect(await talk.lines('y')).toContain('Saved. Pulse duration: 500 ms -> 750 ms.');
  const request = { numOutput: 2, change: { pulseMs: 750 }, force: false, ...BY_CONSOLE };
  expect(talk.acts).toEqual([{ type: 'output', request }]);
});

test.each([
  ['a pulse', ['2', '3', 'y'], { type: 'pulse', request: { numOutput: 3, ...BY_CONSOLE } }],
  ['on', ['2', '0', '1', 'YES'], { type: 'set', request: { numOutput: 0, state: 1, ...BY_CONSOLE } }],
  ['off', ['2', '1', '0', 'y'], { type: 'set', request: { numOutput: 1, state: 0, ...BY_CONSOLE } }],
  [
    'another name',
    ['4', '0', '1', 'Front gate', 'y'],
    { type: 'output', request: { numOutput: 0, change: { name: 'Front gate' }, force: false, ...BY_CONSOLE } },
  ],
  [
    'another mode',
    ['4', '0', '2', '2', 'y'],
    { type: 'output', request: { numOutput: 0, change: { mode: 'impulse' }, force: false, ...BY_CONSOLE } },
  ],
  [
    'another power-on policy',
    ['4', '1', '3', '3', 'y'],
    { type: 'output', request: { numOutput: 1, change: { powerOn: 'restore' }, force: false, ...BY_CONSOLE } },
  ],
])('%s is asked of the agent once it was confirmed', async (_what, lines, request) => {
  await talk.lines(...lines.slice(0, -1));
  expect(talk.acts).toEqual([]);
  await talk.lines(...lines.slice(-1));
  expect(talk.acts).toEqual([request]);
});

test.each([
  ['no', 'n'],
  ['nothing', ''],
  ['yes in the other language', 'o'],
  ['a number', '1'],
])('%s is no confirmation', async (_what, answer) => {
  expect(await talk.lines('2', '2', answer)).toContain('Nothing was done.');
  expect(talk.acts).toEqual([]);
});

test('a confirmation typed before its question counts for nothing', async () => {
  await talk.type('2\r2\ry\r');
  await talk.type('2\ry\r');
  expect(talk.screen).toMatch(/Pulse of 500 ms on output 2 \(Output 2\)\? \(y\/n\) $/);
  expect(talk.acts).toEqual([]);
});

test('a garbled confirmation is asked for again', async () => {
  await talk.lines('2', '2');
  expect(await talk.type(Uint8Array.of(0x79, 0xff, 0x0d))).toMatch(/garbled[\s\S]*\(y\/n\) $/);
  expect(talk.acts).toEqual([]);
  await talk.lines('y');
  expect(talk.acts).toHaveLength(1);
});

test('what the agent refuses is told in its words, and the menu comes again', async () => {
  const message = 'pulse-ms is a whole number from 50 to 3600000, not 7.';
  talk.answers = async (type) => {
    if (type === 'output') throw new RelaygateError('out-of-range', message);
    return STATUS;
  };
  expect(await talk.lines('3', '2', '7', 'y')).toMatch(/from 50 to 3600000, not 7\.[\s\S]* 1 {2}Status/);
});

test('numbers that are none, outputs and choices that are not there change nothing', async () => {
  expect(await talk.lines('3', '2', '7e2')).toContain('no whole number');
  expect(await talk.lines('3', '4')).toContain('no such choice');
  expect(await talk.lines('2', '-1')).toContain('no such choice');
  expect(await talk.lines('99')).toContain('no such choice');
  expect(talk.acts).toEqual([]);
});

describe('an output whose pulse runs', () => {
  const outputs = STATUS.outputs.map((output) =>
    output.numOutput === 2 ? { ...output, state: 1 as const, pulseSinceMs: 77, pulseLeftMs: 400 } : output,
  );
  const answering = (outcome: string): void => {
    talk.answers = async (type) =>
      type === 'status' ? { ...STATUS, outputs } : { outcome, numOutput: 2, state: outcome === 'ignored' ? 1 : 0 };
  };

  test('can have it ended, by the name of the pulse that was shown, and a gate that moves is not promised to stop', async () => {
    answering('executed');
    expect(await talk.lines('2', '2')).toContain('End pulse (a gate that moves goes on)');
    expect(await talk.lines('1')).toContain('The pulse was ended. A gate that moves goes on.');
    const request = { numOutput: 2, pulseSinceMs: 77, ...BY_CONSOLE };
    expect(talk.acts).toEqual([{ type: 'stop', request }]);
  });

  test('is told where that has ended meanwhile', async () => {
    answering('already-set');
    expect(await talk.lines('2', '2', '1')).toContain('No pulse runs any more.');
  });

  test('says that a pulse once more was ignored', async () => {
    answering('ignored');
    expect(await talk.lines('2', '2', '2', 'y')).toContain('Ignored: a pulse runs already.');
    expect(talk.acts).toMatchObject([{ type: 'pulse' }]);
  });
});
