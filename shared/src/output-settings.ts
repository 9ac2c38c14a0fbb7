/** One output of a device: what it is, and the policies that keep it safe. A policy that is not named has its default. */
import { type Static, Type } from './json-schema';
import { Level } from './level';
import {
  FEEDBACK_MAX_MS,
  FEEDBACK_MIN_MS,
  INTERLOCK_DELAY_MAX_MS,
  LOSS_MAX_MS,
  LOSS_MIN_MS,
  MAX_FEEDBACK_INPUT,
  MAX_ON_MAX_MS,
  MIN_SWITCH_INTERVAL_MAX_MS,
} from './limits';
import { OutputMode, OutputName, PulseMs } from './outputs';
import { parserOf } from './schema';

/** What an on-off output does when the guard starts after a power cut; impulse outputs always start inactive (I5). */
export const PowerOn = Type.Union([Type.Literal('off'), Type.Literal('on'), Type.Literal('restore')]);

/** What a policy is that nobody has set. */
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
  description:
    'Impulse outputs: what a command does while the pulse runs. ignore: nothing moves; extend: the pulse starts anew.',
  default: POLICY_DEFAULTS.retrigger,
});

export const MaxOnMs = Type.Integer({
  minimum: 0,
  maximum: MAX_ON_MAX_MS,
  description: 'On-off outputs: milliseconds after which the output goes off by itself. 0: it does not.',
  default: POLICY_DEFAULTS.maxOnMs,
});

export const MinSwitchIntervalMs = Type.Integer({
  minimum: 0,
  maximum: MIN_SWITCH_INTERVAL_MAX_MS,
  description: 'Milliseconds after an edge, on or off, in which switching on is refused; switching off never is.',
  default: POLICY_DEFAULTS.minSwitchIntervalMs,
});

export const InterlockGroup = Type.Union([Type.String({ pattern: '^(?!none$)[A-Za-z0-9._-]{1,32}$' }), Type.Null()], {
  description: 'A group of outputs of which at most one is on. null: none.',
  default: POLICY_DEFAULTS.interlock,
});
export const InterlockDelayMs = Type.Integer({
  minimum: 0,
  maximum: INTERLOCK_DELAY_MAX_MS,
  description: 'Milliseconds between one output of the group going off and another going on; the longest in it counts.',
  default: POLICY_DEFAULTS.interlockDelayMs,
});

const OnLoss = [Type.Literal('hold'), Type.Literal('off')] as const;
const lossMs = { minimum: LOSS_MIN_MS, maximum: LOSS_MAX_MS } as const;
export const OnLinkLoss = Type.Union(OnLoss, {
  description: 'On-off outputs: what happens without a link to the server for linkLossMs.',
  default: POLICY_DEFAULTS.onLinkLoss,
});
export const LinkLossMs = Type.Integer({
  ...lossMs,
  description: 'Milliseconds without a link, after which onLinkLoss counts.',
  default: POLICY_DEFAULTS.linkLossMs,
});
export const OnAgentLoss = Type.Union(OnLoss, {
  description: 'On-off outputs: what happens when the agent is dead or hangs for agentLossMs.',
  default: POLICY_DEFAULTS.onAgentLoss,
});
export const AgentLossMs = Type.Integer({
  ...lossMs,
  description: 'Milliseconds after the last sign of life of the agent, after which onAgentLoss counts.',
  default: POLICY_DEFAULTS.agentLossMs,
});

export const FeedbackInput = Type.Union([Type.Integer({ minimum: 0, maximum: MAX_FEEDBACK_INPUT }), Type.Null()], {
  description: 'The input of the board that shows whether the output has done it. null: none.',
  default: POLICY_DEFAULTS.feedbackInput,
});
export const FeedbackMs = Type.Integer({
  minimum: FEEDBACK_MIN_MS,
  maximum: FEEDBACK_MAX_MS,
  description: 'Milliseconds within which the input must show it; else the outcome is unproven.',
  default: POLICY_DEFAULTS.feedbackMs,
});

/** Each may be missing; the units are milliseconds. */
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
  /** The level of the input while the output is on. */
  feedbackActiveLevel: Type.Optional(Level),
  feedbackMs: Type.Optional(FeedbackMs),
} as const;

export const OutputSettings = Type.Object(
  {
    name: OutputName,
    mode: OutputMode,
    pulseMs: PulseMs,
    /** The electrical level that energises the relay. */
    activeLevel: Level,
    powerOn: PowerOn,
    ...outputPolicies,
  },
  { additionalProperties: false },
);
export type OutputSettings = Static<typeof OutputSettings>;

/** With every policy, named or not. */
export type WholeOutput = Required<OutputSettings>;

export function wholeOutput(settings: OutputSettings): WholeOutput {
  return { ...POLICY_DEFAULTS, ...settings };
}

const MEMBERS = Object.keys(OutputSettings.properties);

/** Whether two are the same to a device, defaults named or not. Asked of each output at each change of any of them. */
export function isSameOutput(one: OutputSettings, other: OutputSettings): boolean {
  return one === other || MEMBERS.every((member) => memberOf(one, member) === memberOf(other, member));
}

function memberOf(settings: Readonly<Record<string, unknown>>, member: string): unknown {
  const defaults: Readonly<Record<string, unknown>> = POLICY_DEFAULTS;
  return settings[member] === undefined ? defaults[member] : settings[member];
}

export const parseOutputSettings = parserOf(OutputSettings);
