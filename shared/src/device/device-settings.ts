/** The device's settings file, `settings.json` in its data folder. The guard reads its part only (guard-settings.ts). */

import { described, type Static, Type } from '../json-schema';
import { CONSOLE_BAUD, MAX_FEEDBACK_INPUT, WEB_PORT } from '../limits';
import { ProductLogin } from '../product-login';
import { checkedParser, type Fault, parserOf } from '../schema';
import { consolePortProblem, newConsoleProblem } from './console-problem';
import { GuardSettings } from './guard-settings';
import { settingsProblem } from './guard-settings-parser';
import { inputProblem, useOfInput } from './inputs-problem';
import { Level } from './level';
import { Baud, SerialPath } from './serial-settings';

export const LinkSettings = Type.Object(
  {
    serverUrl: Type.String({
      pattern: '^wss?://[^\\s]+$',
      maxLength: 512,
      description: '`wss://host[:port]`; `ws://` to this machine only; no user, path, query or fragment',
    }),
    serverName: Type.String({
      pattern: '^[\\x21-\\x7e]{1,128}$',
      description:
        "the server's `RELAYGATE_SERVER_NAME`, 1 to 128 printable characters without spaces: part of what the device signs",
    }),
    serverCaFile: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 512,
        description: "path of a PEM file, trusted instead of the system's authorities",
      }),
    ),
    productLogin: described(ProductLogin, 'the product this device is: 1 to 64 of `A-Za-z0-9._-`'),
  },
  { additionalProperties: false },
);
export type LinkSettings = Static<typeof LinkSettings>;

export const ConsoleLanguage = Type.Union([Type.Literal('fr'), Type.Literal('en')]);
export type ConsoleLanguage = Static<typeof ConsoleLanguage>;

/** The serial port of the technician's menu: 8 data bits, no parity, one stop bit. */
export const ConsoleSettings = Type.Object(
  {
    port: described(
      SerialPath,
      "a path: a technician's terminal program finds the menu there. Not the port of the relay board, nor the header's UART " +
        '(`/dev/serial0`) while the board uses line 14 or 15',
    ),
    baud: Type.Optional(described(Baud, '8 data bits, no parity, one stop bit', { default: CONSOLE_BAUD })),
    language: Type.Optional(described(ConsoleLanguage, 'that of the first prompt', { default: 'fr' })),
  },
  { additionalProperties: false },
);
export type ConsoleSettings = Static<typeof ConsoleSettings>;

/** The technician's page; it is off until somebody switches it on. */
export const WebSettings = Type.Object(
  {
    port: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 65_535,
        description: "where the [technician's page](PAGE.md) listens while it is on",
        default: WEB_PORT,
      }),
    ),
    address: Type.Optional(
      Type.String({
        pattern: '^[0-9A-Fa-f.:]{2,45}$',
        description: 'the IP address of this device at which it listens; without one: all of them',
      }),
    ),
    buttonInput: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_FEEDBACK_INPUT,
        description:
          'an input of the board: a button that switches the page on when it is held for 5 s. Not the feedback input of an output',
      }),
    ),
    buttonActiveLevel: Type.Optional(
      described(Level, 'what the input shows while it is pressed; `low` is a button to ground', { default: 'low' }),
    ),
    hotspotSsid: Type.Optional(
      Type.String({
        pattern: '^[\\x21-\\x7e]([\\x20-\\x7e]{0,30}[\\x21-\\x7e])?$',
        description:
          "the name of the device's own Wi-Fi, 1 to 32 printable ASCII characters; without one: `Relaygate` and the product login",
      }),
    ),
  },
  { additionalProperties: false },
);
export type WebSettings = Static<typeof WebSettings>;

export const DeviceSettings = Type.Object(
  {
    ...GuardSettings.properties,
    link: LinkSettings,
    requireProof: Type.Optional(
      Type.Boolean({
        description:
          'remote commands are refused (`not-proven`) until somebody has proven the board and lines in use with `relayctl prove`',
        default: false,
      }),
    ),
    console: Type.Optional(described(ConsoleSettings, 'the serial console; without it there is none')),
    web: Type.Optional(WebSettings),
  },
  { additionalProperties: false },
);
export type DeviceSettings = Static<typeof DeviceSettings>;

/** For the settings that a device has. It starts even if its console is at lines that its board uses; the agent then does not open it. */
export const parseDeviceSettings = checkedParser(parserOf(DeviceSettings), deviceProblem);
/** For new settings. */
export const parseNewDeviceSettings = checkedParser(parserOf(DeviceSettings), newDeviceProblem);

function deviceProblem(settings: DeviceSettings): Fault | null {
  const { board, console } = settings;
  const ofPort = console === undefined ? null : consolePortProblem(board, console.port);
  return settingsProblem(settings) ?? ofPort ?? buttonProblem(settings);
}

function newDeviceProblem(settings: DeviceSettings): Fault | null {
  const { board, console } = settings;
  const ofConsole = console === undefined ? null : newConsoleProblem(board, console.port);
  return deviceProblem(settings) ?? ofConsole;
}

/** Neither a relay nor a button for an output may switch the page on. */
function buttonProblem({ board, outputs, inputs, web }: DeviceSettings): Fault | null {
  const input = web?.buttonInput;
  if (input === undefined) return null;
  const member = 'web.buttonInput';
  return inputProblem(board, member, input) ?? useOfInput(member, input, outputs, inputs);
}
