/** What relayctl says of relays that close before the guard runs. I5. */
import { describe, expect, test } from '@jest/globals';
import type { ServeLines } from '@relaygate/device-agent/ipc/line-connection';
import { addCommands as addBoardCommands } from '@relaygate/device-agent/relayctl/board-commands';
import { readBoardProfiles } from '@relaygate/device-agent/relayctl/board-profiles';
import { addCommands as addOutputCommand } from '@relaygate/device-agent/relayctl/output-commands';
import { runRelayctl } from '../../../support/device/relayctl-in-memory';

const USED = { before: null, after: { kind: 'gpio', lines: [5, 6, 7, 8] }, outputs: [], mustRestart: true };

/** `config`: the text of relaygate-board.txt. */
async function run(line: string, config: string | null, answers: Record<string, object> = {}) {
  const asked: string[] = [];
  const agent: ServeLines = (connection) => ({
    line(text) {
      const { id, type } = JSON.parse(text);
      asked.push(type);
      const value = { 'site-profile': { profile: null }, board: USED, ...answers }[String(type)];
      connection.send(JSON.stringify({ id, ok: true, value }));
    },
    closed() {},
  });
  const ran = await runRelayctl(line, agent, {
    families: [
      { names: ['board'], load: () => addBoardCommands },
      { names: ['output'], load: () => addOutputCommand },
    ],
    boards: () => readBoardProfiles(),
    boardConfig: () => config,
  });
  return { ...ran, asked };
}

const USE = 'board use generic-active-low --yes';
const OF_KEYESTUDIO = 'gpio=4=op,dl\ngpio=6=op,dl\n';

test('a board whose relay the firmware closes for the board of before is refused, and why', async () => {
  const { code, said, asked } = await run(USE, OF_KEYESTUDIO);
  expect(code).toBe(5);
  expect(asked).not.toContain('board');
  expect(said).toMatch(
    /the firmware closes IN2 of "generic-active-low".*Take gpio=6=op,dl out of relaygate-board\.txt/,
  );
  expect(said).not.toContain('gpio=4');
});

test('a chip without a name is a mistake, and no board at risk', async () => {
  const { code, said } = await run('board use generic-active-high --yes --chip= --json', null);
  expect(code).toBe(2);
  expect(JSON.parse(said)).toMatchObject({ error: 'bad-usage', message: expect.stringContaining('--chip') });
});

test.each([
  ['that accepts it', `${USE} --accept-boot-level`, OF_KEYESTUDIO],
  ['whose lines the file leaves alone', USE, 'gpio=4=op,dl\n'],
  ['on a machine without that file', USE, null],
  ['at another chip, which it accepts', `${USE} --chip mcp23017 --accept-boot-level`, OF_KEYESTUDIO],
])('one %s is used', async (_what, line, config) => {
  expect(await run(line, config)).toMatchObject({ code: 0, asked: expect.arrayContaining(['board']) });
});

describe('an output whose polarity is turned', () => {
  const turned = (cures: object[], bcm: number | null = 6) => ({
    output: { numOutput: 0, before: { activeLevel: 'high' }, after: { activeLevel: 'low' }, bcm, cures },
  });
  const TURN = 'output 0 --active-level low';

  test('is told with what holds its relay open', async () => {
    const cure = { bcm: 26, configLine: 'gpio=26=op,dh', resistor: '4.7 kΩ from BCM 26 (pin 37) to 3.3 V' };
    const { said } = await run(TURN, null, turned([cure], 26));
    expect(said).toMatch(
      /activeLevel high -> low\n\n.*by a resistor each.*\n {2}4\.7 kΩ from BCM 26.*\n.*\n {2}gpio=26=op,dh$/,
    );
  });

  test('is told that the firmware closes its relay now', async () => {
    const { said } = await run(TURN, OF_KEYESTUDIO, turned([]));
    expect(said).toMatch(/firmware gives BCM 6 a low level.*take gpio=6=op,dl out of relaygate-board\.txt/);
    const { said: json } = await run(`${TURN} --json`, OF_KEYESTUDIO, turned([]));
    expect(JSON.parse(json)).toMatchObject({ cures: [], closings: [{ bcm: 6, configLine: 'gpio=6=op,dl' }] });
  });

  test('is told nothing more where its line is not of the header', async () => {
    expect((await run(TURN, OF_KEYESTUDIO, turned([], null))).said).toBe('output 0: activeLevel high -> low');
  });
});
