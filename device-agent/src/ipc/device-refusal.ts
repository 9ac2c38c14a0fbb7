import { type ErrorCode, RelaygateError, type RelaygateErrorOptions } from '@relaygate/shared/relaygate-error';
import type { Reason } from '../runtime/cause';

/**
 * A refusal with a sentence in the reader's language. Its message is in English, for logs and relayctl; the guard's message
 * is its code.
 */
export class DeviceRefusal extends RelaygateError {
  readonly reason: Reason;

  constructor(code: ErrorCode, reason: Reason, message: string, options?: RelaygateErrorOptions) {
    super(code, message, options);
    this.name = 'DeviceRefusal';
    this.reason = reason;
  }
}
