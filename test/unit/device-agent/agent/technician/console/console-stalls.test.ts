/** I2 at the console: what was typed while the agent was held up moves nothing after it. */
import { expect, test } from '@jest/globals';
import { item, loggedIn } from './console-talk';

test('a yes that was typed while the agent was stopped is not read, and the question is asked again', async () => {
  const talk = await loggedIn();
  await talk.lines(item('command'), '3');
  await talk.clock.advance(1_000);
  talk.clock.holdUp(3_000);
  expect(await talk.lines('y')).toMatch(/held up.*not read[\s\S]*\? \(y\/n\) $/);
  expect(talk.acts).toEqual([]);
  await talk.clock.advance(1_000);
  await talk.lines('y');
  expect(talk.acts).toMatchObject([{ type: 'pulse' }]);
});

test('the same where the timers come before what was typed', async () => {
  const talk = await loggedIn();
  await talk.lines(item('command'), '3');
  talk.clock.holdUp(40_000);
  await talk.clock.advance(1);
  await talk.lines('y');
  expect(talk.acts).toEqual([]);
});

test('a short stall of a busy machine loses nothing', async () => {
  const talk = await loggedIn();
  await talk.lines(item('command'), '3');
  talk.clock.holdUp(1_000);
  await talk.lines('y');
  expect(talk.acts).toHaveLength(1);
});

test('Ctrl-C gives up what was asked for and not answered', async () => {
  const talk = await loggedIn();
  let isGivenUp = false;
  talk.answers = (type, givenUp) => {
    if (type !== 'pulse') return Promise.resolve(talk.status);
    givenUp.addEventListener('abort', () => {
      isGivenUp = true;
    });
    return new Promise(() => {});
  };
  await talk.lines(item('command'), '3', 'y');
  expect(isGivenUp).toBe(false);
  await talk.type('\x03');
  expect(isGivenUp).toBe(true);
});

test('a yes with Ctrl-C behind it, both read at once, moves nothing', async () => {
  const talk = await loggedIn();
  await talk.lines(item('command'), '3');
  expect(await talk.type('y\r\x03')).toContain('^C');
  expect(talk.acts).toEqual([]);
  await talk.lines(item('command'), '3', 'y');
  expect(talk.acts).toHaveLength(1);
});
