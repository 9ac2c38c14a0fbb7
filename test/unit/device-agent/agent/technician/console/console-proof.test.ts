/** The proof of the wiring at the console. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { BY_CONSOLE, item, loggedIn, type Talk, WIRING } from './console-talk';

let talk: Talk;
beforeEach(async () => {
  talk = await loggedIn();
});

describe('the proof of the wiring', () => {
  const clicks = (): unknown[] => talk.asked.filter(({ type }) => type === 'click').map(({ request }) => request);
  const click = (numOutput: number) => ({ numOutput, ...BY_CONSOLE });

  test('clicks each output, asks which it was and whether it is on, and records it with a name', async () => {
    expect(await talk.lines(item('prove'))).toContain('The wiring is not proven.');
    expect(await talk.lines('Ana')).toContain('Whatever hangs on the 2 relays will move. Begin? (y/n) ');
    expect(clicks()).toEqual([]);
    expect(await talk.lines('y')).toContain('Relay 1 of 2 (Gate) clicks 3 times.\r\nWhich one clicked?');
    expect(await talk.lines('1')).toContain('Relay 1 is commanded off. Is it on now, its lamp lit? (y/n) ');
    await talk.lines('n', '2');
    expect(await talk.lines('y')).toContain('Record what was seen, in the name of Ana? (y/n) ');
    expect(clicks()).toEqual([click(0), click(1)]);
    expect(talk.acts).toEqual([]);
    expect(await talk.lines('y')).toContain('The wiring is proven by Ana, 2026-03-01T12:00:00.000Z.');
    const answers = [
      { relay: 1, isOn: false },
      { relay: 2, isOn: true },
    ];
    expect(talk.acts).toEqual([{ type: 'prove', request: { by: 'Ana', wiring: WIRING, answers, ...BY_CONSOLE } }]);
  });

  test('tells of one that was made while the clock was not set', async () => {
    const proof = { provenAt: '2026-03-01T12:00:00.000Z', isClockSet: false, by: 'Ana' };
    talk.answers = async () => ({ wiring: WIRING, names: [], proof, isProven: true, isRequired: true });
    expect(await talk.lines(item('prove'))).toContain('The wiring is proven, by Ana, while the clock was not set.');
  });

  test('moves nothing without a name and a yes, and records nothing without another', async () => {
    await talk.lines(item('prove'), '');
    expect(await talk.lines(item('prove'), 'Ana', 'n')).toContain('Nothing was done.');
    expect(clicks()).toEqual([]);
    expect(await talk.lines(item('prove'), 'Ana', 'y', '0', '0', 'n')).toContain('Nothing was done.');
    expect(clicks()).toEqual([click(0), click(1)]);
    expect(talk.acts).toEqual([]);
  });

  test('clicks again where that is wanted, and asks again what it does not understand', async () => {
    await talk.lines(item('prove'), 'Ana', 'y', 'R');
    expect(clicks()).toEqual([click(0), click(0)]);
    expect(await talk.lines('3', '', 'x')).not.toContain('Is it on');
    expect(await talk.lines('2', 'perhaps')).toMatch(/its lamp lit\? \(y\/n\) $/);
    expect(clicks()).toHaveLength(2);
    expect(await talk.type('\x03')).toContain(' 1  Status');
    expect(talk.acts).toEqual([]);
  });

  const corrections = [
    { numOutput: 0, line: { from: 5, to: 6 }, activeLevel: { from: 'low', to: 'high' } },
    { numOutput: 1, line: { from: 6, to: 5 } },
  ];

  test('tells what was corrected, and that nothing is proven yet', async () => {
    await talk.lines(item('prove'), 'Ana', 'y', '2', 'y', '1', 'n');
    talk.answers = async () => ({ result: 'corrected', corrections, mustRestart: true });
    const shown = await talk.lines('y');
    expect(shown).toContain('- 0: line 5 -> 6, active level low -> high\r\n- 1: line 6 -> 5\r\n');
    expect(shown).toContain('restart relaygate-guard relaygate-agent');
    expect(shown).toContain('Nothing is proven yet');
  });

  test('tells what was corrected in French, too', async () => {
    talk = await loggedIn('fr');
    await talk.lines(item('prove'), 'Ana', 'o', '2', 'o', '1', 'n');
    talk.answers = async () => ({ result: 'corrected', corrections, mustRestart: true });
    const shown = await talk.lines('o');
    expect(shown).toContain('- 0 : ligne 5 -> 6, niveau actif low -> high\r\n- 1 : ligne 6 -> 5\r\n');
  });
});
