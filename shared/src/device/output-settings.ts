/** An output of a device, and the policies that keep it safe. A policy that is not set has its default. */
import { described, type Static, Type } from '../json-schema';
import {
  AGENT_HEARTBEAT_MS,
  FEEDBACK_MAX_MS,
  FEEDBACK_MIN_MS,
  INTERLOCK_DELAY_MAX_MS,
  LOSS_MAX_MS,
  LOSS_MIN_MS,
  MAX_FEEDBACK_INPUT,
  MAX_ON_MAX_MS,
  MIN_SWITCH_INTERVAL_MAX_MS,
  PULSE_MIN_MS,
} from '../limits';
import { OutputMode, OutputName, PulseMs } from '../outputs';
import { parserOf } from '../schema';
import { Level } from './level';

/** What an on-off output does when the guard starts after a power cut; impulse outputs always start inactive (I5). */
export const PowerOn = Type.Union([Type.Literal('off'), Type.Literal('on'), Type.Literal('restore')]);

const POLICY_DEFAULTS = {
  retrigger: 'ignore',
  maxOnMs: 0,
  minSwitchIntervalMs: 0,
  interlock: null,
  interlockDelayMs: 500,
  onLinkLoss: 'hold',
  linkLossMs: 60_000,
  onAgentLoss: 'hold',
  agentLossMs: 10_000,
  feedbackInput: null,
  feedbackActiveLevel: 'high',
  feedbackMs: 1_000,
} as const;

export const Retrigger = Type.Union([Type.Literal('ignore'), Type.Literal('extend')], {
  description: 'impulse outputs: a command during a pulse moves nothing, or the pulse starts anew; both are `executed`',
  default: POLICY_DEFAULTS.retrigger,
});

export const MaxOnMs = Type.Integer({
  minimum: 0,
  maximum: MAX_ON_MAX_MS,
  description:
    'on-off outputs: the output goes off by itself that long after its edge, or after the start of a guard that ' +
    `brings it on; 0: never; else at least ${PULSE_MIN_MS}. A change applies at once`,
  default: POLICY_DEFAULTS.maxOnMs,
});

export const MinSwitchIntervalMs = Type.Integer({
  minimum: 0,
  maximum: MIN_SWITCH_INTERVAL_MAX_MS,
  description:
    "switching on is refused that long after the output's last edge, on or off; switching off is never refused",
  default: POLICY_DEFAULTS.minSwitchIntervalMs,
});

export const InterlockGroup = Type.Union([Type.String({ pattern: '^(?!none$)[A-Za-z0-9._-]{1,32}$' }), Type.Null()], {
  description:
    'name of a group, 1 to 32 of `A-Za-z0-9._-` but not `none`. Outputs of one group exclude each other: if another one is ' +
    'on, it goes off first; if another one pulses, or may be on, nothing moves (`interlocked`). An output alone in its ' +
    'group is a fault',
  default: POLICY_DEFAULTS.interlock,
});
export const InterlockDelayMs = Type.Integer({
  minimum: 0,
  maximum: INTERLOCK_DELAY_MAX_MS,
  description:
    'from one output of the group going off to another going on; the longest of the group counts. If the delay would end ' +
    "after the command's deadline, nothing moves (`interlock-delay`). If something else comes between, the others " +
    'stay off (`interlock-broken`)',
  default: POLICY_DEFAULTS.interlockDelayMs,
});

const OnLoss = [Type.Literal('hold'), Type.Literal('off')] as const;
const lossMs = { minimum: LOSS_MIN_MS, maximum: LOSS_MAX_MS } as const;
export const OnLinkLoss = Type.Union(OnLoss, {
  description:
    'on-off outputs: whether they go off after `linkLossMs` without a link to the server. A pulse always runs to its end',
  default: POLICY_DEFAULTS.onLinkLoss,
});
export const LinkLossMs = Type.Integer({
  ...lossMs,
  description: 'how long there is no link before `onLinkLoss` counts',
  default: POLICY_DEFAULTS.linkLossMs,
});
export const OnAgentLoss = Type.Union(OnLoss, {
  description: 'on-off outputs: whether they go off after the agent is dead or hangs for `agentLossMs`',
  default: POLICY_DEFAULTS.onAgentLoss,
});
export const AgentLossMs = Type.Integer({
  ...lossMs,
  description: `counted from the agent's last sign of life, which comes every ${AGENT_HEARTBEAT_MS / 1000} s`,
  default: POLICY_DEFAULTS.agentLossMs,
});

export const FeedbackInput = Type.Union([Type.Integer({ minimum: 0, maximum: MAX_FEEDBACK_INPUT }), Type.Null()], {
  description:
    'an input of the board (`board.inputs`) that shows the relay itself, from a spare contact; each output needs its own. ' +
    'If the board lacks the input, the start stops with `bad-setting`',
  default: POLICY_DEFAULTS.feedbackInput,
});
export const FeedbackMs = Type.Integer({
  minimum: FEEDBACK_MIN_MS,
  maximum: FEEDBACK_MAX_MS,
  description:
    'the input must show every edge within that time, on or off, commanded or not; else the output is flagged, and its ' +
    'command is `unproven` (`feedback-missing`, or `feedback-stuck` if the input showed the same before the edge)',
  default: POLICY_DEFAULTS.feedbackMs,
});

/** All of them are optional. */
export const outputPolicies = {
  retrigger: Type.Optional(Retrigger),
  maxOnMs: Type.Optional(MaxOnMs),
  minSwitchIntervalMs: Type.Optional(MinSwitchIntervalMs),
  interlock: Type.Optional(InterlockGroup),
  interlockDelayMs: Type.Optional(InterlockDelayMs),
  onLinkLoss: Type.Optional(OnLinkLoss),
  linkLossMs: Type.Optional(LinkLossMs),
  onAgentLoss: Type.Optional(OnAgentLoss),
  agentLossMs: Type.Optional(AgentLossMs),
  feedbackInput: Type.Optional(FeedbackInput),
  feedbackActiveLevel: Type.Optional(
    described(Level, 'the level of the input while the output is on', { default: POLICY_DEFAULTS.feedbackActiveLevel }),
  ),
  feedbackMs: Type.Optional(FeedbackMs),
} as const;

export const OutputSettings = Type.Object(
  {
    name: described(OutputName, 'what people call it; no control characters'),
    mode: described(OutputMode, 'holds a state, or pulses'),
    pulseMs: described(PulseMs, 'length of a pulse; a change applies to the next one'),
    activeLevel: described(
      Level,
      'the electrical level that energises the relay; always `high` on a serial board, which gets "on"',
    ),
    powerOn: described(PowerOn, 'on-off outputs after a power cut; impulse outputs always start off'),
    ...outputPolicies,
  },
  { additionalProperties: false },
);
export type OutputSettings = Static<typeof OutputSettings>;

/** With every setting: defaults stand for those that are not named. */
export type CompleteOutput = Required<OutputSettings>;

/** It has every member from the start, because V8 takes forty times as long for a copy that grows. */
const ANY_OUTPUT: CompleteOutput = {
  name: '',
  mode: 'on-off',
  pulseMs: 0,
  activeLevel: 'high',
  powerOn: 'off',
  ...POLICY_DEFAULTS,
};

export function completeOutput(settings: OutputSettings): CompleteOutput {
  return { ...ANY_OUTPUT, ...settings };
}

const MEMBERS = Object.keys(OutputSettings.properties);

/** True if both mean the same to a device, defaults set or not. Called for each output at each change of any output. */
export function isSameOutput(one: OutputSettings, other: OutputSettings): boolean {
  return one === other || MEMBERS.every((member) => memberOf(one, member) === memberOf(other, member));
}

function memberOf(settings: Readonly<Record<string, unknown>>, member: string): unknown {
  const defaults: Readonly<Record<string, unknown>> = POLICY_DEFAULTS;
  return settings[member] === undefined ? defaults[member] : settings[member];
}

export const parseOutputSettings = parserOf(OutputSettings);
