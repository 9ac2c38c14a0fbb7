/** What the inputs of a site's board mean. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { MemoryFiles } from '../../../support/device/memory-files';
import { DATA, SITE, settingsOf } from '../../../support/device/site-in-memory';

const SETTINGS = `${DATA}/settings.json`;
const BOARD = { kind: 'gpio', lines: [17, 27], inputs: [{ line: 23, bias: 'pull-up' }, { line: 24 }] };
const INPUTS = [
  { kind: 'contact', numInput: 0, name: 'Gate closed' },
  { kind: 'button', numInput: 1, name: 'Exit', output: 0, action: 'pulse' },
];
const WITH_INPUTS = { ...SITE, board: { settings: BOARD, activeLevel: 'high' }, inputs: INPUTS };

let files: MemoryFiles;
beforeEach(() => {
  files = new MemoryFiles();
});

const take = (site: object) => settingsOf(files, site);

test('are those of its file, and stay where a later file does not name them', async () => {
  expect(await take(WITH_INPUTS)).toMatchObject({ board: BOARD, inputs: INPUTS });
  const { inputs: _, ...later } = WITH_INPUTS;
  expect(await take({ ...later, hostname: 'gate' })).toMatchObject({ inputs: INPUTS });
  expect(await take({ ...WITH_INPUTS, inputs: [] })).toMatchObject({ inputs: [] });
});

test.each([
  ['inputs.2.numInput is 2, but the board has the inputs 0 to 1', [{ ...INPUTS[0], numInput: 2 }]],
  ['inputs.1.action is toggle, which is for on-off outputs', [{ ...INPUTS[1], action: 'toggle' }]],
  ['inputs.1.kind is none of its kinds', [{ ...INPUTS[1], kind: 'light' }]],
  ["inputs[0] must have required property 'numInput'", [{ kind: 'contact', name: 'Gate closed' }]],
  ['inputs[1].numInput must be integer', [INPUTS[1], { ...INPUTS[0], numInput: 'two' }]],
  ['inputs', {}],
])('are refused, by the name of the member: %s', async (says, inputs) => {
  await expect(take({ ...WITH_INPUTS, inputs })).rejects.toThrow(says);
  expect(files.texts.has(SETTINGS)).toBe(false);
});

describe('with the button of the page, moved by a later file', () => {
  const board = (...lines: number[]) => ({
    settings: { kind: 'gpio', lines: [17, 27], inputs: lines.map((line) => ({ line })) },
    activeLevel: 'high',
  });
  const moved = { ...SITE, board: board(25, 24), web: { buttonLine: 25 }, inputs: [{ ...INPUTS[0], numInput: 1 }] };

  test('are as that file says, though each has the number of the other before', async () => {
    const first = { ...SITE, board: board(24, 25), web: { buttonLine: 24 }, inputs: [{ ...INPUTS[0], numInput: 1 }] };
    expect(await take(first)).toMatchObject({ web: { buttonInput: 0 } });
    expect(await take(moved)).toMatchObject({
      board: { inputs: [{ line: 25 }, { line: 24 }] },
      web: { buttonInput: 0 },
      inputs: [{ name: 'Gate closed', numInput: 1 }],
    });
  });

  test('are refused where it does not say what becomes of one, or of an output that shows itself by it', async () => {
    const before = await take({ ...SITE, board: board(24, 25), web: { buttonLine: 24 }, inputs: [] });
    const { web: _, ...withoutButton } = moved;
    await expect(take(withoutButton)).rejects.toThrow('inputs 0 are in use');
    const outputs = (before.outputs as object[]).map((output, n) =>
      n === 0 ? { ...output, feedbackInput: 1 } : output,
    );
    files.texts.set(SETTINGS, JSON.stringify({ ...before, outputs }));
    await expect(take({ ...moved, inputs: [] })).rejects.toThrow('inputs 1 are in use');
  });
});
