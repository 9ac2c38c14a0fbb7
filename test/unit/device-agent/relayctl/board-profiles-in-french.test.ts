/** The program's own board profiles are described in the reader's language; all others say what their file says. */
import { resolve } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { ServeLines } from '@relaygate/device-agent/ipc/line-connection';
import { RELAYCTL as EN } from '@relaygate/device-agent/locales/en/relayctl';
import { RELAYCTL as FR } from '@relaygate/device-agent/locales/fr/relayctl';
import type { RelayctlWords } from '@relaygate/device-agent/locales/relayctl';
import { addCommands } from '@relaygate/device-agent/relayctl/board-commands';
import { readBoardProfiles } from '@relaygate/device-agent/relayctl/board-profiles';
import { runRelayctl } from '../../../support/device/relayctl-in-memory';

const BOARDS = resolve(__dirname, '../../../../../hardware/boards');
const OWN = readBoardProfiles();
const NAME = 'waveshare-rpi-relay-board';

async function run(line: string, words: RelayctlWords, ofCard: string | null = null): Promise<string> {
  const profile = OWN.find(({ name }) => name === ofCard) ?? null;
  const agent: ServeLines = (connection) => ({
    line: (text) => connection.send(JSON.stringify({ id: JSON.parse(text).id, ok: true, value: { profile } })),
    closed() {},
  });
  const { said } = await runRelayctl(line, agent, {
    words,
    families: [{ names: ['board'], load: () => addCommands }],
    boards: (folder) => readBoardProfiles(folder),
    boardConfig: () => null,
  });
  return said;
}

const numbers = (text: string): string => (text.match(/\d+/g) ?? []).sort().join();

test.each(OWN.map((profile) => [profile.name, profile] as const))('%s is described in French', (name, profile) => {
  const french = FR.profiles[name];
  expect(french?.notes.length).toBe(profile.notes.length);
  const texts = ({ title, source, notes }: Pick<typeof profile, 'title' | 'source' | 'notes'>) =>
    [title, source, ...notes].join(' ');
  expect(numbers(texts(french ?? profile))).toBe(numbers(texts(profile)));
  if (profile.notes.length > 0) expect(french?.notes).not.toEqual(profile.notes);
});

test('no other profile is', () => {
  expect(Object.keys(FR.profiles).sort()).toEqual(OWN.map(({ name }) => name).sort());
});

describe('relayctl board', () => {
  test('shows and lists them so in French, and as their files say in English and for programs', async () => {
    const [french, english] = ['canaux', 'channels'].map((word) => `Waveshare RPi Relay Board, 3 ${word}`);
    for (const command of ['board list', `board show ${NAME}`]) {
      expect(await run(command, FR)).toContain(french);
      expect(await run(command, EN)).toContain(english);
      expect(await run(`${command} --json`, FR)).toContain(english);
    }
    expect(await run(`board show ${NAME}`, FR)).toContain('sont des numéros wiringPi, et non BCM.');
  });

  test.each([
    ['came with the card', '', NAME],
    ['is in a folder of somebody’s', ` --profiles ${BOARDS}`, null],
  ])('shows what the file says of one that %s, whatever its name', async (_which, options, ofCard) => {
    expect(await run(`board show ${NAME}${options}`, FR, ofCard)).toContain('are wiringPi numbers');
  });
});
