import {
  FEEDBACK_MAX_MS,
  FEEDBACK_MIN_MS,
  INTERLOCK_DELAY_MAX_MS,
  LOSS_MAX_MS,
  LOSS_MIN_MS,
  MAX_FEEDBACK_INPUT,
  MAX_GPIO_OFFSET,
  MAX_INPUTS,
  MAX_ON_MAX_MS,
  MAX_OUTPUTS,
  MIN_SWITCH_INTERVAL_MAX_MS,
  OUTPUT_NAME_MAX_CHARS,
  PULSE_MAX_MS,
  PULSE_MIN_MS,
} from '@relaygate/shared';

/** What a member may be, by its name: ajv's own words are not for an installer. */
const ALLOWED: Readonly<Record<string, string>> = {
  board: '{"kind":"simulated"}, or {"kind":"gpio","lines":[...]} with a line for each output',
  kind: '"simulated", "gpio" or "gpio-sysfs"',
  releaseOnDeath: 'true or false',
  profile: 'the name of a board profile, as "relayctl board list" shows it',
  chip: 'the label of a GPIO chip, 1 to 31 printable characters, as "gpiodetect" shows it',
  lines: `the offset of each output's line on its GPIO chip: distinct whole numbers from 0 to ${MAX_GPIO_OFFSET}`,
  inputs: `a list of at most ${MAX_INPUTS}, each like {"line":24,"bias":"pull-up"}`,
  line: `the offset of a line on its GPIO chip: a whole number from 0 to ${MAX_GPIO_OFFSET}, used once`,
  bias: '"pull-up", "pull-down" or "disabled"',
  outputs: `a list of 1 to ${MAX_OUTPUTS} outputs`,
  name: `a text of 1 to ${OUTPUT_NAME_MAX_CHARS} characters without control characters`,
  mode: '"on-off" or "impulse"',
  pulseMs: `a whole number from ${PULSE_MIN_MS} to ${PULSE_MAX_MS}`,
  activeLevel: '"high" or "low"',
  powerOn: '"off", "on" or "restore"',
  maxOnMs: `a whole number: 0 (no limit), or from ${PULSE_MIN_MS} to ${MAX_ON_MAX_MS}`,
  minSwitchIntervalMs: `a whole number from 0 to ${MIN_SWITCH_INTERVAL_MAX_MS}`,
  interlock: 'the name of a group, 1 to 32 letters, digits, dots, underscores or hyphens but not "none", or null',
  interlockDelayMs: `a whole number from 0 to ${INTERLOCK_DELAY_MAX_MS}`,
  onLinkLoss: '"hold" or "off"',
  linkLossMs: `a whole number from ${LOSS_MIN_MS} to ${LOSS_MAX_MS}`,
  onAgentLoss: '"hold" or "off"',
  agentLossMs: `a whole number from ${LOSS_MIN_MS} to ${LOSS_MAX_MS}`,
  feedbackInput: `the number of an input, 0 to ${MAX_FEEDBACK_INPUT}, or null`,
  feedbackActiveLevel: '"high" or "low"',
  feedbackMs: `a whole number from ${FEEDBACK_MIN_MS} to ${FEEDBACK_MAX_MS}`,
  retrigger: '"ignore" or "extend"',
  requireProof: 'true or false',
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
