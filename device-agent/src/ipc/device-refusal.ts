import { type ErrorCode, RelaygateError, type RelaygateErrorOptions } from '@relaygate/shared/relaygate-error';
import type { Reason, WordsOf } from '../runtime/refusal';

/** A refusal whose sentence can be said in the reader's language. Its message is in English, for logs and relayctl. */
export class DeviceRefusal extends RelaygateError {
  readonly reason: Reason;

  constructor(code: ErrorCode, reason: Reason, message: string, options?: RelaygateErrorOptions) {
    super(code, message, options);
    this.name = 'DeviceRefusal';
    this.reason = reason;
  }
}

type Refuse<Values> = <Code extends keyof Values & string>(
  error: ErrorCode,
  code: Code,
  values: Values[Code],
  options?: RelaygateErrorOptions,
) => DeviceRefusal;

/** Makes refusals whose messages are of these words. */
export function refusingIn<Values>(words: WordsOf<Values>): Refuse<Values> {
  return (error, code, values, options) =>
    new DeviceRefusal(error, { code, values: Object(values) }, words[code](values), options);
}
