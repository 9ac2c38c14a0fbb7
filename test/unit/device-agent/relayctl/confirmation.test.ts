import { describe, expect, test } from '@jest/globals';
import { RELAYCTL } from '@relaygate/device-agent/locales/en/relayctl';
import { RELAYCTL as FRENCH } from '@relaygate/device-agent/locales/fr/relayctl';
import type { RelayctlTranslations } from '@relaygate/device-agent/locales/relayctl';
import { type ConfirmOptions, confirm } from '@relaygate/device-agent/relayctl/confirmation';
import { errorWith } from '../../../support/device/error-with';

/** Somebody who answers, or a script that has no terminal. */
function asked(
  answer: string | null,
  isInteractive = true,
  options: ConfirmOptions = {},
  t: RelayctlTranslations = RELAYCTL,
) {
  const said: string[] = [];
  const terminal = {
    isInteractive: () => isInteractive,
    note: (text: string) => void said.push(text),
    ask: async (question: string) => {
      said.push(question);
      return answer;
    },
    progress: () => {},
    textOf: () => '',
  };
  return { said, done: confirm(options, 'The old one goes.', terminal, t) };
}

describe('before what nobody takes back', () => {
  test.each(['yes', 'YES'])('a person is told what will happen, and "%s" goes on', async (answer) => {
    const { said, done } = asked(answer);
    await done;
    expect(said).toEqual(['The old one goes.', 'Type "yes" to go on: ']);
  });

  test.each(['oui', 'yes'])('"%s" goes on at a French terminal', async (answer) => {
    await asked(answer, true, {}, FRENCH).done;
  });

  test.each(['', 'y', 'no', null])('%j changes nothing', async (answer) => {
    await expect(asked(answer).done).rejects.toMatchObject({ code: 'refused', message: 'Nothing was changed.' });
  });

  test('a script is told of --yes, and is asked nothing that its stdin might answer', async () => {
    const { said, done } = asked('yes', false);
    await expect(done).rejects.toMatchObject(errorWith('bad-usage', '--yes'));
    expect(said).toEqual([]);
  });
});
