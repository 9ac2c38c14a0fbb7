/** shared/vectors/device-dialogues.json, played against the real agent and guard. */
import { describe, expect, test } from '@jest/globals';
import { DialogueServer } from '../../../support/link-protocol/dialogue-server';
import { DEVICE_DIALOGUES } from '../../../support/link-protocol/vectors';

const { dialogues } = DEVICE_DIALOGUES;

describe('a dialogue of the device', () => {
  test.each(dialogues.map(({ number, proves, ...rest }) => [number, proves, rest] as const))(
    '%i: %s',
    async (_number, _proves, { steps, moves }) => {
      await new DialogueServer().play(steps, moves);
    },
  );

  test('has a number of its own', () => {
    expect(dialogues.map(({ number }) => number)).toEqual(dialogues.map((_, n) => n + 1));
  });
});

describe('the tester fails where', () => {
  const [, once] = dialogues;
  if (!once) throw new Error('no dialogue');

  test('the relays moved otherwise', async () => {
    await expect(new DialogueServer().play(once.steps, [])).rejects.toThrow('the relays moved [[0,1],[0,0]]');
  });

  test('the device says something else, or says it where it should be silent', async () => {
    const saysNo = once.steps.map((step) => ('says' in step ? { says: { ...step.says, outcome: 'refused' } } : step));
    await expect(new DialogueServer().play(saysNo, once.moves)).rejects.toThrow('but {"type":"result"');
    const silent = once.steps.map((step) => ('says' in step ? { silentMs: 100 } : step));
    await expect(new DialogueServer().play(silent, once.moves)).rejects.toThrow('the device said [{"type":"result"');
  });

  test('the device says nothing, or does not end its connection', async () => {
    const [handshake] = once.steps;
    if (!handshake) throw new Error('no handshake');
    const waits = [handshake, { says: { type: 'result' } }];
    await expect(new DialogueServer().play(waits, [])).rejects.toThrow('the device did not say {"type":"result"}');
    const ends = [handshake, { ends: {} }];
    await expect(new DialogueServer().play(ends, [])).rejects.toThrow('the device did not end its connection');
  });
});
