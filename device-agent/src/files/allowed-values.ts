import { MAX_GPIO_OFFSET } from '@relaygate/shared';

/** What a member may be, by its name: ajv's own words are not for an installer. */
const ALLOWED: Readonly<Record<string, string>> = {
  board: '{"kind":"simulated"}, or {"kind":"gpio","lines":[...]} with a line for each output',
  kind: '"simulated", "gpio" or "gpio-sysfs"',
  releaseOnDeath: 'true or false',
  profile: 'the name of a board profile, as "relayctl board list" shows it',
  chip: 'the label of a GPIO chip, 1 to 31 printable characters, as "gpiodetect" shows it',
  lines: `the offset of each output's line on its GPIO chip: distinct whole numbers from 0 to ${MAX_GPIO_OFFSET}`,
  outputs: 'a list of 1 to 64 outputs',
  name: 'a text of 1 to 64 characters without control characters',
  mode: '"on-off" or "impulse"',
  pulseMs: 'a whole number from 50 to 3600000',
  activeLevel: '"high" or "low"',
  powerOn: '"off", "on" or "restore"',
  maxOnMs: 'a whole number 0 (no limit) or from 50 to 86400000',
  minSwitchIntervalMs: 'a whole number from 0 to 3600000',
  interlock: 'the name of a group, 1 to 32 letters, digits, dots, underscores or hyphens but not "none", or null',
  interlockDelayMs: 'a whole number from 0 to 4000',
  onLinkLoss: '"hold" or "off"',
  linkLossMs: 'a whole number from 5000 to 86400000',
  onAgentLoss: '"hold" or "off"',
  agentLossMs: 'a whole number from 5000 to 86400000',
  feedbackInput: 'the number of an input, 0 to 63, or null',
  feedbackActiveLevel: '"high" or "low"',
  feedbackMs: 'a whole number from 10 to 4000',
  retrigger: '"ignore" or "extend"',
  link: 'an object with serverUrl, serverName and productLogin',
  serverUrl: '"wss://host" or "wss://host:port" ("ws://" to this machine only)',
  serverName: 'the RELAYGATE_SERVER_NAME of the server, 1 to 128 printable characters without spaces',
  serverCaFile: 'the path of a PEM file',
  productLogin: '1 to 64 letters, digits, dots, underscores or hyphens',
};

/** In words, to be read after "is"; null: no member of this name. */
export function allowedValue(member: string): string | null {
  return Object.hasOwn(ALLOWED, member) ? (ALLOWED[member] ?? null) : null;
}
