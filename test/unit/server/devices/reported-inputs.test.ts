import { expect, test } from '@jest/globals';
import { inputsOf } from '@relaygate/server/devices/reported-inputs';

const gate = { numInput: 3, name: 'Gate', kind: 'contact', state: 'open' };

test('a report without inputs is one of a device that has none', () => {
  expect(inputsOf({})).toEqual([]);
  expect(inputsOf({ inputs: [] })).toEqual([]);
});

test('inputs come in the order of their numbers, and of one that stands twice the last counts', () => {
  const [exit, door] = [
    { numInput: 0, name: 'Exit', kind: 'button', state: null },
    { ...gate, numInput: 63 },
  ];
  expect(inputsOf({ inputs: [door, gate, exit, { ...gate, state: 'closed' }] })).toEqual([
    exit,
    { ...gate, state: 'closed' },
    door,
  ]);
});

test('members of a newer device are left out', () => {
  expect(inputsOf({ inputs: [Object.assign({ mood: 'x'.repeat(9_000) }, gate)] })).toEqual([gate]);
});
