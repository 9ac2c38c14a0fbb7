import { describe, expect, test } from '@jest/globals';
import { RELAYCTL } from '@relaygate/device-agent/locales/en/relayctl';
import { watchedRound } from '@relaygate/device-agent/proof/watched-round';
import { askedAnswers, writtenAnswers } from '@relaygate/device-agent/relayctl/prove-answers';

/** Somebody who answers these, and then leaves. */
function typist(...answers: string[]) {
  const asked: string[] = [];
  return {
    asked,
    isInteractive: () => true,
    note: () => {},
    progress: () => {},
    textOf: () => '',
    ask: async (question: string) => {
      asked.push(question.trim());
      return answers.shift() ?? null;
    },
  };
}

describe('the questions of relayctl prove', () => {
  test('are asked until they are answered with what can be', async () => {
    const person = typist('two', '5', '2', 'maybe', 'N', '1', 'yes');
    expect(await watchedRound(2, askedAnswers(person, ['Gate', 'Door'], RELAYCTL), async () => {})).toEqual([
      { relay: 2, isOn: false },
      { relay: 1, isOn: true },
    ]);
    expect(person.asked.filter((question) => question.startsWith('Which'))).toHaveLength(4);
    expect(person.asked.filter((question) => question.startsWith('Relay 2'))).toHaveLength(2);
  });

  test('end with nothing proven when nobody answers any more', async () => {
    const watcher = askedAnswers(typist('1'), ['Gate'], RELAYCTL);
    await expect(watchedRound(1, watcher, async () => {})).rejects.toMatchObject({ code: 'refused' });
  });
});

describe('written answers', () => {
  test('are a line of JSON an output', async () => {
    const watcher = writtenAnswers('{"relay":2,"isOn":true}\n\n{"relay":1,"isOn":false}\n', RELAYCTL);
    expect(await watchedRound(2, watcher, async () => {})).toEqual([
      { relay: 2, isOn: true },
      { relay: 1, isOn: false },
    ]);
    let clicks = 0;
    const click = async (): Promise<void> => {
      clicks += 1;
    };
    await expect(watchedRound(3, watcher, click)).rejects.toMatchObject({ code: 'bad-usage' });
    expect(clicks).toBe(2);
  });

  test.each(['2', '{"relay":"1","isOn":true}', '{"relay":1}', 'relay 1'])('are nothing else: %s', (text) => {
    expect(() => writtenAnswers(text, RELAYCTL)).toThrow(expect.objectContaining({ code: 'bad-usage' }));
  });
});
