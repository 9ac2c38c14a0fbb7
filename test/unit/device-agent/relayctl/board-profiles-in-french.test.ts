/** The program's own board profiles are described in the reader's language; all others say what their file says. */
import { resolve } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { ServeLines } from '@relaygate/device-agent/ipc/line-connection';
import { RELAYCTL as EN } from '@relaygate/device-agent/locales/en/relayctl';
import { RELAYCTL as FR } from '@relaygate/device-agent/locales/fr/relayctl';
import type { RelayctlTranslations } from '@relaygate/device-agent/locales/relayctl';
import { addCommands } from '@relaygate/device-agent/relayctl/board-commands';
import { readBoardProfiles } from '@relaygate/device-agent/relayctl/board-profiles';
import { showUsedBoard } from '@relaygate/device-agent/relayctl/show-board';
import { runRelayctl } from '../../../support/device/relayctl-in-memory';

const BOARDS = resolve(__dirname, '../../../../../hardware/boards');
const OWN = readBoardProfiles();
const NAME = 'waveshare-rpi-relay-board';

async function run(line: string, t: RelayctlTranslations, ofCard: string | null = null): Promise<string> {
  const profile = OWN.find(({ name }) => name === ofCard) ?? null;
  const agent: ServeLines = (connection) => ({
    line: (text) => connection.send(JSON.stringify({ id: JSON.parse(text).id, ok: true, value: { profile } })),
    closed() {},
  });
  const { said } = await runRelayctl(line, agent, {
    t,
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

describe('which board it is', () => {
  const asks = async (line: string, t: RelayctlTranslations): Promise<string> =>
    (await run(`board use ${line} --accept-boot-level`, t)).replaceAll('\n', ' ');

  test('is asked in the reader’s language', async () => {
    expect(await asks(NAME, EN)).toContain('with 3 outputs: gpio, lines 26, 20, 21.');
    expect(await asks(NAME, FR)).toContain('avec 3 sorties : gpio, lignes 26, 20, 21.');
    const modbus = 'waveshare-modbus-rtu-relay-8ch --port /dev/x --address 1,2';
    expect(await asks(modbus, EN)).toContain('modbus at /dev/x, addresses 1, 2.');
    expect(await asks(modbus, FR)).toContain('modbus sur /dev/x, adresses 1, 2.');
    expect(await asks('lcus-1 --port /dev/x', FR)).toContain('lcus sur /dev/x.');
  });

  test('is shown so, with what becomes of each output', () => {
    const after = { kind: 'gpio', lines: [26, 20] } as const;
    const used = { before: { kind: 'simulated' }, after, outputs: ['kept', 'new'], mustRestart: true } as const;
    const shown = (t: RelayctlTranslations): string[] =>
      showUsedBoard({ ...used, after: { ...after, lines: [...after.lines] }, outputs: [...used.outputs], cures: [] }, t)
        .split('\n')
        .slice(0, 3);
    expect(shown(EN)).toEqual(['board: gpio, lines 26, 20', 'output 0: kept', 'output 1: new']);
    expect(shown(FR)).toEqual(['carte : gpio, lignes 26, 20', 'sortie 0 : gardée', 'sortie 1 : nouvelle']);
  });

  test('hangs on a serial port with this parity, in French too', async () => {
    const show = 'board show waveshare-modbus-rtu-relay-8ch';
    expect(await run(show, EN)).toMatch(/Modbus RTU, 9600 baud, parity none, address 1,/);
    expect(await run(show, FR)).toMatch(/Modbus RTU, 9600 baud, parité aucune, adresse 1,/);
  });
});
