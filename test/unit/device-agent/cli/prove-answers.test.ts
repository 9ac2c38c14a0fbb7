import { describe, expect, test } from '@jest/globals';
import { askedAnswers, writtenAnswers } from '@relaygate/device-agent/cli/prove-answers';

/** Somebody who answers these, and then leaves. */
function typist(...answers: string[]) {
  const asked: string[] = [];
  return {
    asked,
    isInteractive: () => true,
    tell: () => {},
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
    const person = typist('two', '5', '2', 'maybe', 'N');
    const answers = askedAnswers(person, ['Gate', 'Door']);
    expect(await answers(0, async () => {})).toEqual({ relay: 2, isOn: false });
    expect(person.asked.filter((question) => question.startsWith('Which'))).toHaveLength(3);
    expect(person.asked.filter((question) => question.startsWith('Relay 2'))).toHaveLength(2);
  });

  test('have the relay click again where somebody wants it, and not ask whether none is on', async () => {
    let clicks = 0;
    const person = typist('r', '0');
    const click = async (): Promise<void> => {
      clicks += 1;
    };
    expect(await askedAnswers(person, ['Gate'])(0, click)).toEqual({ relay: 0, isOn: false });
    expect(clicks).toBe(2);
  });

  test('end with nothing proven when nobody answers any more', async () => {
    await expect(askedAnswers(typist('1'), ['Gate'])(0, async () => {})).rejects.toMatchObject({ code: 'refused' });
  });
});

describe('written answers', () => {
  test('are a line of JSON an output', async () => {
    const answers = writtenAnswers('{"relay":2,"isOn":true}\n\n{"relay":1,"isOn":false}\n');
    expect(await answers(1, async () => {})).toEqual({ relay: 1, isOn: false });
    await expect(answers(2, async () => {})).rejects.toMatchObject({ code: 'bad-usage' });
  });

  test.each(['2', '{"relay":"1","isOn":true}', '{"relay":1}', 'relay 1'])('are nothing else: %s', (text) => {
    expect(() => writtenAnswers(text)).toThrow(expect.objectContaining({ code: 'bad-usage' }));
  });
});
