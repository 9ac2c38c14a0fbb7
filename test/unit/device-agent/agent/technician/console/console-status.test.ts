/** What the console shows of the device. */
import { beforeEach, expect, test } from '@jest/globals';
import { completeOutput } from '@relaygate/shared/device';
import { DEMO_OUTPUTS } from '../../../../../support/device/device';
import { BY_CONSOLE, item, loggedIn, PAGE_ON, STATUS, type Talk } from './console-talk';

let talk: Talk;
beforeEach(async () => {
  talk = await loggedIn();
});

test('the status tells link, outputs and faults', async () => {
  const shown = await talk.lines('1');
  expect(shown).toContain('Link         down (nobody answers)');
  expect(shown).toMatch(/ 2 {2}Output 2 +off +impulse 500 ms/);
  expect(shown).toContain('- Not linked: nobody answers.');
});

test.each([
  [
    'en',
    [
      'Inputs:',
      ' 0  Gate closed           open       contact, for 1h 59m',
      ' 1  Exit                  unknown    button',
    ],
  ],
  [
    'fr',
    [
      'Entrées :',
      ' 0  Gate closed           ouvert     contact, depuis 1 h 59 min',
      ' 1  Exit                  inconnu    bouton',
    ],
  ],
] as const)('the status tells what each input shows and for how long, in columns (%s)', async (language, lines) => {
  talk = await loggedIn(language);
  const forMs = 7_140_000;
  talk.status = {
    ...STATUS,
    inputs: [
      { numInput: 0, name: 'Gate closed', kind: 'contact', state: 'open', forMs },
      { numInput: 1, name: 'Exit', kind: 'button', state: null },
      { numInput: 2, name: 'x'.repeat(60), kind: 'tamper', state: 'closed', forMs },
    ],
  };
  const shown = await talk.lines('1');
  expect(shown).toContain(lines.join('\r\n'));
  for (const line of shown.split('\r\n')) expect([...line].length).toBeLessThanOrEqual(79);
  expect(shown).toMatch(/ 2 {2}x{19}~ {2}\S+ +[^\r]* (1h 59m|1 h 59 min)\r/);
});

test('64 outputs come in screens, and nothing of others reaches the terminal as it is', async () => {
  const outputs = Array.from({ length: 64 }, (_, numOutput) => ({
    numOutput,
    ...completeOutput({ ...(DEMO_OUTPUTS[0] as (typeof DEMO_OUTPUTS)[number]), name: `\u009b2J${'x'.repeat(60)}` }),
    state: null,
  }));
  talk.status = { ...STATUS, outputs };
  const first = await talk.lines('1');
  expect(first).toMatch(/-- Enter: more, q: enough -- $/);
  expect(first.split('\r\n').length).toBeLessThanOrEqual(24);
  for (const line of first.split('\r\n')) expect([...line].length).toBeLessThanOrEqual(79);
  expect(first).not.toContain('\u009b');
  expect(await talk.lines('q')).toContain(' 1  Status');
});

test('switches the page on, with a Wi-Fi where that is wanted, and off again', async () => {
  expect(await talk.lines('7')).toMatch(/Web page +off, no port is open[\s\S]*Wi-Fi of this device\? \(y\/n\) $/);
  expect(await talk.lines('y')).toContain('Switch the page on for 30 min? (y/n) ');
  const shown = await talk.lines('y');
  for (const word of ['https://192.0.2.7:8443/', 'AA:BB', 'abcd-efgh-jkmn']) expect(shown).toContain(word);
  expect(talk.acts).toEqual([{ type: 'web-on', request: { forMs: 1_800_000, hotspot: true, ...BY_CONSOLE } }]);
  talk.web = PAGE_ON;
  await talk.lines('7', 'n');
  expect(talk.acts).toHaveLength(1);
  expect(await talk.lines('7', 'y')).toContain('Done.');
  expect(talk.acts[1]).toEqual({ type: 'web-off', request: { ...BY_CONSOLE } });
});

test('shows the last 20 lines of the log, the newest last', async () => {
  const event = { sinceBootMs: 5_400, kind: 'command' as const };
  talk.answers = async () => ({
    logId: 'l',
    events: [
      { seq: 1, at: null, ...event, text: 'set 0 on by ana' },
      { seq: 2, at: '2026-03-01T12:00:05.000Z', ...event, text: 'pulse 2 by console' },
    ],
  });
  const shown = await talk.lines(item('log'));
  expect(shown).toContain('5 s after a boot  command   set 0 on by ana\r\n2026-03-01 12:00:05');
  expect(shown).toContain('2026-03-01 12:00:05  command   pulse 2 by console');
  expect(talk.asked).toEqual([{ type: 'log', request: { limit: 20, waitMs: 0, language: 'en' } }]);
  talk.answers = async () => ({ logId: 'l', events: [] });
  expect(await talk.lines(item('log'))).toContain('Nothing has happened since the log began.');
});
