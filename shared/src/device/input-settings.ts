/**
 * What the inputs of a board mean, a row each setting. The schema, the defaults, and the table in device-agent/SETTINGS.md
 * follow from the rows.
 */
import { described, type Static, Type } from '../json-schema';
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
import { Level } from './level';

const ALWAYS = {
  numInput: Type.Integer({
    minimum: 0,
    maximum: MAX_FEEDBACK_INPUT,
    description:
      "the board's input. It has one meaning: it is neither named twice, nor a `feedbackInput` or `web.buttonInput`",
  }),
  name: described(NewOutputName, 'what people call it; no control characters'),
  activeLevel: Type.Optional(
    described(Level, 'its level while closed or pressed; `low` is a contact to ground', { default: 'low' }),
  ),
  debounceMs: Type.Optional(
    Type.Integer({
      minimum: DEBOUNCE_MIN_MS,
      maximum: DEBOUNCE_MAX_MS,
      description: 'it has changed once it shows the same for so long',
      default: DEBOUNCE_MS,
    }),
  ),
};

const ContactInput = Type.Object(
  { kind: described(Type.Literal('contact'), 'shows whether something is open or closed'), ...ALWAYS },
  { additionalProperties: false },
);
const TamperInput = Type.Object(
  { kind: described(Type.Literal('tamper'), 'a contact that is a fault while it is open'), ...ALWAYS },
  { additionalProperties: false },
);
const ButtonAction = Type.Union([Type.Literal('pulse'), Type.Literal('toggle'), Type.Literal('hold')]);
const ButtonInput = Type.Object(
  {
    kind: described(Type.Literal('button'), 'switches an output of this device'),
    ...ALWAYS,
    output: Type.Integer({ minimum: 0, maximum: MAX_OUTPUTS - 1, description: "the output's number" }),
    action: described(
      ButtonAction,
      '`pulse` for an impulse output, `toggle` for an on-off output; `hold`: an on-off output with `maxOnMs` is on while the ' +
        'button is held, and no longer than that',
    ),
    stuckMs: Type.Optional(
      Type.Integer({
        minimum: STUCK_BUTTON_MIN_MS,
        maximum: STUCK_BUTTON_MAX_MS,
        description:
          'pressed for longer it is a fault, and moves nothing until it was released; of `hold` `maxOnMs` counts',
        default: STUCK_BUTTON_MS,
      }),
    ),
    obeysLocks: Type.Optional(
      Type.Boolean({ description: 'a maintenance lock of the output blocks the button too', default: true }),
    ),
  },
  { additionalProperties: false },
);

export const InputSettings = Type.Tagged('kind', [ContactInput, ButtonInput, TamperInput]);
export type InputSettings = Static<typeof InputSettings>;
export type ButtonSettings = Extract<InputSettings, { kind: 'button' }>;
