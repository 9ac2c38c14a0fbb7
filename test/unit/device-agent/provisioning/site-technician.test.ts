/** How somebody on site reaches the device: the console and the page of a site's settings. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { errorWith } from '../../../support/device/error-with';
import { MemoryFiles } from '../../../support/device/memory-files';
import { DATA, SITE, settingsOf, takeOverOf } from '../../../support/device/site-in-memory';

const SETTINGS = `${DATA}/settings.json`;

let files: MemoryFiles;
beforeEach(() => {
  files = new MemoryFiles();
});

const take = (site: object) => settingsOf(files, site);
const BOARD = { kind: 'gpio', profile: 'two-relays', lines: [17, 27] };

test('the console is that of the site, and stays where a later file names none', async () => {
  const console = { port: '/dev/serial0', language: 'en' };
  expect(await take({ ...SITE, console })).toMatchObject({ console });
  expect(await take({ ...SITE, hostname: 'gate' })).toMatchObject({ console });
});

describe('a button', () => {
  const WITH_BUTTON = { ...SITE, web: { buttonLine: 24 } };

  test('is the input that a board of its own has at that line already', async () => {
    const inputs = [{ line: 23 }, { line: 24, bias: 'disabled' }];
    const board = { settings: { ...BOARD, inputs }, activeLevel: 'high' };
    expect(await take({ ...WITH_BUTTON, board })).toMatchObject({ board: { inputs }, web: { buttonInput: 1 } });
  });

  test('stays, with the input of an output, where a later file does not name it', async () => {
    const before = await take(WITH_BUTTON);
    const outputs = [{ name: 'Gate', mode: 'impulse', pulseMs: 700, activeLevel: 'high', powerOn: 'off' }];
    const inputs = [
      { line: 24, bias: 'pull-up' },
      { line: 25, bias: 'pull-down' },
    ];
    const changed = [{ ...outputs[0], feedbackInput: 1 }, (before.outputs as object[])[1]];
    const byHand = { ...before, board: { ...BOARD, inputs }, outputs: changed };
    files.texts.set(SETTINGS, JSON.stringify(byHand));
    expect(await take({ ...SITE, hostname: 'gate' })).toMatchObject({
      board: { inputs },
      outputs: [{ feedbackInput: 1 }, {}],
      web: { buttonInput: 0 },
    });
  });
});

test('how long the page is on is no setting of the agent, and is known after the start', async () => {
  expect(await take({ ...SITE, web: { forMinutes: 30 } })).not.toHaveProperty('web');
  expect(await takeOverOf(files).site()).toMatchObject({ web: { forMinutes: 30 } });
});

describe('is refused, and changes nothing', () => {
  const gpio = { settings: { kind: 'gpio', lines: [17], inputs: [{ line: 24 }] }, activeLevel: 'high' };
  const usb = { profile: 'on-usb', port: '/dev/ttyUSB0' };
  test.each([
    ['a port that is no path', { console: { port: 'serial0' } }, /console\.port .*; port is the path of a serial port/],
    ['a console without port', { console: {} }, /'port'; port is the path/],
    ['a baud that nobody has', { console: { port: '/dev/serial0', baud: 1 } }, /baud is a whole number from 1200/],
    ['the port of the board', { board: usb, console: { port: '/dev/ttyUSB0' } }, /console\.port is the port of the/],
    [
      'a console at lines that a button has',
      { console: { port: '/dev/serial0' }, web: { buttonLine: 14 } },
      /console\.port is the UART at the lines 14 and 15, and line 14 is in use/,
    ],
    [
      'a console at the line of a relay',
      {
        board: { settings: { kind: 'gpio', lines: [15] }, activeLevel: 'high', acceptBootLevel: true },
        console: { port: '/dev/ttyAMA0' },
      },
      /console\.port is the UART at the lines 14 and 15, and line 15 is in use/,
    ],
    [
      'a console at the line of a relay, whose chip is named',
      {
        board: {
          settings: { kind: 'gpio', chip: 'pinctrl-bcm2711', lines: [14] },
          activeLevel: 'high',
          acceptBootLevel: true,
        },
        console: { port: '/dev/serial0' },
      },
      /console\.port is the UART at the lines 14 and 15, and line 14 is in use/,
    ],
    ['a button at a relay', { web: { buttonLine: 27 } }, /web\.buttonLine is 27, which is the line of output 1/],
    [
      'a button on a serial board',
      { board: usb, web: { buttonLine: 24 } },
      /web\.buttonLine is for boards of kind gpio/,
    ],
    ['a button at no line', { web: { buttonLine: -1 } }, /buttonLine is the line of a button to ground/],
    ['no time at all', { web: { forMinutes: 0 } }, /forMinutes is a whole number from 1 to 480/],
    ['more than a day', { web: { forMinutes: 481 } }, /forMinutes is a whole number from 1 to 480/],
    ['a part of a minute', { web: { forMinutes: 1.5 } }, /forMinutes is a whole number/],
    ['what the page does not know', { web: { port: 443 } }, /additional properties \(port\)/],
    [
      "the button at an output's input",
      { board: gpio, outputs: [{}], web: { buttonLine: 24 }, before: { feedbackInput: 0 } },
      /web\.buttonInput: input 0 shows output 0 already/,
    ],
  ])('%s', async (_what, { before, ...wrong }: Record<string, unknown>, problem) => {
    if (before !== undefined) {
      const settled = await take({ ...SITE, board: gpio, outputs: [{}] });
      const outputs = (settled.outputs as object[]).map((output) => ({ ...output, ...(before as object) }));
      files.texts.set(SETTINGS, JSON.stringify({ ...settled, outputs }));
    }
    const left = files.texts.get(SETTINGS);
    await expect(take({ ...SITE, ...wrong })).rejects.toMatchObject(errorWith('bad-setting', problem));
    expect(files.texts.get(SETTINGS)).toBe(left);
  });
});
