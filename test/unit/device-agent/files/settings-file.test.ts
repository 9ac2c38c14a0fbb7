import { describe, expect, test } from '@jest/globals';
import { readSettings } from '@relaygate/device-agent/files/settings-file';
import {
  type DeviceSettings,
  parseDeviceSettings,
  parseGuardSettings,
  parseNewDeviceSettings,
} from '@relaygate/shared/device';
import { DEMO_OUTPUTS, NO_SERVER, outputsWith } from '../../../support/device/device';
import { MemoryFiles } from '../../../support/device/memory-files';

const PATH = '/data/settings.json';
const ON_GPIO = { kind: 'gpio', lines: [26, 20, 21, 16] } as const;
const ON_BUS = {
  kind: 'modbus',
  port: '/dev/serial/by-id/usb-FTDI-if00',
  baud: 19_200,
  parity: 'even',
  answerMs: 100,
  units: [
    { address: 1, relays: 3, flashOn: true },
    { address: 17, relays: 1 },
  ],
} as const;
const DOOR = { kind: 'contact', numInput: 7, name: 'Door' };
const GOOD: DeviceSettings = { board: { kind: 'simulated' }, outputs: [...DEMO_OUTPUTS], link: NO_SERVER };

async function read(
  content: unknown,
  parse: typeof parseDeviceSettings | typeof parseGuardSettings = parseDeviceSettings,
) {
  const files = new MemoryFiles();
  if (content !== undefined) files.texts.set(PATH, typeof content === 'string' ? content : JSON.stringify(content));
  const result = await readSettings(files, PATH, parse).catch((error: Error) => error.message);
  expect(files.log).toEqual([]);
  return result;
}

describe('settings.json', () => {
  test.each([
    ['gpio', { ...GOOD, board: ON_GPIO }],
    [
      'gpio with inputs',
      {
        ...GOOD,
        board: { ...ON_GPIO, inputs: [{ line: 4, bias: 'pull-up' }, { line: 17 }] },
        outputs: outputsWith({ 1: { feedbackInput: 1 } }),
      },
    ],
    ['gpio-sysfs', { ...GOOD, board: { ...ON_GPIO, kind: 'gpio-sysfs', chip: 'pinctrl-rp1', profile: 'my-board' } }],
    ['modbus', { ...GOOD, board: ON_BUS }],
    ['lcus', { ...GOOD, board: { kind: 'lcus', port: '/dev/ttyUSB0', relays: 4 } }],
  ])('may name a board of the kind %s', async (_kind, settings) => {
    expect(await read(settings)).toMatchObject({ settings });
    expect(await read(settings, parseGuardSettings)).toMatchObject({ settings: { board: settings.board } });
  });

  test.each([
    ['of an adapter on USB', { ...ON_GPIO, lines: [14, 15, 16, 17] }, '/dev/serial/by-id/usb-x'],
    [
      'of the UART, whose lines are not on that chip',
      { ...ON_GPIO, chip: 'expander', lines: [14, 15, 1, 2] },
      '/dev/serial0',
    ],
  ])('may name a console %s, beside lines 14 and 15', async (_what, board, port) => {
    const settings = { ...GOOD, board, console: { port } };
    expect(await read(settings)).toMatchObject({ settings });
  });

  test.each([
    ['missing', undefined, /settings\.json is missing/],
    ['empty', '', /settings\.json is not JSON/],
    ['torn', '{"board":', /settings\.json is not JSON/],
    ['without a board', { ...GOOD, board: undefined }, /board is \{"kind":"simulated"\}/],
    ['with another board', { ...GOOD, board: { kind: 'toaster' } }, /board\.kind .*kind is "simulated".*"lcus"/],
    [
      'with a board without lines',
      { ...GOOD, board: { kind: 'gpio' } },
      /lines.*distinct whole numbers from 0 to 1023/,
    ],
    [
      'with fewer relays than outputs',
      { ...GOOD, board: { ...ON_BUS, units: [{ address: 1, relays: 3 }] } },
      /board\.units have 3 relays for 4 outputs/,
    ],
    [
      'with an address twice',
      { ...GOOD, board: { ...ON_BUS, units: [1, 1].map((address) => ({ address, relays: 2 })) } },
      /board\.units names address 1 twice/,
    ],
    [
      'with the address of all boards',
      { ...GOOD, board: { ...ON_BUS, units: [{ address: 0, relays: 4 }] } },
      /board\.units\.0\.address must be >= 1; address is the address/,
    ],
    [
      'with a port that is no path',
      { ...GOOD, board: { kind: 'lcus', port: 'COM1', relays: 4 } },
      /board\.port .*port is the path of a serial port/,
    ],
    [
      'with a serial relay that is active low',
      { ...GOOD, board: ON_BUS, outputs: outputsWith({ 2: { activeLevel: 'low' } }) },
      /outputs\.2\.activeLevel must be "high" on a serial board/,
    ],
    [
      'with an input of no kind',
      { ...GOOD, inputs: [{ kind: 'light', numInput: 7, name: 'Hall' }] },
      /inputs\.7\.kind .*; of "inputs" "contact", "tamper" or "button"/,
    ],
    [
      'with an input that has no name',
      { ...GOOD, inputs: [DOOR, { kind: 'contact', numInput: 0 }] },
      /inputs\.0 must have required property 'name'/,
    ],
    [
      'with an input that has another member',
      { ...GOOD, inputs: [{ ...DOOR, colour: 'red' }] },
      /inputs\.7 must NOT have additional properties \(colour\)/,
    ],
    [
      'with an input that bounces for ever',
      { ...GOOD, inputs: [{ ...DOOR, debounceMs: 1_000_000 }] },
      /inputs\.7\.debounceMs .*; debounceMs is a whole number/,
    ],
    [
      'with an input that has no number',
      { ...GOOD, inputs: [{ ...DOOR, numInput: undefined }] },
      /inputs\[0\] must have required property 'numInput'/,
    ],
    ['with inputs that are no list', { ...GOOD, inputs: {} }, /inputs .*each like \{"kind":"contact","numInput":0,/],
    [
      'with a line twice',
      { ...GOOD, board: { ...ON_GPIO, lines: [4, 5, 4, 6] } },
      /board\.lines names line 4 twice\. Mend it/,
    ],
    [
      'with fewer lines than outputs',
      { ...GOOD, board: { ...ON_GPIO, lines: [4, 5, 6] } },
      /board\.lines has 3 lines for 4 outputs/,
    ],
    [
      'with a line that no chip has',
      { ...GOOD, board: { ...ON_GPIO, lines: [4, 5, 6, -1] } },
      /board\.lines\.3 must be >= 0; lines is the offset/,
    ],
    [
      'with a member of another board',
      { ...GOOD, board: { ...ON_GPIO, releaseOnDeath: true } },
      /board must NOT have additional properties \(releaseOnDeath\)/,
    ],
    [
      'with an input on a line that drives a relay',
      { ...GOOD, board: { ...ON_GPIO, inputs: [{ line: 4 }, { line: 20 }] } },
      /board\.inputs names line 20, which has another use/,
    ],
    [
      'with two inputs on one line',
      { ...GOOD, board: { ...ON_GPIO, inputs: [{ line: 4 }, { line: 4, bias: 'pull-up' }] } },
      /board\.inputs names line 4, which has another use/,
    ],
    [
      'with an unknown resistor',
      { ...GOOD, board: { ...ON_GPIO, inputs: [{ line: 4, bias: 'up' }] } },
      /board\.inputs\.0\.bias .*"pull-up", "pull-down" or "disabled"/,
    ],
    [
      'with a feedback input that a board in /sys lacks',
      {
        ...GOOD,
        board: { ...ON_GPIO, kind: 'gpio-sysfs', inputs: [{ line: 4 }] },
        outputs: outputsWith({ 0: { feedbackInput: 1 } }),
      },
      /outputs\.0\.feedbackInput is 1, but the board has the inputs 0 to 0/,
    ],
    [
      'with a resistor on a board in /sys, which has none to choose',
      { ...GOOD, board: { ...ON_GPIO, kind: 'gpio-sysfs', inputs: [{ line: 4, bias: 'pull-up' }] } },
      /board\.inputs\.0 must NOT have additional properties \(bias\)/,
    ],
    [
      'with a feedback input that the board lacks',
      {
        ...GOOD,
        board: { ...ON_GPIO, inputs: [{ line: 4 }, { line: 5 }] },
        outputs: outputsWith({ 1: { feedbackInput: 2 } }),
      },
      /outputs\.1\.feedbackInput is 2, but the board has the inputs 0 to 1/,
    ],
    ['with a label of nothing', { ...GOOD, board: { ...ON_GPIO, chip: '' } }, /board\.chip .*gpiodetect/],
    ['without outputs', { ...GOOD, outputs: [] }, /outputs .*1 to 64 outputs/],
    [
      'with a wrong mode',
      { ...GOOD, outputs: outputsWith({ 1: { mode: 'x' as 'impulse' } }) },
      /outputs\.1\.mode .*"on-off" or "impulse"/,
    ],
    [
      'with a short pulse',
      { ...GOOD, outputs: outputsWith({ 2: { pulseMs: 49 } }) },
      /outputs\.2\.pulseMs .*50 to 3600000/,
    ],
    [
      'with a feedback input on a board without inputs',
      { ...GOOD, board: ON_GPIO, outputs: outputsWith({ 1: { feedbackInput: 0 } }) },
      /outputs\.1\.feedbackInput is 0, but the board has no inputs \(board\.inputs\)/,
    ],
    [
      'with one input for two outputs',
      { ...GOOD, outputs: outputsWith({ 0: { feedbackInput: 3 }, 2: { feedbackInput: 3 } }) },
      /outputs\.2\.feedbackInput: input 3 shows output 0 already/,
    ],
    [
      'with policies that do nothing for a pulse',
      { ...GOOD, outputs: outputsWith({ 2: { maxOnMs: 60_000, onLinkLoss: 'off', powerOn: 'restore' } }) },
      /outputs\.2: maxOnMs, onLinkLoss is for on-off outputs, and mode is impulse/,
    ],
    [
      'with a limit that no relay can keep',
      { ...GOOD, outputs: outputsWith({ 0: { maxOnMs: 1 } }) },
      /outputs\.0: maxOnMs is 0 or at least 50/,
    ],
    [
      'with an interlock that relayctl would take for none',
      { ...GOOD, outputs: outputsWith({ 0: { interlock: 'none' } }) },
      /outputs\.0\.interlock .*but not "none"/,
    ],
    [
      'with a limit that no timer can count',
      { ...GOOD, outputs: outputsWith({ 0: { maxOnMs: 86_400_001 } }) },
      /outputs\.0\.maxOnMs .*0 \(no limit\), or from 50 to 86400000/,
    ],
    [
      'with a setting that is not enforced',
      { ...GOOD, outputs: outputsWith({ 0: { maxHeat: 5 } as object }) },
      /outputs\.0 .*maxHeat/,
    ],
    ['with a wrong address', { ...GOOD, link: { ...NO_SERVER, serverUrl: 'http://x' } }, /link\.serverUrl .*wss:/],
  ])('that is %s is named with the member and what it may be', async (_name, content, message) => {
    expect(await read(content)).toMatch(message);
  });
});

describe('settings that somebody wants', () => {
  test.each<[string, object, RegExp]>([
    [
      'with a relay at a line of the UART on which the console is (I5)',
      { ...GOOD, board: { ...ON_GPIO, lines: [26, 20, 14, 16] }, console: { port: '/dev/serial0' } },
      /console\.port is the UART at the lines 14 and 15, and line 14 is in use/,
    ],
    [
      'with an input there, on a chip of the header that is named',
      {
        ...GOOD,
        board: { ...ON_GPIO, chip: 'pinctrl-rp1', inputs: [{ line: 15 }] },
        console: { port: '/dev/ttyAMA0' },
      },
      /console\.port is the UART at the lines 14 and 15, and line 15 is in use/,
    ],
    [
      'with a relay there on a board in /sys',
      { ...GOOD, board: { ...ON_GPIO, kind: 'gpio-sysfs', lines: [15, 5, 6, 7] }, console: { port: '/dev/ttyS0' } },
      /console\.port is the UART at the lines 14 and 15, and line 15 is in use/,
    ],
    [
      'with the port of the board under another text of its path',
      {
        ...GOOD,
        board: { kind: 'lcus', port: '/dev/ttyUSB0', relays: 4 },
        console: { port: '/dev/serial/../ttyUSB0' },
      },
      /console\.port is the port of the relay board/,
    ],
    [
      'with the UART under another text of its path',
      { ...GOOD, board: { ...ON_GPIO, lines: [26, 20, 14, 16] }, console: { port: '/dev/./pts/..//serial0' } },
      /console\.port is the UART at the lines 14 and 15, and line 14 is in use/,
    ],
  ])('%s are refused; in use they keep no agent from starting', async (_what, settings, problem) => {
    expect(await read(settings, parseNewDeviceSettings)).toMatch(problem);
    expect(await read(settings)).toMatchObject({ settings });
  });
});
