import type { RelaygateError } from '@relaygate/shared';
import { refusedByGuard } from './guard-refused';

/** `output-not-found`, for a device of `count` outputs. */
export function noSuchOutput(numOutput: number, count: number): RelaygateError {
  return refusedByGuard('output-not-found', 'no-such-output', { numOutput, count });
}
