/** agent.sock: what inputs of the board mean. */
import { MAX_FEEDBACK_INPUT, type Static, Type } from '@relaygate/shared';
import { InputChange, type InputSettings } from '@relaygate/shared/device';
import { CHANGE } from './actor';

export const InputsRequest = Type.Object({});

export interface InputsReply {
  /** As the settings file has them. */
  inputs: InputSettings[];
  /** The guard goes by others until it is restarted. */
  mustRestart: boolean;
}

export const InputRequest = Type.Object({
  numInput: Type.Integer({ minimum: 0, maximum: MAX_FEEDBACK_INPUT }),
  /** null: it means nothing any more. Ranges are checked by the action, which names them. */
  change: Type.Union([InputChange, Type.Null()]),
  ...CHANGE,
});
export type InputRequest = Static<typeof InputRequest>;

export interface InputReply {
  numInput: number;
  /** null: it had no meaning. */
  before: InputSettings | null;
  /** null: it has none any more. */
  after: InputSettings | null;
  /** The guard goes by others until it is restarted. */
  mustRestart: boolean;
}
