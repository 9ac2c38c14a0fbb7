/** The doctor at the console. */
import { beforeEach, expect, test } from '@jest/globals';
import type { Diagnosis } from '@relaygate/device-agent/agent/technician/local-messages/doctor';
import { RelaygateError } from '@relaygate/shared';
import { settled } from '../../../../../support/time/virtual-clock';
import { DIAGNOSIS, item, loggedIn, type Talk } from './console-talk';

let talk: Talk;
beforeEach(async () => {
  talk = await loggedIn();
});

/** A doctor who looks until the result is called. */
function holdDoctor(): (diagnosis: Diagnosis) => void {
  let find = (_diagnosis: Diagnosis): void => {};
  talk.answers = () => new Promise((resolve) => (find = resolve));
  return (diagnosis) => find(diagnosis);
}

test('asks the doctor, says so while it looks, and tells what it found with its cure', async () => {
  const found = holdDoctor();
  expect(await talk.lines(item('doctor'))).toMatch(/The doctor looks; that takes up to half a minute\.\r\n$/);
  expect(talk.asked).toEqual([{ type: 'doctor', request: { language: 'en' } }]);
  // Nobody asks: what is typed meanwhile is lost.
  expect(await talk.lines('2', '2', 'y')).toBe('');
  const before = talk.screen.length;
  found(DIAGNOSIS);
  await settled();
  const shown = talk.screen.slice(before);
  expect(shown).toMatch(/^agent: ok\. runs\r\nclock: look\. not set\r\n/);
  expect(shown).toContain('guard: WRONG. away\r\n    so: nothing moves\r\n    do: start it\r\n');
  expect(shown).toContain('1 well, 1 to look at, 1 wrong');
  expect(shown).toContain(' 1  Status');
  talk.answers = async () => DIAGNOSIS;
  await talk.lines(item('language'));
  expect(await talk.lines(item('doctor'))).toContain(
    'guard: DÉFAUT. away\r\n    donc : nothing moves\r\n    remède : start it',
  );
  expect(talk.asked.at(-1)).toEqual({ type: 'doctor', request: { language: 'fr' } });
});

test('a doctor who looks already, or is not there, is told, and the menu comes again', async () => {
  const message = 'The doctor is looking already; wait for it.';
  talk.answers = () => Promise.reject(new RelaygateError('refused', message));
  expect(await talk.lines(item('doctor'))).toMatch(/looking already; wait for it\.[\s\S]* 1 {2}Status/);
});

test('what the doctor finds once the PIN is another is told nobody', async () => {
  const found = holdDoctor();
  await talk.lines(item('doctor'));
  talk.pin.id = 'pin-2';
  found(DIAGNOSIS);
  await settled();
  expect(talk.screen).not.toContain('nothing moves');
  expect(talk.overs).toEqual([null]);
});
