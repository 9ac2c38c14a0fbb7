/** agent.sock: what inputs of the board mean. */
import { MAX_FEEDBACK_INPUT, type Static, Type } from '@relaygate/shared';
import { ConsoleLanguage, InputChange, type InputSettings } from '@relaygate/shared/device';
import type { ChangedInput } from '../../settings/settings-keeper';
import { CHANGE } from './actor';

export const InputsRequest = Type.Object({
  /** With a form to change them, in this language. */
  language: Type.Optional(ConsoleLanguage),
});

export interface InputsReply {
  /** As the settings file has them. */
  inputs: InputSettings[];
  /** The guard goes by others until it is restarted. */
  mustRestart: boolean;
  form?: InputForm;
}

export interface InputForm {
  /** In their order. Kind `none` is for no meaning. */
  fields: InputFormField[];
  /** Values for an input that has no meaning yet. */
  presets: Readonly<Record<string, string | number>>;
  /** The text for the case that the guard must be restarted. */
  wait: string;
}

export interface InputFormField {
  member: string;
  label: string;
  /** Values with their names; none: it is a text or a number. */
  choices: [string, string][];
  isNumber: boolean;
  /** Contacts do not have it. */
  isOfButtons: boolean;
}

export const InputRequest = Type.Object({
  numInput: Type.Integer({ minimum: 0, maximum: MAX_FEEDBACK_INPUT }),
  /** null: it means nothing any more. Ranges are checked by the action, which names them. */
  change: Type.Union([InputChange, Type.Null()]),
  ...CHANGE,
});
export type InputRequest = Static<typeof InputRequest>;

export interface InputReply extends ChangedInput {
  numInput: number;
  /** The guard goes by others until it is restarted. */
  mustRestart: boolean;
}
