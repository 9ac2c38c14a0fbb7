/**
 * The settings of an output, and the policies that keep it safe, a row each. The schema, the defaults, the table in
 * device-agent/SETTINGS.md, the hints about a wrong settings.json, and the options of `relayctl output` follow from the rows;
 * the site file and the forms of console and page from output-forms.ts.
 */
import { described, type Static, type TSchema, Type } from '../json-schema';
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
  OUTPUT_NAME_MAX_CHARS,
  PULSE_MIN_MS,
} from '../limits';
import { OutputMode, OutputName, PulseMs } from '../outputs';
import { parserOf } from '../schema';
import { Level } from './level';
import { OUTPUT_DEFAULTS } from './output-defaults';

export interface OutputSetting<S extends TSchema = TSchema> {
  /** With its range, and its description for installers. */
  schema: S;
  /** Of the command line: what stands for the value, and its help text. */
  placeholder: string;
  help: string;
  /** What it may be, to be read after "is"; absent: its range or its choices say it. */
  allowed?: string;
}

/** What an on-off output does when the guard starts after a power cut; impulse outputs always start inactive (I5). */
const PowerOn = Type.Union([Type.Literal('off'), Type.Literal('on'), Type.Literal('restore')]);
const Retrigger = Type.Union([Type.Literal('ignore'), Type.Literal('extend')]);
const InterlockGroup = Type.Union([Type.String({ pattern: '^(?!none$)[A-Za-z0-9._-]{1,32}$' }), Type.Null()]);
const OnLoss = Type.Union([Type.Literal('hold'), Type.Literal('off')]);
const LossMs = Type.Integer({ minimum: LOSS_MIN_MS, maximum: LOSS_MAX_MS });
const FeedbackInput = Type.Union([Type.Integer({ minimum: 0, maximum: MAX_FEEDBACK_INPUT }), Type.Null()]);

/** Each output has them. */
const ALWAYS = {
  name: {
    schema: described(OutputName, 'what people call it; no control characters'),
    placeholder: 'name',
    help: 'what people call it',
    allowed: `a text of 1 to ${OUTPUT_NAME_MAX_CHARS} characters that shows something, without control characters`,
  },
  mode: {
    schema: described(OutputMode, 'holds a state, or pulses'),
    placeholder: 'mode',
    help: 'holds a state, or pulses',
  },
  pulseMs: {
    schema: described(PulseMs, 'length of a pulse; a change applies to the next one'),
    placeholder: 'ms',
    help: 'length of a pulse, from the next one on',
  },
  activeLevel: {
    schema: described(
      Level,
      'the electrical level that energises the relay; always `high` on a serial board, which gets "on"',
    ),
    placeholder: 'level',
    help: 'the level that energises the relay',
  },
  powerOn: {
    schema: described(PowerOn, 'on-off outputs after a power cut; impulse outputs always start off'),
    placeholder: 'policy',
    help: 'after a power cut',
  },
} as const satisfies Record<string, OutputSetting>;

/** A setting that an output need not name. */
function policy<S extends TSchema>(
  schema: S,
  preset: Static<S>,
  row: Omit<OutputSetting, 'schema'> & { about: string },
) {
  const { about, ...others } = row;
  return { schema: Type.Optional(described(schema, about, { default: preset })), ...others };
}

const POLICIES = {
  retrigger: policy(Retrigger, OUTPUT_DEFAULTS.retrigger, {
    about: 'impulse outputs: a command during a pulse moves nothing, or the pulse starts anew; both are `executed`',
    placeholder: 'policy',
    help: 'a command during a pulse: nothing moves, or it starts anew',
  }),
  maxOnMs: policy(Type.Integer({ minimum: 0, maximum: MAX_ON_MAX_MS }), OUTPUT_DEFAULTS.maxOnMs, {
    about:
      'on-off outputs: the output goes off by itself that long after its edge, or after the start of a guard that ' +
      `brings it on; 0: never; else at least ${PULSE_MIN_MS}. A change applies at once`,
    placeholder: 'ms',
    help: 'off by itself after that time (0: never)',
    allowed: `a whole number: 0 (no limit), or from ${PULSE_MIN_MS} to ${MAX_ON_MAX_MS}`,
  }),
  minSwitchIntervalMs: policy(
    Type.Integer({ minimum: 0, maximum: MIN_SWITCH_INTERVAL_MAX_MS }),
    OUTPUT_DEFAULTS.minSwitchIntervalMs,
    {
      about:
        "switching on is refused that long after the output's last edge, on or off; switching off is never refused",
      placeholder: 'ms',
      help: 'not on again sooner',
    },
  ),
  interlock: policy(InterlockGroup, OUTPUT_DEFAULTS.interlock, {
    about:
      'name of a group, 1 to 32 of `A-Za-z0-9._-` but not `none`. Outputs of one group exclude each other: if another one is ' +
      'on, it goes off first; if another one pulses, or may be on, nothing moves (`interlocked`). An output alone in its ' +
      'group is a fault',
    placeholder: 'group',
    help: 'at most one output of a group is on; "none": of no group',
    allowed: 'the name of a group, 1 to 32 letters, digits, dots, underscores or hyphens but not "none", or null',
  }),
  interlockDelayMs: policy(
    Type.Integer({ minimum: 0, maximum: INTERLOCK_DELAY_MAX_MS }),
    OUTPUT_DEFAULTS.interlockDelayMs,
    {
      about:
        'from one output of the group going off to another going on; the longest of the group counts. If the delay would end ' +
        "after the command's deadline, nothing moves (`interlock-delay`). If something else comes between, the others " +
        'stay off (`interlock-broken`)',
      placeholder: 'ms',
      help: 'from one off to another on',
    },
  ),
  onLinkLoss: policy(OnLoss, OUTPUT_DEFAULTS.onLinkLoss, {
    about:
      'on-off outputs: whether they go off after `linkLossMs` without a link to the server. A pulse always runs to its end',
    placeholder: 'policy',
    help: 'without a link for --link-loss-ms',
  }),
  linkLossMs: policy(LossMs, OUTPUT_DEFAULTS.linkLossMs, {
    about: 'how long there is no link before `onLinkLoss` counts',
    placeholder: 'ms',
    help: 'how long',
  }),
  onAgentLoss: policy(OnLoss, OUTPUT_DEFAULTS.onAgentLoss, {
    about: 'on-off outputs: whether they go off after the agent is dead or hangs for `agentLossMs`',
    placeholder: 'policy',
    help: 'without an agent for --agent-loss-ms',
  }),
  agentLossMs: policy(LossMs, OUTPUT_DEFAULTS.agentLossMs, {
    about: `counted from the agent's last sign of life, which comes every ${AGENT_HEARTBEAT_MS / 1000} s`,
    placeholder: 'ms',
    help: 'how long',
  }),
  feedbackInput: policy(FeedbackInput, OUTPUT_DEFAULTS.feedbackInput, {
    about:
      'an input of the board (`board.inputs`) that shows the relay itself, from a spare contact; each output needs its own. ' +
      'If the board lacks the input, the start stops with `bad-setting`',
    placeholder: 'n',
    help: `the input that shows whether it was done, 0 to ${MAX_FEEDBACK_INPUT}; "none"`,
    allowed: `the number of an input, 0 to ${MAX_FEEDBACK_INPUT}, or null`,
  }),
  feedbackActiveLevel: policy(Level, OUTPUT_DEFAULTS.feedbackActiveLevel, {
    about: 'the level of the input while the output is on',
    placeholder: 'level',
    help: 'its level while on',
  }),
  feedbackMs: policy(Type.Integer({ minimum: FEEDBACK_MIN_MS, maximum: FEEDBACK_MAX_MS }), OUTPUT_DEFAULTS.feedbackMs, {
    about:
      'the input must show every edge within that time, on or off, commanded or not; else the output is flagged, and its ' +
      'command is `unproven` (`feedback-missing`, or `feedback-stuck` if the input showed the same before the edge)',
    placeholder: 'ms',
    help: 'it shows it within that time',
  }),
} as const;

/** By member, in the order of their schema. */
export const OUTPUT_SETTINGS: Readonly<Record<keyof OutputSettings, OutputSetting>> = { ...ALWAYS, ...POLICIES };

export function columnOf<C extends string, T extends Readonly<Record<string, Readonly<Record<C, unknown>>>>>(
  table: T,
  column: C,
): { [K in keyof T]: T[K][C] } {
  // The compiler does not follow entries back to their members.
  return Object.fromEntries(Object.entries(table).map(([member, row]) => [member, row[column]])) as {
    [K in keyof T]: T[K][C];
  };
}

export const OutputSettings = Type.Object(
  { ...columnOf(ALWAYS, 'schema'), ...columnOf(POLICIES, 'schema') },
  { additionalProperties: false },
);
export type OutputSettings = Static<typeof OutputSettings>;

/** With every setting: defaults stand for those that are not named. */
export type CompleteOutput = Required<OutputSettings>;

const MEMBERS = Object.keys(OUTPUT_SETTINGS);

/** True if both mean the same to a device, defaults set or not. Called for each output at each change of any output. */
export function isSameOutput(one: OutputSettings, other: OutputSettings): boolean {
  return one === other || MEMBERS.every((member) => memberOf(one, member) === memberOf(other, member));
}

function memberOf(settings: Readonly<Record<string, unknown>>, member: string): unknown {
  const presets: Readonly<Record<string, unknown>> = OUTPUT_DEFAULTS;
  return settings[member] === undefined ? presets[member] : settings[member];
}

export const parseOutputSettings = parserOf(OutputSettings);

/** What somebody wants to change. Of the right kind; whoever applies it checks the range, and names it. */
export const OutputChange: TSchema<Partial<OutputSettings>> = changeSchema(OUTPUT_SETTINGS);

export function changeSchema<Change>(table: Readonly<Record<string, OutputSetting>>): TSchema<Change> {
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(table).map(([member, { schema }]) => [member, withoutRange(schema)])),
    additionalProperties: false,
  };
}

function withoutRange({ type, const: only, anyOf }: TSchema): TSchema {
  if (anyOf) return { anyOf: anyOf.map(withoutRange) };
  if (only !== undefined) return { const: only, ...(type === undefined ? {} : { type }) };
  return type === 'integer' ? Type.Number() : { ...(type === undefined ? {} : { type }) };
}

/** The words that a setting has to choose from; empty: it is a number or a text. */
export function choicesOf<T>(schema: TSchema<T>): readonly Extract<T, string>[] {
  const isChoice = (value: unknown): value is Extract<T, string> => typeof value === 'string';
  return (schema.anyOf ?? []).map(({ const: choice }) => choice).filter(isChoice);
}

/** The number, or one of the numbers and `null`, that a setting may be; null: it is none. */
export function rangeOf({ minimum, maximum, anyOf = [] }: TSchema): { least: number; most: number } | null {
  if (minimum !== undefined && maximum !== undefined) return { least: minimum, most: maximum };
  return anyOf.map(rangeOf).find((range) => range !== null) ?? null;
}

/** True if the value may be `null`. */
export function isNullable({ anyOf = [] }: TSchema): boolean {
  return anyOf.some(({ type }) => type === 'null');
}
