/** A round of the proof, as relayctl, console and page lead it. */
import { expect, test } from '@jest/globals';
import { beginRound, nextInRound, type ProofEvent, type ProofRound } from '@relaygate/device-agent/proof/proof-round';

const BEGUN = beginRound(2);

const clicked: ProofEvent = { kind: 'clicked' };
const saw = (relay: number): ProofEvent => ({ kind: 'saw', relay });
const lamp = (isOn: boolean): ProofEvent => ({ kind: 'lamp', isOn });
const after = (...events: ProofEvent[]): ProofRound => events.reduce(nextInRound, BEGUN);

test('goes from output to output: a click, which relay it was, whether it is on', () => {
  expect(BEGUN.step).toEqual({ at: 'click' });
  expect(after(clicked).step).toEqual({ at: 'which' });
  expect(after(clicked, saw(2)).step).toEqual({ at: 'is-on', relay: 2 });
  expect(after(clicked, saw(2), lamp(true)).step).toEqual({ at: 'click' });
  const all = after(clicked, saw(2), lamp(true), clicked, saw(1), lamp(false));
  expect(all.step).toEqual({ at: 'review' });
  const answers = [
    { relay: 2, isOn: true },
    { relay: 1, isOn: false },
  ];
  expect(all.answers).toEqual(answers);
});

test('asks of no lamp if no relay has clicked', () => {
  const round = after(clicked, saw(0));
  expect(round.answers).toEqual([{ relay: 0, isOn: false }]);
  expect(round.step).toEqual({ at: 'click' });
});

test('lets whoever mistook a relay name another, or have it click again', () => {
  expect(after(clicked, saw(2), saw(1)).step).toEqual({ at: 'is-on', relay: 1 });
  expect(after(clicked, saw(2), { kind: 'clicking' }).step).toEqual({ at: 'which' });
  expect(after(clicked, saw(2), { kind: 'clicking' }, clicked, saw(1), lamp(false)).answers).toEqual([
    { relay: 1, isOn: false },
  ]);
});

test('takes no answer about a relay that has not clicked, and none twice', () => {
  expect(after(saw(1), lamp(false))).toEqual(BEGUN);
  expect(after({ kind: 'clicking' })).toEqual(BEGUN);
  expect(after(clicked, lamp(true))).toEqual(after(clicked));
  expect(after(clicked, saw(1), lamp(true), lamp(true))).toEqual(after(clicked, saw(1), lamp(true)));
  const all = after(clicked, saw(0), clicked, saw(0));
  expect([clicked, saw(1), lamp(true)].reduce(nextInRound, all)).toEqual(all);
});
