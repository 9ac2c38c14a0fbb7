import {
  MAX_BAUD,
  MAX_FEEDBACK_INPUT,
  MAX_GPIO_OFFSET,
  MAX_INPUTS,
  MAX_MODBUS_ADDRESS,
  MAX_OUTPUTS,
  MIN_BAUD,
  MODBUS_ANSWER_MAX_MS,
  MODBUS_ANSWER_MIN_MS,
} from '@relaygate/shared';
import {
  choicesOf,
  HAS_INPUTS,
  INPUT_SETTINGS,
  OUTPUT_SETTINGS,
  type OutputSetting,
  rangeOf,
} from '@relaygate/shared/device';

/**
 * What a member may be, by its name, because ajv's own words are not for an installer. Those of outputs and inputs stand in
 * their own tables.
 */
const ALLOWED = {
  board: '{"kind":"simulated"}, or {"kind":"gpio","lines":[...]} with a line for each output',
  kind: `${oneOf(Object.keys(HAS_INPUTS))}; of "inputs" ${oneOf(choicesOf(INPUT_SETTINGS.kind.schema))}`,
  releaseOnDeath: 'true or false',
  port: 'the path of a serial port, as "relayctl board ports" shows it; of "web" a number from 1 to 65535',
  baud: `a whole number from ${MIN_BAUD} to ${MAX_BAUD}`,
  parity: '"none", "even" or "odd"',
  answerMs: `a whole number from ${MODBUS_ANSWER_MIN_MS} to ${MODBUS_ANSWER_MAX_MS}`,
  units: 'a list of boards on the bus, such as [{"address":1,"relays":8}]',
  relays: 'how many relays the board has, a whole number from 1 on',
  flashOn: 'true or false',
  profile: 'the name of a board profile, as "relayctl board list" shows it',
  chip: 'the label of a GPIO chip, 1 to 31 printable characters, as "gpiodetect" shows it',
  lines: `the offset of each output's line on its GPIO chip: distinct whole numbers from 0 to ${MAX_GPIO_OFFSET}`,
  inputs: `a list of at most ${MAX_INPUTS}, each like {"kind":"contact","numInput":0,"name":"Gate closed"}; of "board" each like {"line":24,"bias":"pull-up"}`,
  line: `the offset of a line on its GPIO chip: a whole number from 0 to ${MAX_GPIO_OFFSET}, used once`,
  bias: '"pull-up", "pull-down" or "disabled"',
  outputs: `a list of 1 to ${MAX_OUTPUTS} outputs`,
  requireProof: 'true or false',
  console: 'an object with port, and baud and language where they differ from 115200 and "fr"',
  language: '"fr" or "en"',
  web: 'an object with port, address, buttonInput, buttonActiveLevel and hotspotSsid, all of them optional',
  address: `the address of a board on the bus, 1 to ${MAX_MODBUS_ADDRESS}; of "web" an IP address of this device`,
  buttonInput: `the number of an input of the board, 0 to ${MAX_FEEDBACK_INPUT}`,
  buttonActiveLevel: '"high" or "low"',
  hotspotSsid: '1 to 32 printable characters of ASCII, no space at either end',
  link: 'an object with serverUrl, serverName and productLogin',
  serverUrl: '"wss://host" or "wss://host:port" ("ws://" to this machine only)',
  serverName: 'the RELAYGATE_SERVER_NAME of the server, 1 to 128 printable characters without spaces',
  serverCaFile: 'the path of a PEM file',
  productLogin: '1 to 64 letters, digits, dots, underscores or hyphens',
};

export type AllowedMember = keyof typeof ALLOWED;

const MEMBERS: Readonly<Record<string, string>> = ALLOWED;
/** `kind` is a member of boards too. */
const { kind: _, ...OF_INPUTS } = INPUT_SETTINGS;
const IN_TABLES: Readonly<Record<string, OutputSetting>> = { ...OF_INPUTS, ...OUTPUT_SETTINGS };

/** In words, to be read after "is"; null: no member of this name. */
export function allowedValue(member: string): string | null {
  if (Object.hasOwn(IN_TABLES, member)) return allowedOf(IN_TABLES[member]);
  return Object.hasOwn(MEMBERS, member) ? (MEMBERS[member] ?? null) : null;
}

function allowedOf(setting: OutputSetting | undefined): string | null {
  if (!setting) return null;
  const { schema, allowed } = setting;
  if (allowed !== undefined) return allowed;
  const range = rangeOf(schema);
  if (range) return `a whole number from ${range.least} to ${range.most}`;
  return schema.type === 'boolean' ? 'true or false' : oneOf(choicesOf(schema));
}

function oneOf(choices: readonly string[]): string {
  const quoted = choices.map((choice) => `"${choice}"`);
  return `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`;
}
