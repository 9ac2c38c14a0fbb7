import { expect, test } from '@jest/globals';
import { urgentOutputs } from '@relaygate/device-agent/guard/urgent-outputs';

test('a guard that is killed leaves first what pulses, soonest end first, then what is on, then what may be', () => {
  expect(
    urgentOutputs([
      { state: 0 },
      { state: null },
      { state: 1 },
      { state: 1, pulseEndsMs: 900 },
      { state: 1, pulseEndsMs: 300 },
      { state: 0 },
    ]),
  ).toEqual([4, 3, 2, 1]);
});
