import { expect, test } from '@jest/globals';
import { commandProblem } from '@relaygate/device-agent/agent/command-problem';
import { exitCodeOf } from '@relaygate/device-agent/cli/exit-codes';
import { DEVICE_REASONS } from '@relaygate/shared';
import { outputsWith } from '../../../support/device/device';

const OUTPUTS = outputsWith({ 0: { feedbackInput: 1, interlock: 'motor', minSwitchIntervalMs: 5 } });

test.each(Object.entries(DEVICE_REASONS).map(([reason, { outcome }]) => ({ reason, outcome })))(
  'a technician is told of $reason as it is: $outcome',
  ({ reason, outcome }) => {
    const { code, message } = commandProblem(0, outcome, reason, OUTPUTS);
    expect(code).toBe(reason === 'no-such-output' ? 'output-not-found' : outcome);
    expect(exitCodeOf(code)).toBe(reason === 'no-such-output' ? 2 : outcome === 'refused' ? 5 : 6);
    expect(message).not.toContain('undefined');
  },
);
