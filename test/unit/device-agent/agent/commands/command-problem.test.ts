import { expect, test } from '@jest/globals';
import { commandProblem } from '@relaygate/device-agent/agent/commands/command-problem';
import { EN } from '@relaygate/device-agent/locales/en';
import { FR } from '@relaygate/device-agent/locales/fr';
import { refusalText } from '@relaygate/device-agent/locales/refusal-text';
import { exitCodeOf } from '@relaygate/device-agent/relayctl/exit-codes';
import { DEVICE_REASONS } from '@relaygate/shared';
import { outputsWith } from '../../../../support/device/device';

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

test.each([
  [
    'refused',
    undefined,
    'The guard refused and gave no reason; see "relayctl status".',
    'Le service des relais a refusé sans dire pourquoi ; voir « relayctl status ».',
  ],
  [
    'unproven',
    undefined,
    'The guard did it as far as it knows, and did not say what is missing to be sure; look at output 0 before you try again.',
    'Le service des relais l’a fait pour autant qu’il le sache, sans dire ce qui manque pour en être sûr ; regardez la sortie 0 avant de recommencer.',
  ],
  [
    'unproven',
    'from-the-future',
    'The guard did it as far as it knows (from-the-future); look at output 0 before you try again.',
    'Le service des relais l’a fait pour autant qu’il le sache (from the future) ; regardez la sortie 0 avant de recommencer.',
  ],
] as const)(
  '%s with reason %s, of which nothing more is known, is told as what it is',
  (outcome, reason, english, french) => {
    const error = commandProblem(0, outcome, reason, OUTPUTS);
    expect(error.code).toBe(outcome);
    expect(refusalText(error, EN)).toBe(english);
    expect(refusalText(error, FR)).toBe(french);
  },
);
