/** Why something in the history came so, in French. */
import { expect, test } from '@jest/globals';
import { reasonInFrench } from '@relaygate/device-agent/locales/fr/common';

test.each([
  ['presses-missing-1', '1 appui manque'],
  ['presses-missing-44', '44 appuis manquent'],
  ['not-proven', 'câblage non prouvé, ou en cours de vérification'],
  ['guard-unreachable', 'service des relais absent'],
  ['output-active', 'sortie activée ou occupée'],
  ['of-another-version', 'of another version'],
])('%s is %s', (reason, french) => {
  expect(reasonInFrench(reason)).toBe(french);
});
