import {
  FEEDBACK_MAX_MS,
  FEEDBACK_MIN_MS,
  INTERLOCK_DELAY_MAX_MS,
  LOSS_MAX_MS,
  LOSS_MIN_MS,
  MAX_FEEDBACK_INPUT,
  MAX_ON_MAX_MS,
  MIN_SWITCH_INTERVAL_MAX_MS,
  PULSE_MAX_MS,
  PULSE_MIN_MS,
} from '@relaygate/shared/limits';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { durationWords } from '../program/duration';
import { WHOLE_NUMBER, wholeNumber } from './numbers';

/** What `relayctl output` may change, as commander hands it over: the names are those of the settings. */
export interface OutputChangeOptions {
  name?: string;
  mode?: string;
  pulseMs?: number;
  activeLevel?: string;
  powerOn?: string;
  retrigger?: string;
  maxOnMs?: number;
  minSwitchIntervalMs?: number;
  interlock?: string;
  interlockDelayMs?: number;
  onLinkLoss?: string;
  linkLossMs?: number;
  onAgentLoss?: string;
  agentLossMs?: number;
  feedbackInput?: number | 'none';
  feedbackActiveLevel?: string;
  feedbackMs?: number;
}

/** The other options of the command are about how, not what. */
const CHANGEABLE: ReadonlySet<string> = new Set([
  'name',
  'mode',
  'pulseMs',
  'activeLevel',
  'powerOn',
  'retrigger',
  'maxOnMs',
  'minSwitchIntervalMs',
  'interlock',
  'interlockDelayMs',
  'onLinkLoss',
  'linkLossMs',
  'onAgentLoss',
  'agentLossMs',
  'feedbackInput',
  'feedbackActiveLevel',
  'feedbackMs',
]);

const NULLABLE: ReadonlySet<string> = new Set(['interlock', 'feedbackInput']);

/** The agent checks the ranges; what is no such number at all is answered here. */
export function withOutputOptions(command: Command): Command {
  return command
    .option('--name <name>', 'what people call it')
    .addOption(new Option('--mode <mode>', 'holds a state, or pulses').choices(['on-off', 'impulse']))
    .addOption(milliseconds('--pulse-ms', 'length of a pulse, from the next one on', PULSE_MIN_MS, PULSE_MAX_MS))
    .addOption(new Option('--active-level <level>', 'the level that energises the relay').choices(['high', 'low']))
    .addOption(new Option('--power-on <policy>', 'after a power cut').choices(['off', 'on', 'restore']))
    .addOption(
      new Option('--retrigger <policy>', 'a command during a pulse: nothing moves, or it starts anew').choices([
        'ignore',
        'extend',
      ]),
    )
    .addOption(milliseconds('--max-on-ms', 'off by itself after that time (0: never)', 0, MAX_ON_MAX_MS))
    .addOption(milliseconds('--min-switch-interval-ms', 'not on again sooner', 0, MIN_SWITCH_INTERVAL_MAX_MS))
    .option('--interlock <group>', 'at most one output of a group is on; "none": of no group')
    .addOption(milliseconds('--interlock-delay-ms', 'from one off to another on', 0, INTERLOCK_DELAY_MAX_MS))
    .addOption(new Option('--on-link-loss <policy>', 'without a link for --link-loss-ms').choices(['hold', 'off']))
    .addOption(milliseconds('--link-loss-ms', 'how long', LOSS_MIN_MS, LOSS_MAX_MS))
    .addOption(new Option('--on-agent-loss <policy>', 'without an agent for --agent-loss-ms').choices(['hold', 'off']))
    .addOption(milliseconds('--agent-loss-ms', 'how long', LOSS_MIN_MS, LOSS_MAX_MS))
    .option(
      '--feedback-input <n>',
      `the input that shows whether it was done, 0 to ${MAX_FEEDBACK_INPUT}; "none"`,
      numberOrNone,
    )
    .addOption(new Option('--feedback-active-level <level>', 'its level while on').choices(['high', 'low']))
    .addOption(milliseconds('--feedback-ms', 'it shows it within that time', FEEDBACK_MIN_MS, FEEDBACK_MAX_MS));
}

/** The members of a change; what was not given stays as it is. Commander cannot hand over null, the settings' "none". */
export function outputChangeOf(options: OutputChangeOptions): object {
  const given = Object.entries(options).filter(([member]) => CHANGEABLE.has(member));
  return Object.fromEntries(
    given.map(([member, value]) => [member, value === 'none' && NULLABLE.has(member) ? null : value]),
  );
}

function numberOrNone(text: string): number | 'none' {
  return text === 'none' ? text : wholeNumber(text);
}

function milliseconds(flag: string, words: string, least: number, most: number): Option {
  const range = `${least} to ${most}`;
  return new Option(`${flag} <ms>`, `${words}; ${range} ms (up to ${durationWords(most)})`).argParser((text) => {
    if (!WHOLE_NUMBER.test(text)) throw new InvalidArgumentError(`It is a whole number from ${range}.`);
    return Number(text);
  });
}
