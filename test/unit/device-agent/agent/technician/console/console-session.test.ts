/** One login: its PIN, its end, and whatever is typed. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { IDLE_MS, REFUSED_PAUSE_MS } from '@relaygate/device-agent/agent/technician/console/console-session';
import { localeOf } from '@relaygate/device-agent/locales/locales';
import fc from 'fast-check';
import { generatedRounds } from '../../../../../support/chance/generated-rounds';
import { settled } from '../../../../../support/time/virtual-clock';
import { item, PIN, Talk } from './console-talk';

let talk: Talk;
beforeEach(async () => {
  talk = new Talk();
  await settled();
});

describe('the PIN', () => {
  test('is asked for first, and nothing of the device is shown before', async () => {
    expect(talk.screen).toBe('\r\nRelaygate\r\nPIN: ');
    await talk.lines('1', 'y', '');
    expect(talk.screen).not.toContain('gate-1');
    expect(talk.asked).toEqual([]);
  });

  test('is shown as stars, and opens', async () => {
    const shown = await talk.lines(PIN);
    expect(shown).toContain('********');
    expect(shown).not.toContain(PIN);
    expect(shown).toContain(' 1  Status');
  });

  test('opens nothing when it is wrong, and says how long to wait', async () => {
    expect(await talk.lines('00000000')).toContain('Wrong PIN.');
    talk.verdict = { ok: false, problem: 'wrong', waitS: 60 };
    await talk.clock.advance(REFUSED_PAUSE_MS);
    expect(await talk.lines('00000000')).toContain('Wrong PIN. Too many wrong ones: wait 60 s.');
    talk.verdict = { ok: false, problem: 'wait', waitS: 3_600 };
    await talk.clock.advance(REFUSED_PAUSE_MS);
    expect(await talk.lines(PIN)).toContain('wait 60 min.');
    expect(talk.screen).not.toContain('Status');
  });

  test('that is missing says how to make one', async () => {
    talk.verdict = { ok: false, problem: 'no-pin' };
    expect(await talk.lines(PIN)).toContain('relayctl identity --new-pin');
  });

  test('what cannot be one is no try, and a line that echoes all of it asks twice a second at most', async () => {
    for (let turn = 0; turn < 100; turn += 1) await talk.type('Relaygate\r\nPIN: \r\n');
    expect(talk.pinsTried).toBe(0);
    expect(talk.screen.match(/8 digits/g)).toHaveLength(1);
  });

  test('is not looked at when it is garbled', async () => {
    expect(await talk.type(Buffer.from([...Buffer.from(PIN), 0x00, 0x0d]))).toContain('garbled');
    expect(talk.pinsTried).toBe(0);
    expect(await talk.lines(PIN)).toContain('Status');
  });
});

describe('logged in', () => {
  beforeEach(async () => {
    await talk.lines(PIN);
  });

  test('ends with "quit", and after five minutes without a key', async () => {
    await talk.lines(item('quit'));
    expect(talk.overs).toEqual([null]);
    const other = new Talk();
    await settled();
    await other.lines(PIN);
    await other.clock.advance(IDLE_MS - 1);
    await other.type('x');
    await other.clock.advance(IDLE_MS - 1);
    await other.type(Uint8Array.of(0xff, 0x00));
    expect(other.overs).toEqual([]);
    await other.clock.advance(1);
    expect(other.overs).toEqual([null]);
    expect(other.screen).toContain('Session closed');
    expect(await other.lines('2', '2', 'y')).toBe('');
    expect(other.acts).toEqual([]);
  });

  test('a new PIN that is made while a page asks keeps its answer from doing anything', async () => {
    await talk.lines('2', '2');
    talk.pin.id = 'pin-2';
    expect(await talk.lines('y')).toContain('Session closed: a new PIN was made.');
    expect(talk.acts).toEqual([]);
    expect(talk.overs).toEqual([null]);
  });

  test('a PIN that was taken away ends the login too', async () => {
    talk.pin.id = null;
    expect(await talk.lines('1')).toContain('Session closed');
  });

  test('ends from outside in the middle of a question, for good', async () => {
    await talk.lines('2', '2');
    talk.session.end();
    expect(await talk.lines('y')).toBe('');
    expect(talk.acts).toEqual([]);
    expect(talk.overs).toEqual([]);
  });
});

test('a PIN that is still being checked when nobody is there any more opens nothing', async () => {
  talk.session.bytes(Buffer.from(`${PIN}\r`));
  talk.session.end();
  await settled();
  expect(await talk.lines('1')).toBe('');
  expect(talk.asked).toEqual([]);
});

test('a fault of ours ends the login, and is told', async () => {
  talk.answers = () => Promise.reject(new Error('boom'));
  await talk.lines(PIN, '1');
  expect(talk.overs).toMatchObject([{ message: 'boom' }]);
});

describe('whatever is typed', () => {
  const words = [
    '1',
    '2',
    '3',
    '4',
    '5',
    '6',
    '7',
    '8',
    '9',
    '0',
    'y',
    'o',
    'n',
    '',
    '750',
    '2h',
    item('language'),
    'q',
    '\x03',
    'x',
  ];
  const chunk = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...words).map((word) => Buffer.from(`${word}\r`)) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }) },
    { weight: 1, arbitrary: fc.string({ maxLength: 20 }).map((text) => Buffer.from(text)) },
  );

  test('without the PIN nothing is asked of the agent, and nothing shown of the device', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(chunk, { maxLength: 40 }), async (chunks) => {
        const stranger = new Talk();
        await settled();
        for (const bytes of chunks) {
          await stranger.type(bytes);
          await stranger.clock.advance(REFUSED_PAUSE_MS);
        }
        expect(stranger.asked).toEqual([]);
        expect(stranger.screen).not.toMatch(/gate-1|Output \d/);
      }),
      generatedRounds(100, 300),
    );
  });

  test('nothing is done but what the line before has said yes to', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(chunk, { maxLength: 60 }), async (chunks) => {
        const person = new Talk();
        await settled();
        expect(await person.lines(PIN)).toContain(' 1  Status');
        for (const bytes of chunks) {
          const [actsBefore, before] = [person.acts.length, person.screen.length];
          const asksToConfirm = /\? \((y|o)\/n\) [^\r\n]*$/.test(person.screen);
          await person.type(bytes);
          const done = person.acts.length - actsBefore;
          if (done === 0) continue;
          expect(done).toBe(1);
          expect(asksToConfirm).toBe(true);
          const typed = person.screen.slice(0, before).replace(/[\s\S]*\/n\) /, '') + person.screen.slice(before);
          expect(typed).toMatch(/^\s*(y|yes|o|oui)\s*\r\n/i);
        }
        expect(person.overs.filter((problem) => problem !== null)).toEqual([]);
      }),
      generatedRounds(100, 300),
    );
  });
});

test('the menu comes in the order of its words, "quit" last', async () => {
  const shown = await talk.lines(PIN);
  const numbered = Object.values(localeOf('en').console.menu).map((word, n) => `${String(n + 1).padStart(2)}  ${word}`);
  expect(shown).toContain(numbered.join('\r\n'));
  expect(numbered.at(-1)).toContain('Quit');
  expect(numbered.filter((line) => line.includes('Quit'))).toHaveLength(1);
});
