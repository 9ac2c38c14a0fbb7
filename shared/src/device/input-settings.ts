/**
 * What the inputs of a board mean, a row each setting. The schema, the defaults, the table in device-agent/SETTINGS.md, the hints
 * about a wrong settings.json, and the options of `relayctl input set` follow from the rows.
 */
import { described, type Static, type TSchema, Type } from '../json-schema';
import {
  DEBOUNCE_MAX_MS,
  DEBOUNCE_MIN_MS,
  DEBOUNCE_MS,
  MAX_FEEDBACK_INPUT,
  MAX_OUTPUTS,
  STUCK_BUTTON_MAX_MS,
  STUCK_BUTTON_MIN_MS,
  STUCK_BUTTON_MS,
} from '../limits';
import { NewOutputName } from '../outputs';
import { parserOf } from '../schema';
import { Level } from './level';
import { changeSchema, columnOf, type OutputSetting } from './output-settings';

const NumInput = Type.Integer({
  minimum: 0,
  maximum: MAX_FEEDBACK_INPUT,
  description:
    "the board's input. It has one meaning: it is neither named twice, nor a `feedbackInput` or `web.buttonInput`",
});
const InputKind = Type.Union([Type.Literal('contact'), Type.Literal('tamper'), Type.Literal('button')]);
const ButtonAction = Type.Union([Type.Literal('pulse'), Type.Literal('toggle'), Type.Literal('hold')]);

/** Each input has them. */
const ALWAYS = {
  name: {
    schema: described(NewOutputName, 'what people call it; no control characters'),
    placeholder: 'name',
    help: 'what people call it',
  },
  activeLevel: {
    schema: Type.Optional(
      described(Level, 'its level while closed or pressed; `low` is a contact to ground', { default: 'low' }),
    ),
    placeholder: 'level',
    help: 'its level while closed or pressed',
  },
  debounceMs: {
    schema: Type.Optional(
      Type.Integer({
        minimum: DEBOUNCE_MIN_MS,
        maximum: DEBOUNCE_MAX_MS,
        description: 'it has changed once it shows the same for so long',
        default: DEBOUNCE_MS,
      }),
    ),
    placeholder: 'ms',
    help: 'it has changed once it shows the same for so long',
  },
} as const satisfies Record<string, OutputSetting>;

const OF_BUTTONS = {
  output: {
    schema: Type.Integer({ minimum: 0, maximum: MAX_OUTPUTS - 1, description: "the output's number" }),
    placeholder: 'n',
    help: 'button: the output that it switches',
  },
  action: {
    schema: described(
      ButtonAction,
      '`pulse` for an impulse output, `toggle` for an on-off output; `hold`: an on-off output with `maxOnMs` is on while the ' +
        'button is held, and no longer than that',
    ),
    placeholder: 'action',
    help: 'button: what a press does',
  },
  stuckMs: {
    schema: Type.Optional(
      Type.Integer({
        minimum: STUCK_BUTTON_MIN_MS,
        maximum: STUCK_BUTTON_MAX_MS,
        description:
          'pressed for longer it is a fault, and moves nothing until it was released; of `hold` `maxOnMs` counts',
        default: STUCK_BUTTON_MS,
      }),
    ),
    placeholder: 'ms',
    help: 'button: pressed for longer it is a fault',
  },
  obeysLocks: {
    schema: Type.Optional(
      Type.Boolean({ description: 'a maintenance lock of the output blocks the button too', default: true }),
    ),
    placeholder: 'true|false',
    help: 'button: whether a maintenance lock of the output blocks it too',
  },
} as const satisfies Record<string, OutputSetting>;

const ContactInput = Type.Object(
  {
    kind: described(Type.Literal('contact'), 'shows whether something is open or closed'),
    numInput: NumInput,
    ...columnOf(ALWAYS, 'schema'),
  },
  { additionalProperties: false },
);
const TamperInput = Type.Object(
  {
    kind: described(Type.Literal('tamper'), 'a contact that is a fault while it is open'),
    numInput: NumInput,
    ...columnOf(ALWAYS, 'schema'),
  },
  { additionalProperties: false },
);
const ButtonInput = Type.Object(
  {
    kind: described(Type.Literal('button'), 'switches an output of this device'),
    numInput: NumInput,
    ...columnOf(ALWAYS, 'schema'),
    ...columnOf(OF_BUTTONS, 'schema'),
  },
  { additionalProperties: false },
);

export const InputSettings = Type.Tagged('kind', [ContactInput, ButtonInput, TamperInput]);
export type InputSettings = Static<typeof InputSettings>;
export type ButtonSettings = Extract<InputSettings, { kind: 'button' }>;

/** By member, in the order in which people are asked for them. */
export const INPUT_SETTINGS: Readonly<Record<keyof Omit<ButtonSettings, 'numInput'>, OutputSetting>> = {
  kind: { schema: InputKind, placeholder: 'kind', help: 'what it is; a tamper contact is a fault while it is open' },
  ...ALWAYS,
  ...OF_BUTTONS,
};

/** Contacts do not have it. */
export function isOfButtons(member: string): boolean {
  return Object.hasOwn(OF_BUTTONS, member);
}

export const parseInputSettings = parserOf(InputSettings);

/** What somebody wants to change. Of the right kind; whoever applies it checks the range, and names it. */
export interface InputChange extends Partial<Omit<ButtonSettings, 'kind' | 'numInput'>> {
  kind?: InputSettings['kind'];
}
export const InputChange: TSchema<InputChange> = changeSchema(INPUT_SETTINGS);
